package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// priceHelp is how --price is written.
const priceHelp = "give dollars for a million tokens, such as --price openai/Qwen/Qwen3-8B=0.10/0.30, or =0/0 for a model that costs nothing"

// priced is the team with the prices that --price says, in place of its own.
func (f *modelForm) priced(a *app, t chargehand.Team) (chargehand.Team, error) {
	used := modelsOf(&t)
	t.Prices = slices.Clone(t.Prices)
	said := map[string]bool{}
	for _, text := range f.prices {
		p, err := a.priceOf(text)
		if err != nil {
			return t, err
		}
		if said[p.Model] {
			return t, usage("--price names "+p.Model+" twice", "give one price for each model")
		}
		said[p.Model] = true
		if !slices.Contains(used, p.Model) {
			return t, usage(fmt.Sprintf("--price names %s, which nobody in the team %s works with", p.Model, t.Name), worksWith(used))
		}
		t.Prices = slices.DeleteFunc(t.Prices, func(old chargehand.ModelPrice) bool { return old.Model == p.Model })
		t.Prices = append(t.Prices, p)
	}
	return t, nil
}

func worksWith(used []string) string {
	if len(used) == 0 {
		return "name a model with --model"
	}
	return "it works with " + term.Line(strings.Join(used, ", "))
}

// priceOf reads MODEL=IN/OUT. A model's name may hold slashes, and no equals sign follows its price.
func (a *app) priceOf(text string) (chargehand.ModelPrice, error) {
	var p chargehand.ModelPrice
	wrong := usage(fmt.Sprintf("--price cannot be %q", text), priceHelp)
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return p, wrong
	}
	name, amounts := text[:at], text[at+1:]
	in, out, both := strings.Cut(amounts, "/")
	if !both {
		return p, wrong
	}
	var bad [3]error
	p.InputUSD, bad[0] = chargehand.ParseMicros(strings.TrimPrefix(in, "$"))
	p.OutputUSD, bad[1] = chargehand.ParseMicros(strings.TrimPrefix(out, "$"))
	if bad[0] != nil || bad[1] != nil || p.InputUSD < 0 || p.OutputUSD < 0 {
		return p, wrong
	}
	p.Unpriced = p.InputUSD == 0 && p.OutputUSD == 0
	p.Model, bad[2] = a.model("--price", name)
	return p, bad[2]
}

// modelsOf are the models that the team works with, each once.
func modelsOf(t *chargehand.Team) []string {
	var out []string
	for _, s := range seatsOf(t) {
		if ref := cmp.Or(s.model, t.Models.Of(s.tier)); ref != "" && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	return out
}
