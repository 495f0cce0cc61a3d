// Package price is what models cost, from a table that is part of the program: that of the npm package
// @pydantic/genai-prices at a date. A model that is not in it has no price, which is not the price zero.
package price

//go:generate sh -c "cd gen && npm ci && node gen.mjs"

import (
	_ "embed"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
)

//go:embed prices.json
var source []byte

// Of is what a model costs by the table today, by length of the context; where that depends on the hour,
// at the dearest one. It reports false for a model that has no price there. A ref is "provider/model";
// without a provider the model's own maker is meant.
//
// What Ollama runs itself costs nothing; its cloud models are not in the table.
func Of(ref string) (chargehand.ModelPrice, bool) {
	p, ok := at(ref, time.Now())
	p.Model = ref
	return p, ok
}

// Table says where the prices come from, and of which date they are ("2006-01-02").
func Table() (from, date string) {
	t := table()
	return t.Source, t.Date
}

type sheet struct {
	Source, Date string
	Providers    []struct {
		ID     string
		Also   []string // providers whose models it sells too
		Models []entry
	}
}

type entry struct {
	Match  rule
	Prices []struct {
		From  string      // the day, UTC; empty means always
		Steps [][]float64 // tokens of input above which, then dollars for a million: input, output, cached, written
	}
}

var table = sync.OnceValue(func() *sheet {
	var t sheet
	if err := json.Unmarshal(source, &t); err != nil {
		panic("price: the table is not of its form: " + err.Error()) // a test parses it
	}
	return &t
})

// names are providers that the table knows by another name.
var names = map[string]string{"gemini": "google", "xai": "x-ai"}

// makers are the providers among which a model without a provider is looked for.
var makers = []string{"anthropic", "openai", "google", "mistral", "deepseek", "x-ai"}

func at(ref string, now time.Time) (chargehand.ModelPrice, bool) {
	provider, name, ok := strings.Cut(ref, "/")
	provider, _, _ = strings.Cut(provider, "+") // the protocol that it is called by
	if !ok {
		for _, maker := range makers {
			if p, ok := of(maker, ref, now); ok {
				return p, true
			}
		}
		return chargehand.ModelPrice{}, false
	}
	if provider == "ollama" {
		return chargehand.ModelPrice{}, name != "" && !strings.HasSuffix(name, "-cloud") && !strings.HasSuffix(name, ":cloud")
	}
	if n := names[provider]; n != "" {
		provider = n
	}
	return of(provider, name, now)
}

func of(provider, name string, now time.Time) (chargehand.ModelPrice, bool) {
	name = strings.ToLower(name)
	for _, p := range table().Providers {
		if p.ID != provider {
			continue
		}
		for i := range p.Models {
			if p.Models[i].Match.fits(name) {
				return p.Models[i].price(now)
			}
		}
		for _, also := range p.Also {
			if price, ok := of(also, name, now); ok {
				return price, true
			}
		}
	}
	return chargehand.ModelPrice{}, false
}

// price is what a model costs on a day.
func (e *entry) price(now time.Time) (chargehand.ModelPrice, bool) {
	day := now.UTC().Format(time.DateOnly)
	var rows [][]float64
	for _, p := range e.Prices { // by day, the first one first
		if p.From <= day {
			rows = p.Steps
		}
	}
	if len(rows) == 0 {
		return chargehand.ModelPrice{}, false
	}
	base := dearest(rows, 0)
	out := chargehand.ModelPrice{
		InputUSD: base.InputUSD, OutputUSD: base.OutputUSD,
		CachedInputUSD: base.CachedInputUSD, CacheWriteUSD: base.CacheWriteUSD,
	}
	for _, above := range lengths(rows) {
		p := dearest(rows, above)
		out.Steps = append(out.Steps, chargehand.PriceStep{
			Above: above, InputUSD: p.InputUSD, OutputUSD: p.OutputUSD,
			CachedInputUSD: p.CachedInputUSD, CacheWriteUSD: p.CacheWriteUSD,
		})
	}
	return out, true
}

// lengths are those at which the price changes, the shortest first.
func lengths(rows [][]float64) []int64 {
	var out []int64
	for _, row := range rows {
		if row[0] > 0 {
			out = append(out, int64(row[0]))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// dearest is the dearest of the rows that begin at a length or below: of several hours, and of a longer
// context that would cost less.
func dearest(rows [][]float64, above int64) chargehand.Price {
	var out chargehand.Price
	for _, row := range rows {
		if int64(row[0]) > above {
			continue
		}
		row = append(slices.Clone(row), 0, 0)
		out = out.Max(chargehand.Price{
			InputUSD: micros(row[1]), OutputUSD: micros(row[2]),
			CachedInputUSD: micros(row[3]), CacheWriteUSD: micros(row[4]),
		})
	}
	return out
}

// micros rounds up, less what a decimal is off as a float.
func micros(usd float64) chargehand.Micros { return chargehand.Micros(math.Ceil(usd*1e6 - 1e-3)) }

// A rule says which names are meant; one of its fields is given.
type rule struct {
	And, Or          []rule
	Not              *rule
	Equals, Contains string
	StartsWith       string `json:"starts_with"`
	EndsWith         string `json:"ends_with"`
	Regex            *expression
}

type expression struct{ *regexp.Regexp }

// UnmarshalJSON compiles the expression.
func (e *expression) UnmarshalJSON(b []byte) (err error) {
	var s string
	if err = json.Unmarshal(b, &s); err == nil {
		e.Regexp, err = regexp.Compile(s)
	}
	return err
}

func (r *rule) fits(name string) bool {
	switch {
	case r.And != nil:
		for i := range r.And {
			if !r.And[i].fits(name) {
				return false
			}
		}
		return true
	case r.Or != nil:
		for i := range r.Or {
			if r.Or[i].fits(name) {
				return true
			}
		}
		return false
	case r.Not != nil:
		return !r.Not.fits(name)
	case r.Regex != nil:
		return r.Regex.MatchString(name)
	case r.StartsWith != "":
		return strings.HasPrefix(name, r.StartsWith)
	case r.EndsWith != "":
		return strings.HasSuffix(name, r.EndsWith)
	case r.Contains != "":
		return strings.Contains(name, r.Contains)
	}
	return r.Equals != "" && name == r.Equals
}
