package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
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
	if last := l.Task.LastOutput; last != nil && err == nil {
		refs := []chargehand.InputRef{*last}
		err = j.fill(ctx, refs)
		l.Task.LastOutput = &refs[0]
	}
	if err == nil {
		err = unfit(k.gate.CheckInput(l.Task.AssignedWorker, l.Task.Input))
	}
	if err != nil {
		c := crash(ref, l.Epoch, chargehand.Usage{}, err)
		c.NotBegun = true
		j.report(c)
		return
	}
	if l.Once {
		ctx = worker.Once(ctx)
	}
	line := j.wire(&l)
	var res chargehand.WorkerResult
	j.await(func() { res, err = k.workers[l.Task.AssignedWorker].Do(worker.WithLine(ctx, line), l.Task) })
	if h := j.hands; h.ctx.Err() != nil {
		return // the engine is closing: the attempt is pursued again
	}
	j.tell(l.Task.AssignedWorker, err)
	raw, ok := output(res, err)
	a := line.upshot()
	switch {
	case a.stopped != nil:
		res.Status, res.Output = chargehand.StatusPartial, a.text
		j.deliver(l, res, finding{verdict: *a.stopped})
	case ok:
		j.check(ctx, k, l, res, raw, err)
	default:
		j.fail(ctx, l, res, a, err)
	}
}

// fail reports an attempt that came to no output. What its worker says it did until then is kept.
func (j job) fail(ctx context.Context, l supervise.Launch, res chargehand.WorkerResult, a upshot, err error) {
	said, stderr := j.said(res.Transcript), j.words(res.Stderr)
	if j.hands.ctx.Err() != nil {
		return // the engine is closing: the attempt is pursued again
	}
	kept := append(said, stderr...)
	ref := chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}
	if ctx.Err() != nil {
		j.report(supervise.Stopped{
			AttemptRef: ref, Epoch: l.Epoch, Usage: res.Usage, NotBegun: notBegun(err), Tools: plainTools(res.Tools),
			Transcript: hashOf(said), Stderr: hashOf(stderr),
		}, kept...)
		return
	}
	c := crash(ref, l.Epoch, res.Usage, err)
	c.Tools, c.Transcript, c.Stderr = plainTools(res.Tools), hashOf(said), hashOf(stderr)
	if a.denied {
		c.Cause, c.NotBegun = chargehand.CauseBudget, a.unpaid && res.Usage == chargehand.Usage{}
	}
	j.report(c, kept...)
}

const maxTranscript = 8 << 20 // bytes; that of a result that came is bounded by its worker

// said is the transcript of an attempt that failed, to be made durable; empty where there is none. It
// came with an error, so nobody has looked at it yet.
func (j job) said(transcript json.RawMessage) []blob {
	if len(transcript) == 0 || len(transcript) > maxTranscript || !json.Valid(transcript) {
		return nil
	}
	b, err := j.keep(transcript)
	if err != nil {
		j.log.Error("a transcript is not kept", "run", j.run, "error", err)
		return nil
	}
	return []blob{b}
}

const maxStderr = 16 << 10 // bytes; an exec worker keeps 4 KiB, and escapes make them more

// words is the end of what an attempt's program wrote to stderr, to be made durable; empty where it wrote
// nothing.
func (j job) words(stderr string) []blob {
	lines := strings.Split(strings.ToValidUTF8(stderr[max(0, len(stderr)-maxStderr):], ""), "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	if stderr = strings.Join(lines, "\n"); stderr == "" {
		return nil
	}
	b, err := j.keep([]byte(stderr))
	if err != nil {
		j.log.Error("the stderr of an attempt is not kept", "run", j.run, "error", err)
		return nil
	}
	return []blob{b}
}

// hashOf is the hash of the blob, empty where there is none.
func hashOf(list []blob) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].hash
}

