package chargehand

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestFactsAreWrittenAsJSONWritesThem compares every type of fact, filled with the worst there is,
// with encoding/json: its bytes where it writes, its words where it refuses.
func TestFactsAreWrittenAsJSONWritesThem(t *testing.T) {
	for _, k := range factKinds {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := reflect.New(k.typ).Elem()
				draw(t, v, rapid.IntRange(0, 3).Draw(t, "sane") > 0)
				compare(t, v)
			})
		})
	}
}

func compare(t interface {
	Helper()
	Errorf(string, ...any)
}, v reflect.Value,
) {
	t.Helper()
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	errWant := e.Encode(v.Interface())

	s := newSink()
	s.out = []byte("{") // what precedes a value must not matter
	codecOf(v.Type()).write(s, reflect.ValueOf(v.Interface()))
	if fmt.Sprint(s.err) != fmt.Sprint(errWant) {
		t.Errorf("err = %v, json says %v", s.err, errWant)
	}
	if errWant == nil && string(s.out[1:]) != strings.TrimSuffix(want.String(), "\n") {
		t.Errorf("%s", cmp.Diff(want.String(), string(s.out[1:])+"\n"))
	}
}

var texts = rapid.OneOf(
	rapid.SampledFrom([]string{
		"", "plain", `"`, `\`, "\n", "\x00", "\x1f", "\x7f", "\b\f\r\t", "<a href='x'>&amp;</a>", "é", "日本", "😀", "\ufffd", "\ufeff",
		"\u2028", "a\u2029b", "\u2027\u202a", "\xff", "\xc3", "a\xc3(", "\xe2\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "null",
	}),
	rapid.String(),
	rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
)

var (
	floats = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
		0, math.Copysign(0, -1), 1, 0.9, 1e-6, math.Nextafter(1e-6, 0), 1e-7, -1e-9, 1e-10, 1e21, math.Nextafter(1e21, 0), -1e21, 1e300, math.MaxFloat64, 5e-324,
	}))
	notNumbers = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)})
	ints       = rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1, -1, 99_999, 100_000, 1_000_000, math.MinInt64, math.MaxInt64}))
	raws       = rapid.SampledFrom([]string{`{}`, `null`, ` { "a" : [ 1 , 2.50e0 ] } `, `"<é\u00e9` + "\u2028" + `>"`, "[\n]", `7`, "\"\xff\""})
	notJSON    = rapid.SampledFrom([]string{``, `{`, `{"a":}`, `1 2`, `"` + "\n" + `"`})
	zones      = rapid.SampledFrom([]*time.Location{time.UTC, time.Local, time.FixedZone("", 5400), time.FixedZone("odd", -3601)})
	farZones   = rapid.SampledFrom([]*time.Location{time.FixedZone("far", 24*3600), time.FixedZone("farther", -30*3600)})
)

// draw fills v; what is sane is what json can write.
func draw(t *rapid.T, v reflect.Value, sane bool) {
	bad := !sane && rapid.IntRange(0, 9).Draw(t, "bad") == 0
	switch v.Interface().(type) {
	case json.RawMessage:
		if text := either(bad, notJSON, raws).Draw(t, "raw"); rapid.Bool().Draw(t, "there") {
			v.SetBytes([]byte(text))
		}
		return
	case time.Time:
		v.Set(reflect.ValueOf(drawTime(t, bad)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts.Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(ints.Draw(t, "int"))
	case reflect.Float64:
		v.SetFloat(either(bad, notNumbers, floats).Draw(t, "float"))
	case reflect.Struct:
		for i := range v.NumField() {
			if rapid.IntRange(0, 3).Draw(t, "zero") > 0 {
				draw(t, v.Field(i), sane)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		draw(t, v.Elem(), sane)
	case reflect.Slice:
		n := rapid.IntRange(0, 2).Draw(t, "len")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			draw(t, v.Index(i), sane)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 3).Draw(t, "len") {
			key, val := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			draw(t, key, sane)
			draw(t, val, sane)
			v.SetMapIndex(key, val)
		}
	default:
		t.Fatalf("cannot fill %s", v.Type())
	}
}

func either[T any](bad bool, yes, no *rapid.Generator[T]) *rapid.Generator[T] {
	if bad {
		return yes
	}
	return no
}

func drawTime(t *rapid.T, bad bool) time.Time {
	year := either(bad, rapid.SampledFrom([]int{-1, 10_000}), rapid.IntRange(2, 9998)).Draw(t, "year")
	zone := either(bad, farZones, zones).Draw(t, "zone")
	switch rapid.IntRange(0, 4).Draw(t, "time") {
	case 0:
		return time.Time{}.In(zone)
	case 1:
		return time.Now() // with a monotonic reading
	}
	day, nanos := rapid.IntRange(1, 366).Draw(t, "day"), rapid.IntRange(0, 999_999_999).Draw(t, "nanos")
	return time.Date(year, 1, day, 0, 0, rapid.IntRange(0, 86_399).Draw(t, "second"), nanos, zone)
}

// TestRecordTimes compares a record's own time with the layout it stands for.
func TestRecordTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawTime(t, rapid.Bool().Draw(t, "bad"))
		s := newSink()
		s.moment(at)
		if want := at.UTC().Format(TimeLayout); string(s.out) != want {
			t.Errorf("wrote %s, want %s", s.out, want)
		}
	})
}

type (
	Outer struct {
		A int `json:"a"`
		C int `json:"c"`
	}
	inner struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	shouted   string
	selfZero  struct{ N int }
	byPointer struct{ N int }
)

func (s shouted) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(s))), nil }
func (s selfZero) IsZero() bool                { return s.N == 7 }
func (b *byPointer) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{ "times" : %d }`, b.N), nil
}

// TestWhatFactsDoNotHoldYet writes what a fact to come may hold.
func TestWhatFactsDoNotHoldYet(t *testing.T) {
	n := 3
	shadowed := reflect.Zero(reflect.StructOf([]reflect.StructField{
		{Name: "Outer", Type: reflect.TypeFor[Outer](), Anonymous: true},
		{Name: "Other", Type: reflect.TypeFor[string](), Tag: `json:"a"`},
	})).Interface()
	for name, v := range map[string]any{
		"nothing": struct{}{},
		"unexported": struct {
			A, b int
		}{1, 2},
		"option": struct {
			A int `json:"a,string"`
		}{1},
		"hidden": struct {
			A int `json:"-"`
			B int `json:"b"`
		}{1, 2},
		"named -": struct {
			A int `json:"-,"`
		}{1},
		"no name": struct {
			A int `json:",omitempty"`
			B int
		}{1, 2},
		"a name in Greek": struct {
			A int `json:"α<"`
		}{1},
		"bytes": struct {
			A []byte `json:"a"`
		}{[]byte("hello")},
		"other numbers": struct {
			A int8    `json:"a,omitempty"`
			B float32 `json:"b"`
			C uint64  `json:"c"`
		}{0, 0.1, math.MaxUint64},
		"other shapes": struct {
			A [2]string      `json:"a"`
			B map[int]string `json:"b"`
			C any            `json:"c"`
			D any            `json:"d,omitempty"`
		}{[2]string{"<", ">"}, map[int]string{10: "a", 9: "b"}, 1.5, nil},
		"pointers": struct {
			A *int   `json:"a"`
			B **int  `json:"b"`
			C []*int `json:"c"`
		}{A: &n, C: []*int{nil, &n}},
		"a struct that is never empty": struct {
			A Outer `json:"a,omitempty"`
			B Outer `json:"b,omitzero"`
		}{},
		"its own zero": struct {
			A selfZero `json:"a,omitzero"`
			B selfZero `json:"b,omitzero"`
		}{A: selfZero{7}},
		"its own text": struct {
			A shouted            `json:"a"`
			B map[shouted]string `json:"b"`
		}{"a<b", map[shouted]string{"k": "v"}},
		"its pointer's own JSON": struct {
			A byPointer   `json:"a"`
			B []byPointer `json:"b"`
			C *byPointer  `json:"c"`
		}{byPointer{1}, []byPointer{{2}}, &byPointer{3}},
		"shadowed":                shadowed,
		"unexported and embedded": struct{ inner }{inner{3, 4}},
		"embedded by pointer":     struct{ *Outer }{&Outer{1, 2}},
		"embedded under a name": struct {
			Outer `json:"named"`
		}{Outer{1, 2}},
		"unexported, embedded under a name": struct {
			inner `json:"named"`
		}{inner{1, 2}},
		"embedded with its own JSON": struct {
			time.Time
			N int `json:"n"`
		}{time.Unix(0, 0).UTC(), 1},
		"a map":             map[string]any{"b": 1, "a": nil},
		"a list":            []any{nil, "x"},
		"not to be written": []any{make(chan int)},
	} {
		t.Run(name, func(t *testing.T) { compare(t, reflect.ValueOf(v)) })
	}
}

// TestWhatIsLeftToJSON names what facts hold that is written slowly.
func TestWhatIsLeftToJSON(t *testing.T) {
	slow := map[string]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if codecOf(typ).slow {
			slow[typ.String()] = true
			return
		}
		switch kind := typ.Kind(); {
		case codesItself(typ):
		case kind == reflect.Pointer, kind == reflect.Slice:
			walk(typ.Elem())
		case kind == reflect.Struct:
			for i := range typ.NumField() {
				if f := typ.Field(i); f.IsExported() {
					walk(f.Type)
				}
			}
		}
	}
	for _, k := range factKinds {
		walk(k.typ)
	}
	want := map[string]bool{
		"chargehand.Duration": true, // of a worker's dynamic instances
		"map[string]bool":     true, // a reviewer's criteria
		"map[string]string":   true, // an objective's facts
	}
	if diff := cmp.Diff(want, slow); diff != "" {
		t.Error(diff)
	}
}

// TestLongListsAreSeldomMoved appends what a large run writes in one commit.
func TestLongListsAreSeldomMoved(t *testing.T) {
	r := Record{Run: "run_1", Seq: 1, Fact: PauseBegan{By: "olu"}}
	it := Item{Fields: json.RawMessage(`{"quote":"` + strings.Repeat("x", 1000) + `"}`)}
	for name, write := range map[string]func([]byte) ([]byte, error){"records": r.AppendJSON, "items": it.AppendJSON} {
		var list []byte
		moves := 0
		for len(list) < 8<<20 {
			longer, err := write(list)
			if err != nil {
				t.Fatal(err)
			}
			if cap(longer) != cap(list) {
				moves++
			}
			list = longer
		}
		if moves > 14 { // 2¹⁴ times half a kilobyte
			t.Errorf("%d bytes of %s were moved %d times", len(list), name, moves)
		}
	}
}
