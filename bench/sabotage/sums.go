package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
)

// sums are what came of calculations.
type sums struct {
	trial
	Questions    int            `json:"questions"`
	Expressed    int            `json:"expressed"`
	NotExpressed map[string]int `json:"not_expressed"` // by reason
	Unseen       []count        `json:"unseen"`        // false, but nothing that a calculation shows
}

// testSums puts the annotators' derivations and alterations of each through the gate.
func testSums(o options) (sums, error) {
	pages, err := loadPages(o.data)
	if err != nil {
		return sums{}, err
	}
	out := sums{NotExpressed: map[string]int{}}
	f := &miscalculator{rand.New(rand.NewPCG(o.seed, 1))}
	g := newSumGate()
	truth := count{Kind: "derivation"}
	altered, unseen := newCounts(miscalculations), newCounts(misreadings)
	for i := range pages {
		for _, q := range pages[i].questions {
			out.Questions++
			x, why := work(&pages[i], q)
			if why != "" {
				out.NotExpressed[why]++
				continue
			}
			out.Expressed++
			v, err := x.judge(g, x.answer)
			if err != nil {
				return out, err
			}
			truth.add(v)
			if !accepted(v) || v.Score != 1 {
				out.Slips = append(out.Slips, slip{truth.Kind, x.String(), v.Feedback})
				continue
			}
			if err := out.alter(g, f, x, altered, miscalculations, true); err != nil {
				return out, err
			}
			if err := out.alter(g, f, x, unseen, misreadings, false); err != nil {
				return out, err
			}
		}
	}
	out.True, out.Altered, out.Unseen = []count{truth}, altered, unseen
	return out, nil
}

func newCounts(kinds []miscalculation) []count {
	out := make([]count, len(kinds))
	for i, k := range kinds {
		out[i].Kind = k.kind
	}
	return out
}

// alter makes one alteration of each kind. Promised are those that must be refused.
func (s *sums) alter(g *gate.Gate, f *miscalculator, x *exercise, counts []count, kinds []miscalculation, promised bool) error {
	for i, k := range kinds {
		w := x.answer.clone()
		if !k.alter(f, x, &w) || w.same(&x.answer) {
			s.NotAltered++
			continue
		}
		v, err := x.judge(g, w)
		if err != nil {
			return err
		}
		counts[i].add(v)
		if promised && accepted(v) {
			s.Slips = append(s.Slips, slip{k.kind, fmt.Sprintf("%s: now %s %s", x, w.Answer, w.Scale), ""})
		}
	}
	return nil
}

func (x *exercise) judge(g *gate.Gate, w worked) (chargehand.Verdict, error) {
	body, err := json.Marshal(w)
	if err != nil {
		return chargehand.Verdict{}, err
	}
	return g.Check(gate.Submission{
		Contract: "worked",
		Task: chargehand.WorkerTask{
			TaskID: "t", Attempt: 1, Goal: x.asked.Text, RequiredAspects: x.rows, ExpectedOutputContract: "worked",
			InputRefs: []chargehand.InputRef{document("page", x.page.text)},
		},
		Result: chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: body},
	}), nil
}
