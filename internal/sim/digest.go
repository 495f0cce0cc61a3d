package sim

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/chargehand/chargehand"
)

// digest is a number that two states share only if they are the same, as good as surely. It walks
// through everything they hold, but what is constant, and what only counts.
func digest(values ...any) uint64 {
	d := digester{seen: map[uintptr]int{}, sum: 14695981039346656037}
	for _, v := range values {
		d.value(reflect.ValueOf(v))
	}
	return d.sum
}

// counting are the fields that say how a state was come by, and not what it is.
var counting = []string{"turn", "since", "planTurn", "Checked", "finished", "nothing", "slate", "choices", "steps"}

type digester struct {
	seen map[uintptr]int // pointers, by the order in which they were met
	sum  uint64
}

func (d *digester) number(n uint64) {
	d.sum = (d.sum ^ n) * 1099511628211
	d.sum ^= d.sum >> 29
}

func (d *digester) text(s string) {
	d.number(uint64(len(s)))
	for i := range len(s) {
		d.sum = (d.sum ^ uint64(s[i])) * 1099511628211
	}
}

var (
	timeType = reflect.TypeFor[time.Time]()
	teamType = reflect.TypeFor[*chargehand.Team]()
)

func (d *digester) value(v reflect.Value) {
	if !v.IsValid() || v.Type() == teamType {
		d.number(0)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			d.number(1)
		} else {
			d.number(2)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		d.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		d.number(math.Float64bits(v.Float()))
	case reflect.String:
		d.text(v.String())
	case reflect.Pointer:
		d.pointer(v)
	case reflect.Interface:
		if !v.IsNil() {
			d.text(v.Elem().Type().String())
		}
		d.value(v.Elem())
	case reflect.Slice, reflect.Array:
		d.number(uint64(v.Len()))
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Map:
		d.table(v)
	case reflect.Struct:
		d.fields(v)
	}
}

func (d *digester) pointer(v reflect.Value) {
	if v.IsNil() {
		d.number(0)
		return
	}
	if n, met := d.seen[v.Pointer()]; met {
		d.number(uint64(n))
		return
	}
	d.seen[v.Pointer()] = len(d.seen) + 1
	d.value(v.Elem())
}

func (d *digester) fields(v reflect.Value) {
	t := v.Type()
	if t == timeType { // wall, ext, loc: none of ours has a monotonic part
		d.number(v.Field(0).Uint())
		d.number(uint64(v.Field(1).Int()))
		return
	}
	for i := range t.NumField() {
		if !slices.Contains(counting, t.Field(i).Name) {
			d.value(v.Field(i))
		}
	}
}

// table walks through a map in the order of its keys.
func (d *digester) table(v reflect.Value) {
	type entry struct {
		name       string
		key, value reflect.Value
	}
	var entries []entry
	for it := v.MapRange(); it.Next(); {
		entries = append(entries, entry{nameOf(it.Key()), it.Key(), it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	d.number(uint64(len(entries)))
	for _, e := range entries {
		d.text(e.name)
		d.value(e.value)
	}
}

// nameOf is a map's key as a text of its own.
func nameOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Struct:
		out := ""
		for i := range v.NumField() {
			out += nameOf(v.Field(i)) + " "
		}
		return out
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	}
	return v.Kind().String()
}
