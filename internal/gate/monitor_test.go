package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
)

func monitored(t *testing.T, c chargehand.Contract) *Gate {
	t.Helper()
	c.Name = "c"
	g, problems := Compile(&chargehand.Team{Contracts: []chargehand.Contract{c}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return g
}

const key = "sk-proj-" + "abcdefghij0123456789KLMNOP"

// TestMonitor is what stops a worker while it writes, and how much of the text it takes; and that
// nothing else does.
func TestMonitor(t *testing.T) {
	object := chargehand.Contract{Schema: json.RawMessage(`{"type":"object","properties":{"term":{},"note":{}},"additionalProperties":false}`)}
	list := chargehand.Contract{Schema: json.RawMessage(`{"type":"array"}`), MaxBytes: 60}
	watched := chargehand.Contract{
		Detectors: chargehand.Detect(chargehand.DetectSecrets, chargehand.DetectPersonalData, chargehand.DetectURLs),
		StopOn:    []chargehand.Detector{chargehand.DetectPersonalData},
	}
	long := strings.Repeat("words and more words ", 30)
	for _, c := range []struct {
		name     string
		contract chargehand.Contract
		prose    bool
		text     string
		said     string // of the finding; empty: the text passes
		after    int    // bytes of the text, at most
	}{
		{"an output", object, false, `{"term": "5 years", "note": [1, -2.5e3, true, null, {"a": "\u00e9\ud83d\ude00\n"}]}`, "", 0},
		{"words instead of JSON", object, false, `Here is what you asked for`, "monitor: The output is no JSON", 1},
		{"a fence", object, false, "```json\n{}", "monitor: The output is no JSON", 1},
		{"a thought", object, false, "<think>They ask", "monitor: The output is no JSON", 1},
		{"another kind", object, false, `[1, 2]`, "is an array and must be an object", 1},
		{"another kind of result", list, false, `{"status": "succeeded", "output": {"a": 1}}`, "is an object and must be an array", 35},
		{"a result without an output", list, false, `{"status": "blocked", "output": null}`, "", 0},
		{"a result", object, false, `{"status": "succeeded", "summary": "x", "output": {"term": 1}, "confidence": 0.9}`, "", 0},
		{"a key that was not asked for", object, false, `{"term": 1, "advice": "buy"}`, `answers what was not asked: it has "advice"`, 20},
		{"the same in a result", object, false, `{"output": {"advice": 1}}`, `answers what was not asked: it has "advice"`, 20},
		{"a comma too many", object, false, `{"term": 1,, "note": 2}`, "no JSON", 12},
		{"a line break in a text", object, false, "{\"term\": \"a\nb\"}", "no JSON", 12},
		{"something after the end", object, false, `{"term": 1} and so on`, "Something follows", 13},
		{"too deep", chargehand.Contract{}, false, strings.Repeat("[", 200), "in one another", 101},
		{"too long", list, false, "[" + strings.Repeat("1,", 100), "more than 60 bytes", 61},
		{"too long in a result", list, false, `{"status": "succeeded", "output": [` + strings.Repeat("1,", 100), "more than 60 bytes", 96},
		{"long around the output", list, false, `{"summary": "` + long + `", "output": [1]}`, "", 0},
		{"a secret", watched, false, `{"a": "` + long + key + ` ` + long + `"}`, "a model provider's key (sk-p…OP)", len(long) + len(key) + 300},
		{"a secret in escapes", watched, false, `{"a": "` + long + `\u0073k-proj-abcdefghij0123456789KLMNOP ` + long + `"}`, "a model provider's key", len(long) + 330},
		{"a secret in what is no output", watched, false, `{"status": "partial", "summary": "` + key + ` ` + long + `", "output": 1}`, "", 0},
		{"an address by e-mail", watched, false, `["` + long + `write to ana@firm.org about it ` + long + `"]`, "an e-mail address", len(long) + 330},
		{"a link, which only the whole gate minds", watched, false, `["https://evil.org/x ` + long + `"]`, "", 0},
		{"a hash", watched, false, `["` + long + `sha256:4111111111111111411111111111111141111111111111114111111111111111 ` + long + `"]`, "", 0},
		{"words before a tool is called", object, true, `The document says { so I will look it up [1]`, "", 0},
		{"JSON of a worker with tools", object, true, `{"advice": 1}`, "answers what was not asked", 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := monitored(t, c.contract)
			whole := g.Monitor("c", c.prose).Read(c.text)
			m, at := g.Monitor("c", c.prose), 0
			for at < len(c.text) && m.Read(c.text[at:at+1]) == nil {
				at++
			}
			switch {
			case (whole == nil) != (m.hit == nil):
				t.Errorf("whole it is %v, in pieces %v", whole, m.hit)
			case c.said == "" && m.hit != nil:
				t.Errorf("stopped after %d bytes: %s", at+1, m.hit.Message)
			case c.said != "" && (m.hit == nil || !strings.Contains(m.hit.Message, c.said)):
				t.Errorf("got %v, want %q", m.hit, c.said)
			case c.said != "" && at+1 > c.after:
				t.Errorf("stopped after %d bytes, want %d", at+1, c.after)
			}
			if v := m.hit; v != nil {
				got := m.Verdict()
				if got.Recommendation != chargehand.Reject || got.SchemaPass != (v.Layer == chargehand.LayerRules) || !strings.Contains(got.Feedback, "monitor: ") {
					t.Errorf("verdict %+v", got)
				}
			}
		})
	}
}

// TestMonitorBegins: a text that begins once more is read from its beginning.
func TestMonitorBegins(t *testing.T) {
	m := monitored(t, chargehand.Contract{MaxBytes: 10}).Monitor("c", false)
	for range 5 {
		if f := m.Read(`{"a": 12`); f != nil {
			t.Fatal(f.Message)
		}
		m.Anew()
	}
}

// TestMonitorLetsJSONPass: no JSON that is sound is ever stopped for its form, however it comes in
// pieces; and what no reader of JSON takes is not let pass to its end without a word, unless its end
// is what is missing.
func TestMonitorLetsJSONPass(t *testing.T) {
	g := monitored(t, chargehand.Contract{})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[\[\]{}:," \\a1tfn.eE+-]{0,20}`),
			rapid.Custom(func(t *rapid.T) string {
				b, err := json.MarshalIndent(draw(t, 3), "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
				if err != nil {
					t.Fatal(err)
				}
				return string(b)
			}),
		).Draw(t, "text")
		m := g.Monitor("c", false)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			m.Read(rest[:n])
			rest = rest[n:]
		}
		if json.Valid([]byte(text)) && m.hit != nil {
			t.Fatalf("%q is stopped: %s", text, m.hit.Message)
		}
		numbers := strings.ContainsAny(text, "-0123456789") // of which it knows only how they begin
		if m.hit == nil && m.text.at == atEnd && !json.Valid([]byte(text)) && !numbers {
			t.Fatalf("%q is read to its end, and is no JSON", text)
		}
	})
}

