package evidence

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

var at = time.Date(2026, 11, 21, 14, 11, 30, 0, time.UTC)

// A shelf is a log with one run in it, among records of others.
type shelf struct {
	Source
	tree   audit.Tree
	tiles  map[[2]int64][]byte
	blobs  map[string][]byte
	key    audit.Key
	stream int64
}

func newShelf(t testing.TB) *shelf {
	t.Helper()
	key, err := audit.NewKey("chargehand.test/log")
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{key: key, tiles: map[[2]int64][]byte{}, blobs: map[string][]byte{}}
	s.Source = Source{Run: "run_1", Key: key, Hashes: s.tile, Content: s.content}
	s.noise(t, 3)
	s.story(t)
	s.noise(t, 300)
	s.sign(t)
	return s
}

func (s *shelf) tile(level int, n int64) ([]byte, error) {
	return s.tiles[[2]int64{int64(level), n}], nil
}

func (s *shelf) content(_ context.Context, hash string) ([]byte, error) {
	b, ok := s.blobs[hash]
	if !ok {
		return nil, fmt.Errorf("there is no %s", hash)
	}
	return b, nil
}

func (s *shelf) keep(text string) string {
	hash := chargehand.Hash([]byte(text))
	s.blobs[hash] = []byte(text)
	return hash
}

// add appends a record of a run to the log.
func (s *shelf) add(t testing.TB, run string, seq int64, f chargehand.Fact) {
	t.Helper()
	line, err := chargehand.Record{Run: run, Seq: seq, At: at.Add(time.Duration(s.tree.Size()) * time.Millisecond), Fact: f}.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if run == s.Run {
		s.Lines, s.Leaves = append(s.Lines, line), append(s.Leaves, s.tree.Size())
	}
	for _, p := range s.tree.Grow([]audit.Hash{audit.Leaf(line)}) {
		k := [2]int64{int64(p.Level), p.At / audit.Width}
		s.tiles[k] = append(s.tiles[k], p.Hashes...)
	}
}

func (s *shelf) noise(t testing.TB, n int) {
	for range n {
		s.stream++
		s.add(t, "fleet", s.stream, chargehand.LeaseFreed{Epoch: s.stream, Outcome: chargehand.OutcomeFine})
	}
}

// story is a run with a review.
func (s *shelf) story(t testing.TB) {
	ref := chargehand.AttemptRef{Subtask: "s1", Attempt: 1}
	output := s.keep(`{"cap":"EUR 5,000,000"}`)
	result := `{"runId":"run_1","output":{"a":1},"items":[],"gaps":[],"conflicts":[],"resultHash":"x"}`
	hash, err := ResultHash([]byte(result))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range []chargehand.Fact{
		chargehand.RunStarted{
			Objective: chargehand.Objective{Title: "Review <b>", Documents: []chargehand.Document{{Name: "a.txt", MediaType: "text/plain", Hash: s.keep("the contract")}}},
			Team:      "legal", TeamDigest: s.keep(`{"team":"legal"}`), Format: 1, StartedBy: "sam",
		},
		chargehand.PlanAdopted{Version: 1, Subtasks: 1, Source: "template"},
		chargehand.SubtasksPlanned{Version: 1, Subtasks: []chargehand.Subtask{{ID: "s1", Label: "Cap", Goal: "Find the cap."}}},
		chargehand.AttemptStarted{AttemptRef: ref, Worker: "reader", Version: "1", DeadlineAt: at.Add(time.Minute)},
		chargehand.OutputChecked{
			AttemptRef: ref, Output: output, Size: 3, Summary: "see " + chargehand.Hash([]byte("elsewhere")),
			Verdict: chargehand.Verdict{Recommendation: chargehand.Reject, Issues: []chargehand.Finding{{ID: "f1", Message: "the source says EUR 500,000"}}},
		},
		chargehand.ReviewOpened{Review: chargehand.Review{
			ID: "rev_1", TaskID: "s1", Subject: chargehand.SubjectOutput, Action: "use the output", Description: "Cap: failed its check twice",
			OutputRef: output, ContentHash: output, Deadline: at.Add(time.Hour), Auto: chargehand.AutoReject,
		}},
		chargehand.ReviewDecided{Decision: chargehand.Decision{ReviewID: "rev_1", Approver: "ana", ContentHash: output, Comment: "wrong\u202e amount", Timestamp: at}},
		chargehand.RunEnded{State: chargehand.RunPartial, Stop: chargehand.StopComplete, Result: s.keep(result), ResultHash: hash},
	} {
		s.add(t, s.Run, int64(i+1), f)
		if i == 3 {
			s.noise(t, 2)
		}
	}
}

// sign makes a checkpoint of the log as it is.
func (s *shelf) sign(t testing.TB) {
	t.Helper()
	note, err := s.key.SignCheckpoint(s.tree.Checkpoint(s.key.Name()))
	if err != nil {
		t.Fatal(err)
	}
	s.Checkpoint = note
}

func (s *shelf) pack(t testing.TB, opt Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, s.Source, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s *shelf) trust() Trust { return Trust{Key: s.key.Public()} }

func check(b []byte, t Trust) *Report { return Verify(bytes.NewReader(b), int64(len(b)), t) }

func complaints(r *Report) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s/%s %d: %s", f.Check, f.Kind, f.Seq, f.What))
	}
	return strings.Join(out, "\n")
}

func TestPackVerifies(t *testing.T) {
	s := newShelf(t)
	b := s.pack(t, Options{By: "iris", At: at})
	if !bytes.Equal(b, s.pack(t, Options{By: "iris", At: at})) {
		t.Error("the same run gives other bytes")
	}
	r := check(b, s.trust())
	if r.Verdict != audit.Intact {
		t.Fatal(complaints(r))
	}
	for _, c := range r.Checks {
		if c.Status != audit.Passed && c.Name != "witness" {
			t.Errorf("%s: %s", c.Name, c.Status)
		}
		if c.Proved == "" && c.NotProved == "" {
			t.Errorf("%s says neither what it proves nor what not", c.Name)
		}
	}
	if m := r.Manifest; m.Records != 8 || len(m.Artifacts) != 4 || m.Title != "Review <b>" || m.ExportedBy != "iris" {
		t.Errorf("manifest: %+v", m)
	}
	without := check(b, Trust{})
	if without.Verdict != audit.Intact || without.KeyGiven {
		t.Errorf("without a key: %s", complaints(without))
	}
	for _, c := range without.Checks {
		if c.Name == "signature" && (c.Status != audit.Warned || !strings.Contains(c.NotProved, "--key")) {
			t.Errorf("a key from the pack is believed: %+v", c)
		}
	}
}

// apart takes a pack apart.
func apart(t testing.TB, b []byte) ([]string, map[string]string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	out := map[string]string{}
	for _, f := range z.File {
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(rc)
		if err != nil {
			t.Fatal(err)
		}
		order, out[f.Name] = append(order, f.Name), string(body)
	}
	return order, out
}

func zipped(t testing.TB, order []string, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range order {
		body, ok := parts[name]
		if !ok {
			continue
		}
		if err := store(z, name, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
