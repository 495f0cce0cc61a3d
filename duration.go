package chargehand

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Duration is a length of time that JSON and YAML write as Go does: "90s", "30m", "1h15m".
// A bare number is refused, since its unit would be a guess.
type Duration time.Duration

// Std is the duration as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String is the shortest exact form: "30m", not "30m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalJSON writes the text form.
func (d Duration) MarshalJSON() ([]byte, error) { return []byte(strconv.Quote(d.String())), nil }

// UnmarshalJSON reads the text form.
func (d *Duration) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	s, err := strconv.Unquote(string(b))
	if err != nil {
		return fmt.Errorf("%s is not a duration: want text with a unit, such as \"30m\"", b)
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration: want a length of time such as \"90s\" or \"30m\"", s)
	}
	*d = Duration(v)
	return nil
}
