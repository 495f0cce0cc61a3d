package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/evidence"
)

// A trial is the run of one case in one place; n below 0 is the one without an attack.
type trial struct {
	place   place
	n       int
	run     string
	records []chargehand.Record
}

// perform starts a trial's run and follows it until it has ended, or only a person could go on.
func (s *stage) perform(ctx context.Context, t *trial) (err error) {
	if t.run, err = s.Start(ctx, s.world.order(t.place, t.n)); err != nil {
		return fmt.Errorf("start %s: %w", t.place.tag(t.n), err)
	}
	for r, err := range s.Records(ctx, t.run, 0, true) {
		if err != nil {
			return fmt.Errorf("follow %s: %w", t.place.tag(t.n), err)
		}
		if f, ok := r.Fact.(chargehand.ReviewOpened); ok && f.Review.Subject == chargehand.SubjectPlan {
			break
		}
	}
	return context.Cause(ctx)
}

// read takes in a trial's records, and looks for secrets in them and in all that they name.
func (s *stage) read(ctx context.Context, t *trial, known map[string]bool) error {
	secrets := s.world.secrets
	t.records = nil
	for r, err := range s.Records(ctx, t.run, 0, false) {
		if err != nil {
			return fmt.Errorf("read %s: %w", t.place.tag(t.n), err)
		}
		t.records = append(t.records, r)
		line, err := json.Marshal(r.Fact)
		if err != nil {
			return err
		}
		secrets.search(line, "a record")
		for _, c := range chargehand.Contents(r.Fact) {
			if known[c.Hash] {
				continue
			}
			known[c.Hash] = true
			body, err := s.Blob(ctx, c.Hash)
			if err != nil {
				return fmt.Errorf("read what a record of %s names: %w", t.place.tag(t.n), err)
			}
			secrets.search(body, "content")
		}
	}
	res, err := s.Result(ctx, t.run)
	if err != nil {
		return fmt.Errorf("read the result of %s: %w", t.place.tag(t.n), err)
	}
	body, err := json.Marshal(res)
	secrets.search(body, "a result")
	return err
}

// performAll does trials at the same time.
func (s *stage) performAll(ctx context.Context, list []*trial, atOnce int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan *trial)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for t := range next {
				if err := s.perform(ctx, t); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, t := range list {
		select {
		case next <- t:
		case <-ctx.Done():
		}
	}
	close(next)
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, t := range list {
		if err := s.read(ctx, t, known); err != nil {
			return err
		}
	}
	return nil
}

// packs writes the evidence packs of runs, and looks through them.
func (s *stage) packs(ctx context.Context, runs []string) (err error) {
	look, err := local.LookAt(ctx, filepath.Join(s.dir, "data"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, look.Close()) }()
	for _, run := range runs {
		src, err := look.Evidence(ctx, run, "")
		if err != nil {
			return fmt.Errorf("pack %s: %w", run, err)
		}
		var pack bytes.Buffer
		if _, err := evidence.Write(ctx, &pack, *src, evidence.Options{}); err != nil {
			return fmt.Errorf("pack %s: %w", run, err)
		}
		if err := s.unpack(pack.Bytes()); err != nil {
			return fmt.Errorf("read the pack of %s: %w", run, err)
		}
	}
	return nil
}

func (s *stage) unpack(pack []byte) error {
	z, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		s.world.secrets.search(body, "an evidence pack")
	}
	return nil
}
