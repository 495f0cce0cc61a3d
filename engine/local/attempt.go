package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/worker"
)

// attempt runs a worker and puts what it answers through the gate. Output and findings are
// reported as one input.
func (j job) attempt(ctx context.Context, l supervise.Launch) {
	key := leaseKey{j.run, l.Epoch}
	defer j.disarm(key)
	ref := chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}
	k := j.kit()
	err := j.fill(ctx, l.Task.InputRefs)
	if err == nil {
		err = unfit(k.gate.CheckInput(l.Task.AssignedWorker, l.Task.Input))
	}
	if err != nil {
		j.report(crash(ref, l.Epoch, chargehand.Usage{}, err))
		return
	}
	if l.Once {
		ctx = worker.Once(ctx)
	}
	res, err := k.workers[l.Task.AssignedWorker].Do(ctx, l.Task)
	if h := j.hands; h.ctx.Err() != nil {
		return // the engine is closing: the attempt is pursued again
	}
	raw, ok := output(res, err)
	switch {
	case ok:
		j.check(k, l, res, raw)
	case ctx.Err() != nil:
		j.report(supervise.Stopped{AttemptRef: ref, Epoch: l.Epoch, Usage: res.Usage})
	default:
		j.report(crash(ref, l.Epoch, res.Usage, err))
	}
}

// fill puts the texts of a task's inputs in.
func (j job) fill(ctx context.Context, refs []chargehand.InputRef) error {
	for i := range refs {
		body, err := j.store.content(ctx, refs[i].Hash)
		if err != nil {
			return fmt.Errorf("read input %s: %w", refs[i].Name, err)
		}
		refs[i].Text, refs[i].Size = string(body), int64(len(body))
	}
	return nil
}

// unfit is the error for an input that the worker does not accept (SPEC.md ·56).
func unfit(findings []chargehand.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	return &worker.Error{Kind: worker.Refused, Message: "the worker does not accept the input: " + findings[0].Message, NotBegun: true}
}

// output is what the gate is given: the worker's output, or the bytes that were no result at all.
func output(res chargehand.WorkerResult, err error) ([]byte, bool) {
	if err == nil {
		return res.Output, true
	}
	if e, ok := errors.AsType[*worker.Error](err); ok && e.Kind == worker.Garbage {
		return e.Raw, true
	}
	return nil, false
}

// crash says why an attempt came to nothing. A worker's own word is its error; everything else is
// a crash.
func crash(ref chargehand.AttemptRef, epoch int64, u chargehand.Usage, err error) supervise.Crashed {
	c := supervise.Crashed{AttemptRef: ref, Epoch: epoch, Cause: chargehand.CauseCrash, Message: plain(err.Error()), Usage: u}
	e, ok := errors.AsType[*worker.Error](err)
	if !ok || e.Kind == worker.Refused {
		c.Cause = chargehand.CauseWorkerError
	}
	c.NotBegun = ok && e.NotBegun
	return c
}

// crashed is a crash of the engine's own code around an attempt.
func crashed(l supervise.Launch, why string) supervise.Crashed {
	return supervise.Crashed{
		AttemptRef: chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}, Epoch: l.Epoch,
		Cause: chargehand.CauseCrash, Message: why,
	}
}

// check puts an output through the gate and reports both.
func (j job) check(k *kit, l supervise.Launch, res chargehand.WorkerResult, raw []byte) {
	ref := chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}
	if res.Status == "" {
		res.Status = chargehand.StatusSucceeded
	}
	res.Output = raw
	v := k.gate.Check(gate.Submission{
		Contract: l.Task.ExpectedOutputContract, Task: l.Task, Result: res,
		Facts: l.Facts, AllowPartial: l.Partial,
	})
	verdict, err := json.Marshal(v)
	if err != nil {
		j.report(crash(ref, l.Epoch, res.Usage, err))
		return
	}
	var blobs []blob
	for _, body := range [][]byte{raw, verdict} {
		b, err := j.store.keep(body)
		if err != nil {
			j.report(crash(ref, l.Epoch, res.Usage, err))
			return
		}
		blobs = append(blobs, b)
	}
	j.report(supervise.Finished{
		AttemptRef: ref, Epoch: l.Epoch, Status: res.Status, Output: blobs[0].hash, InputHash: inputHash(l.Task),
		Size: len(raw), Summary: plain(res.Summary), Verdict: v, VerdictRef: blobs[1].hash, Confidence: res.Confidence,
		Usage: res.Usage, Blockers: plains(res.Blockers), Evidence: plains(res.EvidenceRefs),
	}, blobs...)
}

// inputHash names what a worker was given, the feedback left out.
func inputHash(t chargehand.WorkerTask) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", t.AssignedWorker, t.Goal, t.Input)
	for _, r := range t.InputRefs {
		fmt.Fprintf(&b, "%s %s\n", r.Name, r.Hash)
	}
	return chargehand.Hash([]byte(b.String()))
}

const maxPlain = 500 // bytes of a worker's words in a record

// plain is untrusted text as a record may hold it: short, and without characters that steer a
// terminal or hide.
func plain(s string) string {
	s = strings.ToValidUTF8(s, "�")
	s = strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsGraphic(r) {
			return '·'
		}
		return r
	}, s)
	for i := range s {
		if i > maxPlain {
			return s[:i] + "…"
		}
	}
	return s
}

func plains(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), 20)] {
		out = append(out, plain(s))
	}
	return out
}
