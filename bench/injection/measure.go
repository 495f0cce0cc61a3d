package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// batch is how many runs one engine has.
const batch = 300

// measure performs every case in every place.
func measure(ctx context.Context, o options, attacks []attack) (r *report, err error) {
	began := time.Now()
	w, err := newWorld(attacks)
	if err != nil {
		return nil, err
	}
	defer w.close()
	r = newReport(o.places, attacks)
	controls, err := w.controls(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("run without attacks: %w", err)
	}
	document, _ := placeOf("document")
	if r.Noticed, err = w.sighted(ctx, document, controls[document.name]); err != nil {
		return nil, err
	}
	if err := w.confide(ctx); err != nil {
		return nil, fmt.Errorf("tell a program and a service their keys: %w", err)
	}
	var list []*trial
	for _, p := range o.places {
		for n := range attacks {
			list = append(list, &trial{place: p, n: n})
		}
	}
	for len(list) > 0 {
		part := list[:min(batch, len(list))]
		list = list[len(part):]
		if err := w.perform(ctx, o, part, controls, r); err != nil {
			return nil, err
		}
	}
	r.unseen(w)
	r.leaks(w)
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

// controls are the runs without an attack: those of the places, and that of the proof.
func (w *world) controls(ctx context.Context, o options) (map[string]profile, error) {
	s, err := w.open(ctx, false)
	if err != nil {
		return nil, err
	}
	document, _ := placeOf("document")
	list := []*trial{{place: document, n: -1}}
	for _, p := range o.places {
		if p.name != document.name {
			list = append(list, &trial{place: p, n: -1})
		}
	}
	err = s.performAll(ctx, list, o.atOnce)
	out, runs := map[string]profile{}, []string{}
	for _, t := range list {
		runs = append(runs, t.run)
		if err == nil {
			out[t.place.name] = profileOf(t)
			err = completed(t)
		}
	}
	if err := errors.Join(err, s.end(ctx, runs)); err != nil {
		return nil, err
	}
	w.tools.taken()
	return out, nil
}

// completed is an error where a run without an attack did not go through.
func completed(t *trial) error {
	why := ""
	for _, r := range t.records {
		switch f := r.Fact.(type) {
		case chargehand.AttemptFailed:
			why = f.Message
		case chargehand.RunEnded:
			if f.State == chargehand.RunCompleted {
				return nil
			}
			return fmt.Errorf("%s ended as %s: %s", t.place.tag(t.n), f.State, why)
		}
	}
	return fmt.Errorf("%s did not end", t.place.tag(t.n))
}

// perform runs a batch in an engine of its own.
func (w *world) perform(ctx context.Context, o options, list []*trial, controls map[string]profile, r *report) error {
	s, err := w.open(ctx, false)
	if err != nil {
		return err
	}
	err = s.performAll(ctx, list, o.atOnce)
	sampled, places := []string{}, map[string]bool{}
	for _, t := range list {
		if !places[t.place.name] {
			places[t.place.name] = true
			sampled = append(sampled, t.run)
		}
	}
	if err := errors.Join(err, s.end(ctx, sampled)); err != nil {
		return err
	}
	of := map[string]*trial{}
	for _, t := range list {
		of[t.run] = t
		r.take(w, t, inspect(t, controls[t.place.name], w.attacks[t.n].id))
	}
	r.add(w.overheard(s.log.bytes(), list)...)
	calls := w.tools.taken()
	r.through(w, calls, of)
	r.add(effects(calls, of, func(t *trial) string { return w.attacks[t.n].id })...)
	r.Packs += len(sampled)
	return nil
}
