// Package retryafter reads how long a server asks its clients to wait, in each form that servers use.
package retryafter

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Of is the wait that the headers of an answer ask for, however long it is. Zero means that they ask for
// none. Retry-After-Ms and Retry-After go first (RFC 9110 §10.2.3: seconds or a date). Without them it is
// the longest reset of an exhausted rate limit.
//
// Dates are compared with the answer's own Date, so that a clock that is wrong does no harm, and with now
// where the answer has none.
func Of(h http.Header, now time.Time) time.Duration {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		now = at
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return duration(ms * float64(time.Millisecond))
	}
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		return parse(v, now)
	}
	var longest time.Duration
	for name, values := range h {
		reset, ok := limit(name)
		if !ok || len(values) == 0 || !usedUp(h, reset) {
			continue
		}
		longest = max(longest, parse(strings.TrimSpace(values[0]), now))
	}
	return longest
}

// A reset is a header that says when a rate limit ends, in its two halves around "reset".
type reset struct{ before, after string }

// limit cuts the name of such a header: X-Ratelimit-Reset, X-Ratelimit-Reset-Tokens,
// Anthropic-Ratelimit-Tokens-Reset, Ratelimit-Reset.
func limit(name string) (reset, bool) {
	name = strings.ToLower(name)
	if !strings.Contains(name, "ratelimit-") {
		return reset{}, false
	}
	before, after, ok := strings.Cut(name, "reset")
	return reset{before, after}, ok
}

// usedUp reports whether nothing remains of the limit, or how much remains is not said.
func usedUp(h http.Header, r reset) bool {
	left := h.Get(r.before + "remaining" + r.after)
	n, err := strconv.ParseFloat(left, 64)
	return err != nil || n <= 0
}

// Numbers from these on are moments and not waits.
const (
	fewestSeconds = 1e9  // of the Unix epoch: the year 2001
	fewestMillis  = 1e12 // of the same moment
)

// parse reads seconds, a duration such as 6m0s, a moment in seconds or milliseconds of the Unix epoch, and dates.
func parse(v string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		switch {
		case n >= fewestMillis && n < math.MaxInt64:
			return until(time.UnixMilli(int64(n)), now)
		case n >= fewestSeconds && n < fewestMillis:
			return until(time.Unix(int64(n), 0), now)
		}
		return duration(n * float64(time.Second))
	}
	if d, err := time.ParseDuration(v); err == nil {
		return min(max(0, d), Longest)
	}
	for _, read := range []func(string) (time.Time, error){http.ParseTime, rfc3339} {
		if at, err := read(v); err == nil {
			return until(at, now)
		}
	}
	return 0
}

func until(at, now time.Time) time.Duration { return min(max(0, at.Sub(now)), Longest) }

func rfc3339(v string) (time.Time, error) { return time.Parse(time.RFC3339, v) }

// Longest is a century, which stands for every wait above it: a little more can be added without overflow.
const Longest = 100 * 365 * 24 * time.Hour

// duration is so many nanoseconds, no less than none and no more than Longest.
func duration(ns float64) time.Duration {
	if !(ns > 0) {
		return 0
	}
	return time.Duration(min(ns, float64(Longest)))
}
