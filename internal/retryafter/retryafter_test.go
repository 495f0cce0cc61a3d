package retryafter

import (
	"net/http"
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		header []string
		want   time.Duration
	}{
		{nil, 0},
		{[]string{"Retry-After", "3"}, 3 * time.Second},
		{[]string{"Retry-After", "0.25"}, 250 * time.Millisecond},
		{[]string{"Retry-After", "604800"}, 7 * 24 * time.Hour},
		{[]string{"Retry-After-Ms", "1500", "Retry-After", "2"}, 1500 * time.Millisecond},
		{[]string{"Retry-After", "-5"}, 0},
		{[]string{"Retry-After", "NaN"}, 0},
		{[]string{"Retry-After", "1e300"}, Longest},
		{[]string{"Retry-After", "soon"}, 0},
		{[]string{"Retry-After", date(time.Minute)}, time.Minute},
		{[]string{"Retry-After", date(-time.Minute)}, 0},
		{[]string{"Retry-After", date(72 * time.Hour)}, 72 * time.Hour},
		{[]string{"Retry-After", date(time.Hour), "Date", date(59 * time.Minute)}, time.Minute}, // its clock is an hour ahead
		{[]string{"X-Ratelimit-Reset-Tokens", "6m0s"}, 6 * time.Minute},
		{[]string{"X-Ratelimit-Reset-Requests", "60ms", "X-Ratelimit-Remaining-Requests", "999"}, 0},
		{[]string{"X-Ratelimit-Reset-Requests", "2m59.5s", "X-Ratelimit-Remaining-Requests", "0", "X-Ratelimit-Reset-Tokens", "1h", "X-Ratelimit-Remaining-Tokens", "5"}, 2*time.Minute + 59500*time.Millisecond},
		{[]string{"X-Ratelimit-Reset-Requests", "1s", "X-Ratelimit-Reset-Tokens", "9s"}, 9 * time.Second},
		{[]string{"X-Ratelimit-Reset", "1767268842000"}, 42 * time.Second},
		{[]string{"X-Ratelimit-Reset", "1767268842"}, 42 * time.Second},
		{[]string{"Ratelimit-Reset", "42"}, 42 * time.Second},
		{[]string{"Anthropic-Ratelimit-Requests-Reset", "2026-01-01T12:01:00Z", "Anthropic-Ratelimit-Requests-Remaining", "0"}, time.Minute},
		{[]string{"Anthropic-Ratelimit-Requests-Reset", "2026-01-01T12:01:00Z", "Anthropic-Ratelimit-Requests-Remaining", "7"}, 0},
		{[]string{"Retry-After", "2", "X-Ratelimit-Reset-Tokens", "6m0s"}, 2 * time.Second},
	} {
		h := http.Header{}
		for i := 0; i < len(c.header); i += 2 {
			h.Set(c.header[i], c.header[i+1])
		}
		if got := Of(h, now); got != c.want {
			t.Errorf("%v: %s, want %s", c.header, got, c.want)
		}
	}
}
