package main

import (
	"bytes"
	"testing"
)

// TestKilledRunsRepeatNothingFinished kills two small runs with SIGKILL and resumes them.
func TestKilledRunsRepeatNothingFinished(t *testing.T) {
	t.Setenv("BENCH_DB_DIR", t.TempDir())
	list, err := trials(t.Context(), 10, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Answered < 5 || r.Kept == 0 || r.Kept > r.Answered || r.KeptAgain != 0 || r.Calls != 25+r.Again {
			t.Errorf("%+v", r)
		}
	}
	if err := printTrials(&bytes.Buffer{}, list, false); err != nil {
		t.Error(err)
	}
	list[0].KeptAgain = 1
	if err := printTrials(&bytes.Buffer{}, list, true); err == nil {
		t.Error("a finished call was made again, and nobody was told")
	}
}
