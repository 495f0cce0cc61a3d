package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
)

// A count is how the gate answered the statements of one kind.
type count struct {
	Kind     string `json:"kind"`
	Made     int    `json:"made"`
	Accepted int    `json:"accepted"`
	Rejected int    `json:"rejected"`
	Asked    int    `json:"asked"` // neither: a person is asked
}

// A slip is a statement that the gate answered wrongly.
type slip struct {
	Kind string `json:"kind"`
	What string `json:"what"`
	Why  string `json:"why,omitempty"` // what the gate says against a true one
}

// A trial is one run of statements through the gate.
type trial struct {
	True       []count `json:"true"`
	Altered    []count `json:"altered"`
	NotAltered int     `json:"not_altered"` // drawn, but true after all or with nothing to alter
	Slips      []slip  `json:"slips"`
}

// add counts one verdict. wanted says whether it should be an acceptance.
func (c *count) add(v chargehand.Verdict) {
	c.Made++
	switch {
	case accepted(v):
		c.Accepted++
	case v.Recommendation == chargehand.Reject:
		c.Rejected++
	default:
		c.Asked++
	}
}

func sum(cs []count) count {
	var out count
	for _, c := range cs {
		out.Made, out.Accepted = out.Made+c.Made, out.Accepted+c.Accepted
		out.Rejected, out.Asked = out.Rejected+c.Rejected, out.Asked+c.Asked
	}
	return out
}

// testContracts puts every marking of the lawyers and, of each kind in turn, forgeries of them
// through the gate until there are enough.
func testContracts(contracts []contract, o options) (trial, error) {
	f := &forger{rand.New(rand.NewPCG(o.seed, 0)), contracts}
	g := newGate()
	var t trial
	quotes, values := count{Kind: "marked passage"}, count{Kind: "value of a passage"}
	for i := range contracts {
		for _, m := range contracts[i].marked {
			for n, s := range f.truths(&contracts[i], m) {
				into := &values
				if n == 0 {
					into = &quotes
				}
				if err := t.judgeTrue(g, s, into); err != nil {
					return t, err
				}
			}
		}
	}
	t.True = []count{quotes, values}
	return t, t.forge(g, f, o.altered)
}

func (t *trial) judgeTrue(g *gate.Gate, s statement, into *count) error {
	v, err := judge(g, s)
	if err != nil {
		return err
	}
	into.add(v)
	if !accepted(v) || v.Score != 1 {
		t.Slips = append(t.Slips, slip{into.Kind, s.made, fmt.Sprint(v.Issues)})
	}
	return nil
}

// mostDraws bounds how often each kind is tried for each forgery that is wanted.
const mostDraws = 400

// forge makes at least n forgeries, as evenly over the kinds as the texts allow.
func (t *trial) forge(g *gate.Gate, f *forger, n int) error {
	kinds := forgeries()
	for _, k := range kinds {
		c := count{Kind: k.kind}
		want := (n + len(kinds) - 1) / len(kinds)
		for draws := 0; c.Made < want && draws < want*mostDraws; draws++ {
			from := &f.contracts[f.rnd.IntN(len(f.contracts))]
			s, ok := k.forge(f, from, from.marked[f.rnd.IntN(len(from.marked))])
			if !ok {
				t.NotAltered++
				continue
			}
			v, err := judge(g, s)
			if err != nil {
				return err
			}
			c.add(v)
			if accepted(v) {
				t.Slips = append(t.Slips, slip{k.kind, s.made, ""})
			}
		}
		t.Altered = append(t.Altered, c)
	}
	return nil
}
