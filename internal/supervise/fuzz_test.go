package supervise

import "testing"

// FuzzStep plays a world whose choices are the fuzzer's bytes, and checks after every step what
// TestRandomRuns checks.
func FuzzStep(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a plan, a grant, an answer"))
	f.Add([]byte{0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233})
	f.Add([]byte("restart in the middle of a write, then decide twice, late, and with another's nonce"))
	f.Fuzz(func(t *testing.T, data []byte) {
		steps := min(len(data), 60)
		w := newWorld(t, &dice{draw: func() uint64 {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return uint64(b)
		}})
		for range steps {
			w.act()
		}
		w.finish()
	})
}
