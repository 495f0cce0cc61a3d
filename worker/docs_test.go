package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/secret"
)

var block = regexp.MustCompile("(?s)\n```([a-z ]+?)(?: file=[^ \n]+)?\n(.*?)\n```\n")

// snippets are the code blocks of the manual in one language.
func snippets(t *testing.T, language string) []string {
	t.Helper()
	b, err := os.ReadFile("../docs/workers.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range block.FindAllStringSubmatch(string(b), -1) {
		if m[1] == language {
			all = append(all, m[2])
		}
	}
	if len(all) == 0 {
		t.Fatalf("no %s in the manual", language)
	}
	return all
}

// The manual's task has every field there is, and no other.
func TestDocsTask(t *testing.T) {
	task := docsTask(t)
	empty := func(v reflect.Value) {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("the manual's task does not show %s.%s", v.Type().Name(), v.Type().Field(i).Name)
			}
		}
	}
	empty(reflect.ValueOf(task))
	for _, ref := range task.InputRefs {
		if ref.Hash != chargehand.Hash([]byte(ref.Text)) || ref.Size != int64(len(ref.Text)) {
			t.Errorf("%s: hash or size is not that of its text", ref.Name)
		}
	}
	again, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if json.Unmarshal([]byte(snippets(t, "json task")[0]), &want) != nil || json.Unmarshal(again, &got) != nil {
		t.Fatal("not JSON")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func docsTask(t *testing.T) chargehand.WorkerTask {
	t.Helper()
	var task chargehand.WorkerTask
	d := json.NewDecoder(strings.NewReader(snippets(t, "json task")[0]))
	d.DisallowUnknownFields()
	if err := d.Decode(&task); err != nil {
		t.Fatal(err)
	}
	return task
}

func TestDocsResults(t *testing.T) {
	for i, want := range []chargehand.ResultStatus{chargehand.StatusSucceeded, chargehand.StatusPartial} {
		r, err := decode(someTask(), []byte(snippets(t, "json result")[i]), &secret.Values{})
		if err != nil || r.Status != want || len(r.Output) == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	v, err := DecodeVerdict([]byte(snippets(t, "json verdict")[0]))
	if err != nil || v.Recommendation != chargehand.Reject || v.Rework != chargehand.Revise {
		t.Errorf("%+v, %v", v, err)
	}
	var review chargehand.ReviewerTask
	d := json.NewDecoder(strings.NewReader(snippets(t, "json review")[0]))
	d.DisallowUnknownFields()
	if err := d.Decode(&review); err != nil || len(review.Criteria) == 0 {
		t.Errorf("%+v, %v", review, err)
	}
}

// The manual's programs are workers.
func TestDocsPrograms(t *testing.T) {
	task := docsTask(t)
	for _, tt := range []struct{ language, program, want string }{
		{"python program", "python3", `^\{"clauses": \[\{"key": "payment term", "answer": "30 days", "quote": "within 30 days", .*"start": 13, "end": 27\}, \{.*"14 days", .*\]\}$`},
		{"sh program", "sh", `^\{"freeKiB": [0-9]+\}$`},
	} {
		t.Run(tt.program, func(t *testing.T) {
			if _, err := exec.LookPath(tt.program); err != nil {
				t.Skip(err)
			}
			file := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(file, []byte(snippets(t, tt.language)[0]), 0o600); err != nil {
				t.Fatal(err)
			}
			spec := &chargehand.WorkerSpec{WorkerID: "clauses", Kind: chargehand.KindExec, Exec: &chargehand.ExecKind{Command: []string{tt.program, file}}}
			w, err := FromSpec(spec, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.Do(t.Context(), task)
			if err != nil || !regexp.MustCompile(tt.want).Match(r.Output) {
				t.Fatalf("%s, %v", r.Output, err)
			}
		})
	}
}

// The manual's Go compiles, and is formatted.
func TestDocsGo(t *testing.T) {
	program, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("compiles with the go command")
	}
	for i, source := range snippets(t, "go") {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(source+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if formatted, err := format.Source([]byte(source)); err != nil || string(formatted) != source+"\n" {
				t.Errorf("not formatted (%v), want:\n%s", err, formatted)
			}
			cmd := exec.Command(program, "vet", file)
			cmd.Dir = ".."
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, bytes.TrimSpace(out))
			}
		})
	}
}
