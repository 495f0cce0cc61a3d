package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/chargehand/chargehand"
)

// A report is everything the command measures.
type report struct {
	Texts    map[string]int            `json:"texts"` // by source
	Rows     []*row                    `json:"rows"`
	Denied   map[chargehand.Denied]int `json:"deniedByExecutors"`    // by cause; of each attempt at most 50 are told
	Noticed  map[string]int            `json:"noticedWithoutGuards"` // by kind
	Counts   map[string]int            `json:"breaches"`             // by kind
	Breaches []breach                  `json:"breachesFound,omitempty"`
	Unseen   []string                  `json:"unseen,omitempty"` // cases whose text reached no model: they show nothing
	Keys     []string                  `json:"secretsInUse"`
	Searched int64                     `json:"bytesSearchedForSecrets"`
	Prompts  int                       `json:"prompts"`
	Packs    int                       `json:"evidencePacks"`
	Seconds  float64                   `json:"seconds"`
	Broken   bool                      `json:"broken"`

	want []place
	all  []attack
}

// A row is what came of the texts of one source in one place.
type row struct {
	Place    string `json:"place"`
	About    string `json:"about"`
	Source   string `json:"source"`
	Cases    int    `json:"cases"`
	Tried    int    `json:"callsTried"`   // of tools, that models wished for
	Through  int    `json:"callsThrough"` // of them, those that reached a tool, within grants
	Refused  int    `json:"callsRefused"`
	Accepted int    `json:"outputsAccepted"` // by the gate
	Rejected int    `json:"outputsRejected"`
	Judged   int    `json:"judgedAccept"`
	NoWord   int    `json:"judgedMalformed"`
	Plans    int    `json:"plansRefused"`
	Asked    int    `json:"askedPerson"` // reviews opened
	Ended    int    `json:"subtasksAccepted"`
}

func newReport(places []place, attacks []attack) *report {
	r := &report{Texts: map[string]int{}, Counts: map[string]int{}, want: places, all: attacks}
	for i := range attacks {
		r.Texts[attacks[i].source]++
	}
	for _, k := range kinds {
		r.Counts[k] = 0
	}
	return r
}

func (r *report) row(p place, source string) *row {
	for _, have := range r.Rows {
		if have.Place == p.name && have.Source == source {
			return have
		}
	}
	made := &row{Place: p.name, About: p.about, Source: source}
	r.Rows = append(r.Rows, made)
	return made
}

func (r *report) add(list ...breach) {
	for _, b := range list {
		r.Counts[b.Kind]++
	}
	r.Breaches = append(r.Breaches, list...)
}

// take counts a trial.
func (r *report) take(w *world, t *trial, found []breach) {
	r.add(found...)
	o := r.row(t.place, w.attacks[t.n].source)
	o.Cases++
	w.models.mu.Lock()
	o.Tried += w.models.wish[t.place.tag(t.n)]
	w.models.mu.Unlock()
	for _, rec := range t.records {
		switch f := rec.Fact.(type) {
		case chargehand.OutputChecked:
			if f.Verdict.Recommendation == chargehand.Accept {
				o.Accepted++
			} else {
				o.Rejected++
			}
		case chargehand.Judged:
			if f.Verdict.Recommendation == chargehand.Accept {
				o.Judged++
			}
		case chargehand.JudgeFailed:
			o.NoWord++
		case chargehand.PlanRefused:
			o.Plans++
		case chargehand.ReviewOpened:
			o.Asked++
		case chargehand.SubtaskEnded:
			if f.State.Accepted() {
				o.Ended++
			}
		}
	}
}

// through counts the calls that reached a tool.
func (r *report) through(w *world, calls []sunk, of map[string]*trial) {
	for _, c := range calls {
		if t := of[c.run]; t != nil {
			r.row(t.place, w.attacks[t.n].source).Through++
		}
	}
	for _, o := range r.Rows {
		o.Refused = o.Tried - o.Through
	}
}

// unseen names the cases that show nothing, since no model saw their text.
func (r *report) unseen(w *world) {
	for _, p := range r.want {
		for n := range r.all {
			if !w.models.seen[p.tag(n)] {
				r.Unseen = append(r.Unseen, p.name+" "+r.all[n].id)
			}
		}
	}
}

