package compare

import "strings"

// around is how many words are kept on either side of what changed in a text.
const around = 3

// Words is two texts without the words that they begin and end with alike, but for a few; "…" stands
// for what is left out.
func Words(from, to string) (string, string) {
	a, b := strings.Fields(from), strings.Fields(to)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	cut := func(words []string) string {
		begin, end := max(0, head-around), min(len(words), len(words)-tail+around)
		text := strings.Join(words[begin:end], " ")
		if begin > 0 {
			text = "… " + text
		}
		if end < len(words) {
			text += " …"
		}
		return text
	}
	return cut(a), cut(b)
}
