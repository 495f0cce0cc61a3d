package sim

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// A spot is a place in a world at which something may be decided. What happens there depends on
// the seed, the world and the spot alone, so what happens elsewhere does not change it.
type spot struct {
	what string
	run  string
	task string
	a, b int
}

// String is the spot as a script names it.
func (s spot) String() string {
	out := s.what
	for _, x := range []string{s.run, s.task} {
		if x != "" {
			out += "/" + x
		}
	}
	for _, n := range []int{s.a, s.b} {
		if n != 0 {
			out += "/" + strconv.Itoa(n)
		}
	}
	return out
}

// hash mixes a spot into a number (FNV-1a, then the finaliser of SplitMix64).
func (s spot) hash(h uint64) uint64 {
	const prime = 1099511628211
	h ^= 14695981039346656037
	for _, x := range [...]string{s.what, s.run, s.task} {
		for i := range len(x) {
			h = (h ^ uint64(x[i])) * prime
		}
		h = (h ^ 0xff) * prime
	}
	for _, n := range [...]int{s.a, s.b} {
		h = (h ^ uint64(n)) * prime
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// A dice makes the choices of one spot.
type dice struct{ *rand.Rand }

// one reports true one time in n.
func (d dice) one(n int) bool { return d.IntN(n) == 0 }

// between is from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// within is a duration from low to high, to the millisecond.
func (d dice) within(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64((high-low)/time.Millisecond)+1))*time.Millisecond
}

func pick[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }
