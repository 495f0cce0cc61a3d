package term

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                    "plain",
		"é 日本 🙂":                   "é 日本 🙂",
		"a\nb\tc\r\nd":             "a b c  d",
		"\x1b[2Jgone":              "<U+001B>[2Jgone",
		"\u009b31m":                "<U+009B>31m",
		"pay \u202e001\u202c":      "pay <U+202E>001<U+202C>",
		"a\u200bb\ufeffc\u2060":    "a<U+200B>b<U+FEFF>c<U+2060>",
		"a\u2028b\u0085":           "a<U+2028>b<U+0085>",
		"\u3164\u2800":             "<U+3164><U+2800>",
		"bad \xff\xc3 utf8 \ufffd": "bad <0xFF><0xC3> utf8 \ufffd",
		"\U000e0041 tag":           "<U+E0041> tag",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := Block("a\r\n\tb\u202e\x07"), "a\n    b<U+202E><U+0007>"; got != want {
		t.Errorf("Block = %q, want %q", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"EUR 500,000 (net).":      "EUR 500,000 (net).",
		"<img src=x>":             `\<img src=x\>`,
		"[x](javascript:y) | `z`": "\\[x\\](javascript:y) \\| \\`z\\`",
		"- item":                  `\- item`,
		"12. item":                `12\. item`,
		"12) item":                `12\) item`,
		"clause 12. ends":         "clause 12. ends",
		"# head\n# two":           `\# head \# two`,
		"www.x.y https://x.y":     `www\.x.y https\://x.y`,
		"mailto:a@b at 14:11":     `mailto\:a\@b at 14:11`,
		"&lt;\u202e":              `\&lt;\<U+202E\>`,
	} {
		if got := Markdown(in); got != want {
			t.Errorf("Markdown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWidths(t *testing.T) {
	for in, want := range map[string]int{"abc": 3, "日本": 4, "🙂": 2, "é": 1, "e\u0301": 1, "\x1b[31mred\x1b[0m": 3} {
		if got := Width(in); got != want {
			t.Errorf("Width(%q) = %d, want %d", in, got, want)
		}
	}
	if got := Clip("日本語日本語", 5, false); Width(got) > 5 || !strings.HasSuffix(got, "…") {
		t.Errorf("Clip = %q", got)
	}
	if got := Clip("abc", 3, true); got != "abc" {
		t.Errorf("Clip = %q, want it whole", got)
	}
	if got := Pad("日", 4); got != "日  " {
		t.Errorf("Pad = %q", got)
	}
}

func TestAmounts(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Money(410_000), "$0.41"},
		{Money(125), "$0.000125"},
		{Money(-2_000_000), "-$2.00"},
		{Clock(138 * time.Second), "02:18"},
		{Clock(3723 * time.Second), "1:02:03"},
		{Clock(-time.Second), "00:00"},
		{Span(17*time.Minute + 42*time.Second), "17m42s"},
		{Span(105 * time.Minute), "1h45m"},
		{Span(1500 * time.Millisecond), "1s"},
		{Span(20 * time.Millisecond), "20ms"},
		{Span(50 * time.Hour), "2d2h"},
		{Count(1, "gap"), "1 gap"},
		{Count(3, "retry"), "3 retries"},
		{Count(0, "gap"), "0 gaps"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	tb := Table{Head: []string{"ID", "WHAT"}, Width: 14}
	tb.Add("r1", "日本 cap\x1b")
	tb.Add("long-id", "")
	var b strings.Builder
	if err := tb.Write(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	want := "ID       WHAT\nr1       日本…\nlong-id\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestHang(t *testing.T) {
	for _, tt := range []struct {
		margin, text string
		width        int
		want         string
	}{
		{"  ✋ ", "short", 0, "  ✋ short"},
		{"  ✋ ", "日本 the cap is wrong and more words", 28, "  ✋ 日本 the cap is wrong\n     and more words"},
		{"margin ", "no room for words here", 20, "margin no room for …"},
		{"", "\x1b[31mred words that go on and on\x1b[0m", 21, "red words that go on\nand on"},
	} {
		lines := Hang(tt.margin, tt.text, tt.width, false)
		if got := strings.Join(lines, "\n"); got != tt.want {
			t.Errorf("%d columns: got %q, want %q", tt.width, got, tt.want)
		}
		for _, l := range lines {
			if tt.width > 0 && Width(l) > tt.width {
				t.Errorf("%q is wider than %d columns", l, tt.width)
			}
		}
	}
}

// TestWrappedTable shows all of the last column: beside its row, or below it.
func TestWrappedTable(t *testing.T) {
	tb := Table{Head: []string{"ID", "WHAT"}, Wrap: true}
	tb.Add("r1", "the cap is not what the source says")
	tb.Add("r2", "")
	for width, want := range map[int]string{
		0:  "ID  WHAT\nr1  the cap is not what the source says\nr2\n",
		30: "ID  WHAT\nr1  the cap is not what the\n    source says\nr2\n",
		25: "ID\n    WHAT\nr1\n    the cap is not what\n    the source says\nr2\n",
	} {
		tb.Width = width
		var b strings.Builder
		if err := tb.Write(&b, Style{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%d columns: %s", width, diff)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	var b strings.Builder
	in := map[string]any{"a<\u202e": "é\u009b\U000E0041\n", "raw": json.RawMessage(`1763700000123456789`)}
	if err := WriteJSON(&b, in); err != nil {
		t.Fatal(err)
	}
	want := `{"a<\u202e":"é\u009b\udb40\udc41\n","raw":1763700000123456789}` + "\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
	var back map[string]any
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back["a<\u202e"] != "é\u009b\U000E0041\n" {
		t.Errorf("it reads as %q, %v", back, err)
	}
}