// fill puts the texts of a task's inputs in.
func (j job) fill(ctx context.Context, refs []chargehand.InputRef) error {
	for i := range refs {
		text, err := j.store.text(ctx, refs[i].Hash)
		if err != nil {
			return fmt.Errorf("read input %s: %w", refs[i].Name, err)
		}
		refs[i].Text, refs[i].Size = text, int64(len(text))
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
	c.NotBegun, c.Final = notBegun(err), ok && e.Kind == worker.Refused
	return c
}

// notBegun reports whether a call that failed certainly did nothing: it was not sent, or was turned
// away.
func notBegun(err error) bool {
	e, ok := errors.AsType[*worker.Error](err)
	return ok && e.NotBegun
}

// crashed is a crash of the engine's own code around an attempt.
func crashed(l supervise.Launch, why string) supervise.Crashed {
	return supervise.Crashed{
		AttemptRef: chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}, Epoch: l.Epoch,
		Cause: chargehand.CauseCrash, Message: why,
	}
}

// cutOff says that a model's answer ends before its end; empty where it does not.
func cutOff(err error) string {
	if e, ok := errors.AsType[*worker.Error](err); ok && errors.Is(err, worker.ErrCutOff) {
		return e.Error()
	}
	return ""
}

// noResult says why what a worker wrote is no result; empty where it is one.
func noResult(err error) string {
	if err == nil {
		return ""
	}
	return plain(err.Error())
}

// check puts an output through the gate and reports both. Where it came with an error, that is why it
// is rejected.
func (j job) check(ctx context.Context, k *kit, l supervise.Launch, res chargehand.WorkerResult, raw []byte, err error) {
	if res.Status == "" {
		res.Status = chargehand.StatusSucceeded
	}
	res.Output = raw
	//guard:gate-always off=v = chargehand.Verdict{SchemaPass: true, CompletenessPass: true, ConsistencyPass: true, Score: 1, Recommendation: chargehand.Accept}
	v, items := k.gate.CheckItems(gate.Submission{
		Contract: l.Task.ExpectedOutputContract, Task: judged(l.Task), Result: res,
		Facts: l.Facts, AllowPartial: l.Partial, CutOff: cutOff(err), NoResult: noResult(err), Unwanted: j.unwanted(ctx),
	})
	if v.Recommendation == "" {
		j.unchecked(ctx, l, res)
		return
	}
	f := finding{verdict: v}
	if v.Recommendation == chargehand.Accept {
		f.items = &itemList{k, l.Task.ExpectedOutputContract, items}
	} else if l.Stances {
		items, _ = k.gate.Items(l.Task.ExpectedOutputContract, raw) // a person may accept it; what cannot be read has none
	}
	if l.Stances {
		f.stances = stances(items)
	}
	j.deliver(l, res, f)
}

// What the gate may do for an output is bounded in steps. Time is a backstop.
const (
	gateTime = time.Minute            // in all: only a defect takes that long
	lateTime = 500 * time.Millisecond // once the attempt was stopped: until then the output is evidence
)

// unwanted reports that the gate's verdict on an output of the attempt comes too late.
func (j job) unwanted(ctx context.Context) func() bool {
	begun := time.Now()
	var late time.Time
	return func() bool {
		now := time.Now()
		if ctx.Err() != nil && late.IsZero() {
			late = now
		}
		return j.hands.ctx.Err() != nil || now.Sub(begun) > gateTime || !late.IsZero() && now.Sub(late) > lateTime
	}
}

// unchecked reports an attempt whose output the gate did not come to the end of.
func (j job) unchecked(ctx context.Context, l supervise.Launch, res chargehand.WorkerResult) {
	switch {
	case j.hands.ctx.Err() != nil: // the engine is closing: the attempt is pursued again
	case ctx.Err() != nil:
		j.fail(ctx, l, res, upshot{}, context.Cause(ctx))
	default:
		j.log.Error("the gate does not come to an end", "run", j.run, "subtask", l.Task.TaskID, "contract", l.Task.ExpectedOutputContract)
		c := crashed(l, fmt.Sprintf("the gate did not come to an end within %s: this is an error of chargehand's, not of the worker's", gateTime))
		c.Usage, c.Tools = res.Usage, plainTools(res.Tools)
		j.report(c)
	}
}

