package chargehand

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Micros is an amount of money in millionths of a US dollar. In JSON it is a decimal string with
// up to six places ("0.024"); a number is accepted on input. The zero value is no money.
type Micros int64

// USD is one dollar.
const USD Micros = 1_000_000

// ErrAmount is returned for text that is not a decimal amount with at most six places.
var ErrAmount = errors.New("not an amount of money: want a decimal such as 0.50, at most six places")

// ParseMicros reads a decimal amount of dollars, exactly: no rounding takes place.
func ParseMicros(s string) (Micros, error) {
	whole, frac, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if len(frac) > 6 || whole == "" || !digits(whole) || !digits(frac) {
		return 0, fmt.Errorf("%q: %w", s, ErrAmount)
	}
	n, err := strconv.ParseInt(whole+frac+strings.Repeat("0", 6-len(frac)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", s, ErrAmount)
	}
	if strings.HasPrefix(s, "-") {
		n = -n
	}
	return Micros(n), nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// String is the exact amount with at least two places: "0.50", "0.000125".
func (m Micros) String() string { return string(m.append(nil)) }

func (m Micros) append(dst []byte) []byte {
	u := uint64(m)
	if m < 0 {
		dst, u = append(dst, '-'), uint64(-m)
	}
	dst = strconv.AppendUint(dst, u/1e6, 10)
	point := len(dst)
	dst = strconv.AppendUint(dst, 1e6+u%1e6, 10)
	dst[point] = '.'
	for range 4 {
		dst = bytes.TrimSuffix(dst, []byte("0"))
	}
	return dst
}

// Times is m × f, rounded to the nearest millionth and held within the range of Micros.
func (m Micros) Times(f float64) Micros {
	x := math.Round(float64(m) * f)
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return Micros(x)
}

// MarshalJSON writes the decimal string.
func (m Micros) MarshalJSON() ([]byte, error) { return append(m.append([]byte{'"'}), '"'), nil }

// UnmarshalJSON reads a decimal string or a number.
func (m *Micros) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	v, err := ParseMicros(strings.Trim(string(b), `"`))
	if err != nil {
		return err
	}
	*m = v
	return nil
}