// leaks counts secrets and system prompts, and says which secrets were in use.
func (r *report) leaks(w *world) {
	for _, l := range w.secrets.found() {
		r.add(breach{Kind: bySecret, What: l})
	}
	for where := range w.prompts.other {
		r.add(breach{Kind: byPrompt, What: where})
	}
	r.Denied = w.models.denied
	r.Searched, r.Prompts = w.secrets.looked, w.prompts.calls
	r.Keys = []string{workKey, judgeKey, programKey, serviceKey} // the provider lets nobody in without; the others were heard
	if w.tools.keyed {
		r.Keys = append(r.Keys, toolToken)
	}
	if w.elsewhere.keyed {
		r.Keys = append(r.Keys, agentToken)
	}
}

// broken is the promises that do not hold, nil if all do.
func (r *report) broken() error {
	var all []error
	for _, k := range kinds {
		if n := r.Counts[k]; n > 0 {
			all = append(all, fmt.Errorf("%s: %d", k, n))
		}
	}
	if n := len(r.Unseen); n > 0 {
		all = append(all, fmt.Errorf("%d texts reached no model and show nothing, first %s", n, r.Unseen[0]))
	}
	return errors.Join(all...)
}

func (r *report) printJSON(out io.Writer) error {
	r.Broken = r.broken() != nil
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// print writes the report for people, at most 120 columns wide but for breaches.
func (r *report) print(out io.Writer, show int) {
	const heads = "%-17s %-13s %6s %8s %8s %8s %9s %9s %8s %9s %6s %6s\n"
	fmt.Fprintf(out, heads, "", "", "", "calls", "let", "", "outputs", "", "judged", "", "plans", "asked")
	fmt.Fprintf(out, heads, "place", "texts of", "cases", "tried", "through", "refused", "accepted", "rejected", "accept", "malformed", "no", "person")
	total := row{Place: "all"}
	for _, o := range r.Rows {
		printRow(out, o)
		total.plus(o)
	}
	printRow(out, &total)
	fmt.Fprintf(out, "\nexecutors asked past the agent, denied by cause:")
	for _, cause := range slices.Sorted(maps.Keys(r.Denied)) {
		fmt.Fprintf(out, " %s %d", cause, r.Denied[cause])
	}
	fmt.Fprintf(out, "\n\n%-32s %8s %22s\n", "breaches", "found", "with the guards out")
	for _, k := range kinds {
		fmt.Fprintf(out, "%-32s %8d %22d\n", k, r.Counts[k], r.Noticed[k])
	}
	for i, b := range r.Breaches {
		if i == show {
			fmt.Fprintf(out, "… and %d more\n", len(r.Breaches)-i)
			break
		}
		fmt.Fprintf(out, "BREACH %s: %s %s: %s\n", b.Kind, b.Place, b.Case, b.What)
	}
	fmt.Fprintf(out, "\n%d prompts; %d MB of prompts, logs, records, content, results and %d evidence packs searched for the values of\n%v.\n",
		r.Prompts, r.Searched>>20, r.Packs, slices.Sorted(maps.Keys(map[string]bool{bystander: true, workKey: true, judgeKey: true, toolToken: true, agentToken: true, programKey: true, serviceKey: true})))
	fmt.Fprintf(out, "%.0f seconds\n", r.Seconds)
}

func (o *row) plus(b *row) {
	o.Cases, o.Tried, o.Through, o.Refused = o.Cases+b.Cases, o.Tried+b.Tried, o.Through+b.Through, o.Refused+b.Refused
	o.Accepted, o.Rejected, o.Judged, o.NoWord = o.Accepted+b.Accepted, o.Rejected+b.Rejected, o.Judged+b.Judged, o.NoWord+b.NoWord
	o.Plans, o.Asked, o.Ended = o.Plans+b.Plans, o.Asked+b.Asked, o.Ended+b.Ended
}

func printRow(out io.Writer, o *row) {
	fmt.Fprintf(out, "%-17s %-13s %6d %8d %8d %8d %9d %9d %8d %9d %6d %6d\n",
		o.Place, o.Source, o.Cases, o.Tried, o.Through, o.Refused, o.Accepted, o.Rejected, o.Judged, o.NoWord, o.Plans, o.Asked)
}
