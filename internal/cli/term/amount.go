package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// Money is an amount as people write it: "$0.41". It is exact.
func Money(m chargehand.Micros) string {
	if m < 0 {
		return "-$" + strings.TrimPrefix(m.String(), "-")
	}
	return "$" + m.String()
}

// Count is "1 gap" or "3 gaps".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "y") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Clock is a length of time as minutes and seconds, "02:18", or hours, minutes and seconds.
func Clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// Span is a length of time in the two largest units that matter: "17m42s", "1h45m", "11s".
func Span(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd%dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d >= time.Second:
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return fmt.Sprintf("%dms", d/time.Millisecond)
}

// Time is a moment in UTC to the second.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// TimeOfDay is Time without the date where that is today's.
func TimeOfDay(t, now time.Time) string {
	if t, now := t.UTC(), now.UTC(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04:05Z")
	}
	return Time(t)
}
