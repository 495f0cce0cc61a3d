package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
)

const (
	maxKey      = 80     // bytes of a key that outputs are compared by before they are accepted
	digestBytes = 9      // of a value: twelve characters
	maxDiffer   = 20     // keys that are named
	maxPosition = 64_000 // bytes of a position's findings that a reviewer is shown
)

// compare says whether two outputs for the same subtask state the same facts (SPEC.md ·69).
func (j job) compare(ctx context.Context, e supervise.Compare) {
	first, err := j.store.content(ctx, e.First)
	var second []byte
	if err == nil {
		second, err = j.store.content(ctx, e.Second)
	}
	if err != nil {
		j.retry(ctx, e, err)
		return
	}
	in := supervise.Compared{AttemptRef: e.AttemptRef}
	in.Points, in.Differ, in.Agree = alike(j.kit().gate, e.Contract, first, second)
	j.report(in)
}

// alike compares two outputs by the items that their contract lists: a key that only one of them
// names is one they differ in. Outputs without items are alike if they are the same JSON.
func alike(g *gate.Gate, contract string, first, second []byte) (points int, differ []string, agree bool) {
	a, errA := g.Items(contract, first)
	b, errB := g.Items(contract, second)
	if errA != nil || errB != nil || len(a)+len(b) == 0 {
		return 0, nil, sameJSON(first, second)
	}
	t := tally{sides: map[string][]*side{}}
	t.add(supervise.Accepted{Subtask: "1"}, a)
	t.add(supervise.Accepted{Subtask: "2"}, b)
	for _, key := range t.keys {
		if s := t.sides[key]; len(s) < 2 || s[0].value() != s[1].value() {
			differ = append(differ, plain(key))
		}
	}
	return len(t.keys), differ[:min(len(differ), maxDiffer)], len(differ) == 0
}

// stances are what an output says of each key, as conflicts between accepted outputs know it: the side
// that it would be. Keys that a record cannot hold as they are are left out.
func stances(items []gate.Item) []chargehand.Stance {
	t := tally{sides: map[string][]*side{}}
	t.add(supervise.Accepted{}, items)
	var out []chargehand.Stance
	for _, key := range t.keys {
		if len(key) > maxKey || plain(key) != key {
			continue
		}
		sum := sha256.Sum256([]byte(t.sides[key][0].value()))
		out = append(out, chargehand.Stance{Key: key, Says: base64.RawURLEncoding.EncodeToString(sum[:digestBytes])})
	}
	return out
}

// sameJSON reports whether two texts are the same JSON value, whatever the order of members.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, okX := canonical(a)
	y, okY := canonical(b)
	return okX && okY && bytes.Equal(x, y)
}

// canonical is JSON with sorted members and its numbers as written.
func canonical(b []byte) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	out, err := json.Marshal(v)
	return out, err == nil
}

// positions are what a reviewer is shown of a debate.
func (j job) positions(ctx context.Context, list []supervise.Shown) ([]chargehand.ReviewedPosition, error) {
	var out []chargehand.ReviewedPosition
	for _, s := range list {
		var p chargehand.ReviewedPosition
		var err error
		if p.Output, err = j.store.text(ctx, s.Output); err != nil {
			return nil, err
		}
		if s.Verdict != "" {
			if p.Findings, err = j.findings(ctx, s.Verdict); err != nil {
				return nil, err
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// findings are what the gate has to say of an output, as JSON.
func (j job) findings(ctx context.Context, ref string) (string, error) {
	body, err := j.store.content(ctx, ref)
	if err != nil {
		return "", err
	}
	var v chargehand.Verdict
	if err := json.Unmarshal(body, &v); err != nil {
		return "", err
	}
	short, err := json.Marshal(struct {
		Recommendation chargehand.Recommendation `json:"recommendation"`
		Score          float64                   `json:"score"`
		Issues         []chargehand.Finding      `json:"issues,omitempty"`
	}{v.Recommendation, v.Score, v.Issues})
	if len(short) > maxPosition {
		short, err = json.Marshal(struct {
			Recommendation chargehand.Recommendation `json:"recommendation"`
			Score          float64                   `json:"score"`
		}{v.Recommendation, v.Score})
	}
	return string(short), err
}

// judged is a task as the gate looks at it: without the positions of a debate and what was accepted
// against them, which are nothing that an output could rest on.
func judged(t chargehand.WorkerTask) chargehand.WorkerTask {
	if slices.ContainsFunc(t.InputRefs, ofDebate) {
		t.InputRefs = slices.DeleteFunc(slices.Clone(t.InputRefs), ofDebate)
	}
	return t
}

func ofDebate(r chargehand.InputRef) bool { return r.From == chargehand.FromDebate }