// draw is a random JSON value without the keys that make an object a result.
func draw(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.Bool().Draw(t, "bool")
	case kind == 2:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case kind == 3 || depth == 0:
		return rapid.String().Draw(t, "text")
	case kind == 4:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, draw(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		object["k"+rapid.String().Draw(t, "key")] = draw(t, depth-1)
	}
	return object
}

// BenchmarkMonitor is what a text costs by its length: the same for each byte.
func BenchmarkMonitor(b *testing.B) {
	g, _ := Compile(&chargehand.Team{Contracts: []chargehand.Contract{{
		Name: "c", MaxBytes: 1 << 30, Detectors: chargehand.Detect(chargehand.DetectSecrets, chargehand.DetectPersonalData, chargehand.DetectInjection, chargehand.DetectURLs),
		StopOn: []chargehand.Detector{chargehand.DetectPersonalData, chargehand.DetectInjection, chargehand.DetectURLs},
	}}})
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		b.Run(grouped(size), func(b *testing.B) {
			text := `["` + strings.Repeat("the parties agree on a term of years ", size/37) + `"]`
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m := g.Monitor("c", false)
				for at := 0; at < len(text); at += 4 {
					if f := m.Read(text[at:min(at+4, len(text))]); f != nil {
						b.Fatal(f.Message)
					}
				}
			}
		})
	}
}
