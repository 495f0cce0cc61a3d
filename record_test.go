package chargehand

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// declaredFacts reads the names of the types that have a fact method from the package's source.
func declaredFacts(t *testing.T) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "fact" {
				names[f.Recv.List[0].Type.(*ast.Ident).Name] = true
			}
		}
	}
	return names
}

func TestFactTableIsComplete(t *testing.T) {
	declared := declaredFacts(t)
	if len(declared) < 30 {
		t.Fatalf("found %d fact types in the source; the search is broken", len(declared))
	}
	listed := map[string]bool{}
	for _, k := range factKinds {
		listed[k.typ.Name()] = true
		if want := snake(k.typ.Name()); k.name != want {
			t.Errorf("%s is called %q, want %q", k.typ.Name(), k.name, want)
		}
	}
	if diff := cmp.Diff(declared, listed); diff != "" {
		t.Errorf("facts in the source (-) and in the table (+) differ:\n%s", diff)
	}
	if len(factNames) != len(factKinds) || len(factTypes) != len(factKinds) {
		t.Errorf("a type or a name is listed twice")
	}
}

func snake(s string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(s, "${1}_${2}"))
}

func TestEveryFactRoundTrips(t *testing.T) {
	at := time.Date(2026, 11, 21, 14, 11, 30, 120_000, time.UTC)
	for i, k := range factKinds {
		t.Run(k.name, func(t *testing.T) {
			v := reflect.New(k.typ).Elem()
			fill(v, 0)
			want := Record{Run: "run_7h2k", Seq: int64(i + 1), At: at, Fact: v.Interface().(Fact)}
			line, err := want.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			var got Record
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%v\n%s", err, line)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changed on the way (-want +got):\n%s", diff)
			}
			if got.Type() != k.name {
				t.Errorf("Type() = %q, want %q", got.Type(), k.name)
			}
		})
	}
}

// fill gives every exported field a value that differs from the zero value.
func fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes([]byte(`{"a<b":[1,2]}`))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("é\"<x>\n" + v.Type().Name())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(3 + depth))
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), depth+1)
		fill(v.Index(1), depth+1)
	case reflect.Map:
		key, val := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth+1)
		fill(val, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, val)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth+1)
		}
	default:
		panic("fill: " + v.Type().String())
	}
}

func TestRecordLine(t *testing.T) {
	at := time.Date(2026, 11, 21, 15, 11, 30, 0, time.FixedZone("CET", 3600))
	r := Record{Run: "run_1", Seq: 7, At: at, Fact: PauseBegan{By: "olu", Reason: "a < b & c"}}
	got, err := r.AppendJSON([]byte("before "))
	if err != nil {
		t.Fatal(err)
	}
	want := `before {"run":"run_1","seq":7,"at":"2026-11-21T14:11:30.000000Z","type":"pause_began","data":{"by":"olu","reason":"a < b & c"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRecordRefusesUnknownTypes(t *testing.T) {
	var r Record
	err := json.Unmarshal([]byte(`{"run":"run_1","seq":9,"at":"2026-11-21T14:11:30.000000Z","type":"moon_landed","data":{}}`), &r)
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != CodeFormat || !strings.Contains(e.Error(), `"moon_landed"`) {
		t.Errorf("got %v, want an *Error of %s that names the type", err, CodeFormat)
	}
	if _, err := json.Marshal(Record{Run: "run_1", Seq: 1}); err == nil {
		t.Error("a record without a fact was written")
	}
}

// TestQuickReadingReadsTheSame changes lines byte by byte: what is read at a glance is what json
// reads of it, and what json refuses is refused.
func TestQuickReadingReadsTheSame(t *testing.T) {
	r := Record{Run: "run_1", Seq: 70, At: time.Date(2026, 11, 21, 14, 11, 30, 0, time.UTC), Fact: PauseBegan{By: "olu", Reason: "a"}}
	line, err := r.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := cutLine(line); !ok {
		t.Fatal("a line as it is written is not read at a glance")
	}
	try := func(line []byte) {
		var slow recordLine
		want, got := Record{}, Record{}
		errSlow := json.Unmarshal(line, &slow)
		if errSlow == nil {
			errSlow = want.read(slow)
		}
		if err := got.UnmarshalJSON(line); (err == nil) != (errSlow == nil) || err == nil && cmp.Diff(want, got) != "" {
			t.Errorf("%s: read as %+v (%v), json says %+v (%v)", line, got, err, want, errSlow)
		}
	}
	for i := range line {
		for _, c := range []byte("\"\\,:{}[]0+-9eZ. \x00\x80") {
			changed := append([]byte(nil), line...)
			changed[i] = c
			try(changed)
			try(append(append(append([]byte(nil), line[:i]...), c), line[i:]...))
		}
		try(line[:i])
		try(append(append([]byte(nil), line[:i]...), line[i+1:]...))
	}
	for _, tail := range []string{`,"x":1}`, `,"data":{"by":"ana"}}`, ` }`, `}}`, `,"seq":3}`} {
		try(append(append([]byte(nil), line[:len(line)-1]...), tail...))
	}
}

func BenchmarkRecordUnmarshalJSON(b *testing.B) {
	line, err := Record{Run: "run_1", Seq: 7, At: time.Now(), Fact: AttemptStarted{
		AttemptRef: AttemptRef{"s1", 1}, Worker: "w", Version: "1", Epoch: 3, Reserved: 24_000,
	}}.AppendJSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var r Record
		if err := r.UnmarshalJSON(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecordAppendJSON(b *testing.B) {
	r := Record{Run: "run_1", Seq: 7, At: time.Now(), Fact: AttemptStarted{
		AttemptRef: AttemptRef{"s1", 1}, Worker: "w", Version: "1", Epoch: 3, Reserved: 24_000,
	}}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		out, err := r.AppendJSON(dst[:0])
		if err != nil {
			b.Fatal(err)
		}
		dst = out
	}
}
