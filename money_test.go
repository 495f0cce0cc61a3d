package chargehand

import (
	"math"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

func TestMicrosAsText(t *testing.T) {
	for m, want := range map[Micros]string{
		0: "0.00", 1: "0.000001", -1: "-0.000001", 10: "0.00001", 500_000: "0.50", USD: "1.00", -12_340_000: "-12.34",
		math.MaxInt64: "9223372036854.775807", math.MinInt64: "-9223372036854.775808",
	} {
		if got := m.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(m), got, want)
		}
	}
	form := regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]{2}([0-9]{0,3}[1-9])?$`)
	rapid.Check(t, func(t *rapid.T) {
		m := Micros(rapid.Int64().Draw(t, "micros"))
		got, err := ParseMicros(m.String())
		if err != nil && m != math.MinInt64 || err == nil && got != m {
			t.Errorf("%d is written %s and read as %d (%v)", int64(m), m, int64(got), err)
		}
		if !form.MatchString(m.String()) {
			t.Errorf("%d is written %s", int64(m), m)
		}
	})
}
