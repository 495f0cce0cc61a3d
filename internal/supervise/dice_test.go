package supervise

// A dice makes the choices of a world, from rapid's draws or from a fuzzer's bytes. Each throw
// mixes what was drawn with its place, so that a run of equal draws still takes every side.
type dice struct {
	draw    func() uint64
	n       uint64
	hostile bool // whoever answers means harm
}

func (d *dice) below(n int) int {
	d.n++
	x := d.draw() + d.n*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}

func (d *dice) between(low, high int) int { return low + d.below(high-low+1) }

// one reports true one time in n.
func (d *dice) one(n int) bool { return d.below(n) == 0 }

func pick[T any](d *dice, list ...T) T { return list[d.below(len(list))] }
