package price

import (
	"fmt"
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

func TestOf(t *testing.T) {
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		ref   string
		input int64
		want  string // input output cached written, in dollars for a million; empty means none
	}{
		{"anthropic/claude-haiku-4-5", 0, "1.00 5.00 0.10 1.25"},
		{"anthropic/claude-haiku-4-5-20251001", 0, "1.00 5.00 0.10 1.25"},
		{"claude-haiku-4-5", 0, "1.00 5.00 0.10 1.25"},
		{"anthropic/claude-sonnet-4-5", 1000, "3.00 15.00 0.30 3.75"},
		{"anthropic/claude-sonnet-4-5", 200_000, "3.00 15.00 0.30 3.75"},
		{"anthropic/claude-sonnet-4-5", 200_001, "6.00 22.50 0.60 7.50"},
		{"anthropic/claude-sonnet-4-5", math.MaxInt64, "6.00 22.50 0.60 7.50"},
		{"anthropic/claude-sonnet-4-6", math.MaxInt64, "3.00 15.00 0.30 3.75"}, // dearer before March 2026
		{"openai/gpt-5.4", 271_999, "2.50 15.00 0.25 0.00"},
		{"openai/gpt-5.4", 272_000, "5.00 22.50 0.50 0.00"},
		{"openai/gpt-4.1", 0, "2.00 8.00 0.50 0.00"},
		{"openai/gpt-5-mini-2025-08-07", 0, "0.25 2.00 0.025 0.00"},
		{"OpenAI/gpt-4.1", 0, ""},
		{"gemini/gemini-2.5-pro", 1000, "1.25 10.00 0.125 0.00"},
		{"gemini/gemini-2.5-pro", 300_000, "2.50 15.00 0.25 0.00"},
		{"openrouter/anthropic/claude-sonnet-4.5", 1000, "3.00 15.00 0.30 3.75"},
		{"deepseek/deepseek-reasoner", 0, "0.55 2.19 0.14 0.00"}, // by day; half of that at night
		{"ollama/llama3.2", 0, "0.00 0.00 0.00 0.00"},
		{"ollama/gpt-oss:120b-cloud", 0, ""},
		{"openai/a-model-of-mine", 0, ""},
		{"nobody/gpt-4.1", 0, ""},
		{"", 0, ""},
		{"/", 0, ""},
	} {
		m, ok := at(c.ref, day)
		p := m.For(c.input)
		got := fmt.Sprintf("%s %s %s %s", p.InputUSD, p.OutputUSD, p.CachedInputUSD, p.CacheWriteUSD)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s for %d tokens: %s, %v; want %s", c.ref, c.input, got, ok, c.want)
		}
	}
	if m, _ := at("anthropic/claude-sonnet-4-6", day.AddDate(-1, 0, 0)); m.Most().InputUSD != 6*chargehand.USD {
		t.Errorf("a year before it cost %s", m.Most().InputUSD)
	}
}

// What is reserved by is never less than what is settled by, for any model of the table.
func TestReserveCoversSettlement(t *testing.T) {
	day, n := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), 0
	for _, p := range table().Providers {
		for _, m := range p.Models {
			price, ok := m.price(day)
			if !ok {
				continue // it is sold from a later day on
			}
			n++
			most := price.Most()
			for _, input := range []int64{0, 1000, 128_000, 200_000, 300_000, 1_000_000} {
				if due := price.For(input); due.InputUSD > most.InputUSD || due.OutputUSD > most.OutputUSD ||
					due.CachedInputUSD > most.CachedInputUSD || due.CacheWriteUSD > most.CacheWriteUSD {
					t.Errorf("%s %+v: %+v is above %+v", p.ID, m.Match, due, most)
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d models have a price", n)
	}
}

func TestTableIsDated(t *testing.T) {
	from, date := Table()
	if !regexp.MustCompile(`^@pydantic/genai-prices \d+\.\d+\.\d+$`).MatchString(from) {
		t.Errorf("the table is from %q", from)
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		t.Error(err)
	}
	if len(source) > 300_000 {
		t.Errorf("the table has %d bytes", len(source))
	}
}

// The protocol that a model is called by changes nothing of its price.
func TestProtocolHasNoPrice(t *testing.T) {
	plain, ok := Of("openai/gpt-5-mini")
	other, too := Of("openai+responses/gpt-5-mini")
	if plain.Model = other.Model; !ok || !too || plain.Most() != other.Most() {
		t.Errorf("%+v and %+v", plain, other)
	}
}