// A finding is what the gate has to say of an output.
type finding struct {
	verdict chargehand.Verdict
	items   *itemList           // of one that is accepted
	stances []chargehand.Stance // where they are asked for
}

// deliver reports an output with the gate's word on it. What the worker says it did is kept beside.
func (j job) deliver(l supervise.Launch, res chargehand.WorkerResult, f finding) {
	ref := chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}
	verdict, err := json.Marshal(f.verdict)
	if err != nil {
		j.report(crash(ref, l.Epoch, res.Usage, err))
		return
	}
	bodies := [][]byte{res.Output, verdict}
	if len(res.Transcript) > 0 {
		bodies = append(bodies, res.Transcript)
	}
	var blobs []blob
	for _, body := range bodies {
		b, err := j.keep(body)
		if j.hands.ctx.Err() != nil {
			return // the engine is closing: the attempt is pursued again
		}
		if err != nil {
			j.report(crash(ref, l.Epoch, res.Usage, err))
			return
		}
		blobs = append(blobs, b)
	}
	if blobs[1].cold = true; f.items != nil {
		blobs[0].made = f.items
	}
	in := supervise.Finished{
		AttemptRef: ref, Epoch: l.Epoch, Status: res.Status, Output: blobs[0].hash, InputHash: inputHash(l.Task),
		Size: len(res.Output), Summary: plain(res.Summary), Verdict: f.verdict, VerdictRef: blobs[1].hash, Confidence: res.Confidence,
		Usage: res.Usage, Blockers: plains(res.Blockers), Evidence: plains(res.EvidenceRefs), Tools: plainTools(res.Tools), Stances: f.stances,
	}
	if len(blobs) > 2 {
		in.Transcript = blobs[2].hash
	}
	stderr := j.words(res.Stderr)
	if j.hands.ctx.Err() != nil {
		return // the engine is closing: the attempt is pursued again
	}
	in.Stderr = hashOf(stderr)
	j.report(in, append(blobs, stderr...)...)
}

// An itemList is an accepted output as aggregates read it, under one contract of a team.
type itemList struct {
	kit      *kit
	contract string
	items    []gate.Item
}

// keep is content to be made durable, once there is space for it: what a worker has done is not
// done again because the disk was full.
func (j job) keep(body []byte) (blob, error) {
	for {
		b, err := j.store.keep(body)
		if err == nil || !full(err) {
			return b, err
		}
		j.log.Error("an output waits for space", "run", j.run, "error", err)
		if !pause(j.hands.ctx, respite) {
			return b, err
		}
	}
}

// inputHash names what a worker was given, the feedback left out.
func inputHash(t chargehand.WorkerTask) string {
	var b []byte
	line := func(words ...string) {
		for _, w := range words {
			b = append(b, w...)
		}
		b = append(b, '\n')
	}
	line(t.AssignedWorker)
	line(t.Goal)
	line(string(t.Input))
	for _, r := range t.InputRefs {
		line(r.Name, " ", r.Hash)
	}
	return chargehand.Hash(b)
}

const maxPlain = 500 // bytes of a worker's words in a record

// plain is untrusted text as a record may hold it: short, and without characters that steer a
// terminal or hide.
func plain(s string) string {
	s = visible(strings.ToValidUTF8(s, "�"))
	for i := range s {
		if i > maxPlain {
			return s[:i] + "…"
		}
	}
	return s
}

// visible is s with a mark in the place of each character that steers a terminal or hides.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		//guard:plain-words
		if r != ' ' && !unicode.IsGraphic(r) {
			return '·'
		}
		return r
	}, s)
}

func plains(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), 20)] {
		out = append(out, plain(s))
	}
	return out
}
