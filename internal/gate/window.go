package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// A window is the part of a text that detectors have still to look at while it is being written,
// with as much of what stands before it as they may need. Each byte is looked at a few times.
type window struct {
	detectors []chargehand.Detector
	text      []byte
	fresh     int  // bytes of it that were not looked at
	first     bool // nothing stands before it
}

const (
	lookEvery = 256 // bytes
	lookBack  = 384
)

func (w *window) add(s string) {
	if len(w.detectors) > 0 {
		w.text = append(w.text, s...)
		w.fresh += len(s)
	}
}

// gap says that a text is over: what follows is another.
func (w *window) gap() { w.add("\n") }

// look says what the detectors find, once enough has come; empty where that is nothing. What stands at
// the very end may yet become something else, and waits.
func (w *window) look() string {
	if w.fresh < lookEvery {
		return ""
	}
	text := string(w.text)
	lower, digits := strings.ToLower(text), countDigits(text)
	for _, d := range w.detectors {
		for i := range detectors[d].rows {
			row := &detectors[d].rows[i]
			if row.digits > digits {
				continue
			}
			if m, ok := w.find(row, text, lower); ok {
				return fmt.Sprintf("The output contains what looks like %s (%s)", row.what, masked(m))
			}
		}
	}
	if w.fresh = 0; len(text) > lookBack {
		w.text, w.first = append(w.text[:0], text[len(text)-lookBack:]...), false
	}
	return ""
}

// find is the first whole match of a row that counts.
func (w *window) find(row *detectorRow, text, lower string) (string, bool) {
	if len(row.needs) > 0 && !slices.ContainsFunc(row.needs, func(need string) bool { return strings.Contains(lower, need) }) {
		return "", false
	}
	for _, m := range row.re.FindAllStringIndex(text, -1) {
		match := text[m[0]:m[1]]
		switch {
		case m[1] == len(text) || m[0] == 0 && !w.first: // cut off
		case row.whole && (touches(text, m[0], -1) || touches(text, m[1], 1)):
		case inHash(text[:m[0]]):
		case row.fits == nil || row.fits(match, text[:m[0]]):
			return match, true
		}
	}
	return "", false
}

// hashBytes is how long a content hash is.
const hashBytes = len("sha256:") + 64

// inHash reports whether what follows the text belongs to a content hash.
func inHash(before string) bool {
	before = before[max(0, len(before)-hashBytes):]
	return strings.HasSuffix(strings.TrimRight(before, "0123456789abcdef"), "sha256:")
}
