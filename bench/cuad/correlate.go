package main

import "math"

// phi is the correlation of two extractors' errors on contract level, -1..1: 0 when they fail
// independently, 1 when they fail on the same contracts. The second result is false when either
// never fails or always does, for then there is nothing to correlate.
func phi(a, b []bool) (float64, bool) {
	var n11, n10, n01, n00 float64
	for i := range a {
		switch {
		case a[i] && b[i]:
			n11++
		case a[i]:
			n10++
		case b[i]:
			n01++
		default:
			n00++
		}
	}
	d := (n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00)
	if d == 0 {
		return 0, false
	}
	return (n11*n00 - n10*n01) / math.Sqrt(d), true
}

// A correlation is how the errors of the two readers go together in one category, contract by
// contract, and how many of the first one's the recorded conflicts point at. An error is a presence
// or an answer told wrongly.
type correlation struct {
	Category  string   `json:"category"`
	Phi       *float64 `json:"phi"` // null when there is nothing to correlate
	First     int      `json:"first_wrong"`
	Second    int      `json:"second_wrong"`
	Both      int      `json:"both_wrong"`
	Conflicts int      `json:"conflicts"` // recorded by the engine
	Exposed   int      `json:"exposed"`   // of those, where the first reader is wrong
}

// correlate compares the errors of two readers over the same contracts. contested says for each
// contract whether the engine recorded a conflict.
func correlate(category string, first, second, contested []bool) correlation {
	c := correlation{Category: category}
	for i := range first {
		c.First += count(first[i])
		c.Second += count(second[i])
		c.Both += count(first[i] && second[i])
		c.Conflicts += count(contested[i])
		c.Exposed += count(contested[i] && first[i])
	}
	if p, ok := phi(first, second); ok {
		c.Phi = &p
	}
	return c
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
