package chargehand_test

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// stepped costs twice as much above 1,000 tokens of input, and above 5,000 all that is cached as
// much as what is not.
var stepped = chargehand.ModelPrice{
	Model: "test/stepped", InputUSD: 2_000_000, OutputUSD: 8_000_000, CachedInputUSD: 200_000,
	Steps: []chargehand.PriceStep{
		{Above: 1000, InputUSD: 4_000_000, OutputUSD: 12_000_000, CachedInputUSD: 400_000},
		{Above: 5000, InputUSD: 4_000_000, OutputUSD: 10_000_000},
	},
}

func TestPriceOfAStep(t *testing.T) {
	for _, c := range []struct {
		input, cached, output int64
		want                  chargehand.Micros
	}{
		{0, 0, 1, 8},
		{999, 0, 0, 1998},
		{1000, 0, 10, 2080},
		{1000, 1000, 0, 200},
		{1001, 0, 10, 4124},
		{1001, 1001, 0, 401}, // as long as one that is read anew
		{5000, 0, 10, 20_120},
		{5001, 0, 10, 20_104},
		{5001, 5001, 0, 20_004},
	} {
		p := stepped.For(c.input)
		if got := p.Of(c.input, c.cached, 0, c.output); got != c.want {
			t.Errorf("%+v costs %s, want %s", c, got, c.want)
		}
		most := stepped.Most()
		if due := most.Of(c.input, c.cached, 0, c.output); due < c.want {
			t.Errorf("%+v costs %s, and at most %s", c, c.want, due)
		}
	}
	if got, want := stepped.Most(), (chargehand.Price{InputUSD: 4_000_000, OutputUSD: 12_000_000, CachedInputUSD: 4_000_000}); got != want {
		t.Errorf("at most %+v, want %+v", got, want)
	}
	free := chargehand.ModelPrice{Model: "test/free"}
	if free.Most() != (chargehand.Price{}) || free.For(1) != (chargehand.Price{}) {
		t.Error("what says no price has one")
	}
}

func TestCheckOfSteps(t *testing.T) {
	for want, steps := range map[string][]chargehand.PriceStep{
		"":                                      stepped.Steps,
		"$.prices[0].steps[0].aboveInputTokens": {{InputUSD: 1}},
		"$.prices[0].steps[1].aboveInputTokens": {{Above: 9}, {Above: 9}},
		"$.prices[0].steps[1].cachedInputUSD":   {{Above: 9}, {Above: 10, CachedInputUSD: -1}},
	} {
		p := stepped
		p.Steps = steps
		tm := chargehand.Team{
			Name: "t", Prices: []chargehand.ModelPrice{p},
			Workers: []chargehand.WorkerSpec{{WorkerID: "w", Capabilities: []string{"c"}}},
			Planner: chargehand.Planner{Func: "f"},
		}
		var got []string
		for _, p := range tm.Check() {
			got = append(got, p.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+v: problems at %q, want %q", steps, got, want)
		}
	}
}
