package cli

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// A forger shows a View that its records do not make.
type forger struct {
	*fake
	view    func(*chargehand.View)
	records func([]chargehand.Record) []chargehand.Record
}

func (f forger) Run(ctx context.Context, run string) (*chargehand.View, error) {
	v, err := f.fake.Run(ctx, run)
	if err == nil && f.view != nil {
		f.view(v)
	}
	return v, err
}

func (f forger) Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[chargehand.Record, error] {
	if f.records == nil {
		return f.fake.Records(ctx, run, after, follow)
	}
	return func(yield func(chargehand.Record, error) bool) {
		f.mu.Lock()
		p, err := f.find(run)
		f.mu.Unlock()
		if err != nil {
			yield(chargehand.Record{}, err)
			return
		}
		for _, r := range f.records(append([]chargehand.Record(nil), p.records...)) {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestReplayNamesTheFirstDivergence(t *testing.T) {
	owned, err := fakeOwn(t.Context(), filepath.Join(t.TempDir(), "data"), Taking{})
	if err != nil {
		t.Fatal(err)
	}
	e := owned.(*fake)
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	a := &app{io: IO{Out: out, Err: out}}
	for _, tt := range []struct {
		name   string
		forger forger
		want   string
	}{
		{"faithful", forger{fake: e}, ""},
		{"money", forger{fake: e, view: func(v *chargehand.View) { v.Spent = 10_000 }}, `$.spentUSD is "0.01", and the records make it "0.02"`},
		{
			"a state deep down",
			forger{fake: e, view: func(v *chargehand.View) { v.Rows[1].State = chargehand.SubtaskAccepted }},
			`$.rows[1].state is "accepted", and the records make it "degraded"`,
		},
		{"a row that is not there", forger{fake: e, view: func(v *chargehand.View) { v.Rows = v.Rows[:1] }}, `$.rows is [`},
		{"a lost record", forger{fake: e, records: func(r []chargehand.Record) []chargehand.Record { return append(r[:3], r[4:]...) }}, "record 5 follows record 3"},
		{"time that runs back", forger{fake: e, records: func(r []chargehand.Record) []chargehand.Record {
			r[2].At = r[1].At.Add(-time.Second)
			return r
		}}, "before record 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := a.replay(t.Context(), &session{Engine: tt.forger}, "run_1")
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("err = %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestInput(t *testing.T) {
	got, err := input([]string{"side=buyer", "n=3", "ok=true", `list=["a"]`, "text=3 apples", "empty=", `quoted="3"`, "x=a=b"})
	want := `{"empty":"","list":["a"],"n":3,"ok":true,"quoted":"3","side":"buyer","text":"3 apples","x":"a=b"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}
