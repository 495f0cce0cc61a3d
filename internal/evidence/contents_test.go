package evidence

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// TestBothVerifiersAskForEveryContent has a run with a record of every type, in which every text is
// the hash of a content of its own. What is named, and what is only a hash among words, both
// verifiers must see alike; and whatever of it is missing, both must miss.
func TestBothVerifiersAskForEveryContent(t *testing.T) {
	s := newShelf(t)
	for seq, f := range everyFact(t, s) {
		s.add(t, s.Run, int64(len(s.Lines)+1), f)
		if len(s.Lines) != 9+seq {
			t.Fatal("a record is not in the run")
		}
	}
	s.sign(t)
	pack := s.pack(t, Options{})
	r := check(pack, s.trust())
	if r.Verdict != audit.Intact {
		t.Fatal(complaints(r))
	}
	if ok, out := python(t, pack, s.key.Public()); !ok {
		t.Fatalf("the script names other contents: %s", out)
	}
	told := map[string]bool{}
	for _, a := range r.Manifest.Artifacts {
		what := fmt.Sprintf("%s of a %s", a.Kind, typeOf(t, s.Lines[a.Seq-1]))
		if told[what] {
			continue
		}
		told[what] = true
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			without := s.forge(t, pack, func(p map[string]string, _ *Manifest) { delete(p, inPack(a.Hash)) })
			if r := check(without, s.trust()); r.Verdict != audit.Damaged || r.Findings[0].Check != "artifacts" {
				t.Errorf("nobody misses it: %s", complaints(r))
			}
			if ok, out := python(t, without, s.key.Public()); ok {
				t.Errorf("the script is content: %s", out)
			}
		})
	}
	for _, want := range []string{"transcript of a attempt_failed", "plan of a review_decided", "plan of a plan_asked", "output of a review_opened"} {
		if !told[want] {
			t.Errorf("no %s is in the pack", want)
		}
	}
}

func typeOf(t *testing.T, line []byte) string {
	t.Helper()
	var r chargehand.Record
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatal(err)
	}
	return r.Type()
}

// everyFact is one fact of each type in the table of types, which is read from its source.
func everyFact(t *testing.T, s *shelf) []chargehand.Fact {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "record.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []chargehand.Fact
	for _, m := range regexp.MustCompile(`kind\[\w+\]\("(\w+)"\)`).FindAllStringSubmatch(string(source), -1) {
		var r chargehand.Record
		if err := json.Unmarshal(fmt.Appendf(nil, `{"run":"r","seq":1,"at":"2026-11-21T14:00:00Z","type":%q,"data":{}}`, m[1]), &r); err != nil {
			t.Fatal(err)
		}
		v := reflect.New(reflect.TypeOf(r.Fact)).Elem()
		s.hashes(v, m[1], 0)
		f := v.Interface().(chargehand.Fact)
		if e, ok := f.(chargehand.RunEnded); ok {
			result := `{"runId":"run_1","output":{"a":2},"items":[],"gaps":[],"conflicts":[],"resultHash":"x"}`
			e.Result, e.ResultHash = s.keep(result), must(ResultHash([]byte(result)))
			f = e
		}
		out = append(out, f)
	}
	if len(out) < 50 {
		t.Fatalf("%d types of facts", len(out))
	}
	return out
}

// hashes puts the hash of a content into every plain text of a value, lists of one element included.
func (s *shelf) hashes(v reflect.Value, path string, depth int) {
	if depth > 6 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(s.keep("content " + path))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		s.hashes(v.Elem(), path, depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		s.hashes(v.Index(0), path, depth+1)
	case reflect.Struct:
		if strings.HasPrefix(v.Type().String(), "time.") {
			return
		}
		for i := range v.NumField() {
			s.hashes(v.Field(i), path+"."+v.Type().Field(i).Name, depth+1)
		}
	}
}
