package local

import (
	"encoding/json"
	"time"

	"github.com/chargehand/chargehand/internal/audit"
)

// tail notes the records above the newest checkpoint.
func (w *walk) tail(s *stretch) {
	last := s.id + int64(len(s.leaves))
	if last <= w.protected() {
		return
	}
	t := w.report.Tail
	from := max(s.id, w.protected())
	if t == nil {
		t = &audit.Tail{First: from}
		w.report.Tail = t
	}
	t.Records += last - from
	seq := s.first + from - s.id
	if at, ok := w.tailing[s.run]; ok {
		t.Streams[at].Last = s.last
		return
	}
	w.tailing[s.run] = len(t.Streams)
	t.Streams = append(t.Streams, audit.Stretch{Run: s.run, First: seq, Last: s.last, At: when(s.body, int(from-s.id))})
}

// when is the time of the nth record of a segment; zero where it cannot be read.
func when(body []byte, n int) time.Time {
	for line := range lines(body) {
		if n--; n < 0 {
			var r struct {
				At time.Time `json:"at"`
			}
			if json.Unmarshal(line, &r) != nil {
				return time.Time{}
			}
			return r.At
		}
	}
	return time.Time{}
}
