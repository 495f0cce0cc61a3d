package chargehand

import "cmp"

// A ModelPrice is the price of one model. Where it has Steps, its own amounts are those of the calls
// below the first of them.
type ModelPrice struct {
	Model          string      `json:"model"` // "provider/model"
	InputUSD       Micros      `json:"inputUSD,omitempty"`
	OutputUSD      Micros      `json:"outputUSD,omitempty"`
	CachedInputUSD Micros      `json:"cachedInputUSD,omitempty"`
	CacheWriteUSD  Micros      `json:"cacheWriteUSD,omitempty"`
	Steps          []PriceStep `json:"steps,omitempty"`    // the price of longer calls, the shortest first
	Unpriced       bool        `json:"unpriced,omitempty"` // it is not known what it costs, and it may be called all the same, as if nothing
}

// A PriceStep is what a model costs, all tokens of the call alike, when its input is longer than Above.
type PriceStep struct {
	Above          int64  `json:"aboveInputTokens"` // tokens of input, those from and for a cache included; a call of as many is not above
	InputUSD       Micros `json:"inputUSD,omitempty"`
	OutputUSD      Micros `json:"outputUSD,omitempty"`
	CachedInputUSD Micros `json:"cachedInputUSD,omitempty"`
	CacheWriteUSD  Micros `json:"cacheWriteUSD,omitempty"`
}

// For is the price of a call whose input has so many tokens, those from and for a cache included, as
// providers count for their steps: what to settle by.
func (m *ModelPrice) For(input int64) Price {
	p := m.base()
	for i := range m.Steps {
		if input > m.Steps[i].Above {
			p = m.Steps[i].price()
		}
	}
	return p
}

// Most is the dearest that a call may be, whatever its length: what to reserve by. No amount of For is
// above it.
func (m *ModelPrice) Most() Price {
	p := m.base()
	for i := range m.Steps {
		p = p.Max(m.Steps[i].price())
	}
	return p
}

func (m *ModelPrice) base() Price {
	return Price{m.InputUSD, m.OutputUSD, m.CachedInputUSD, m.CacheWriteUSD}
}

func (s *PriceStep) price() Price {
	return Price{s.InputUSD, s.OutputUSD, s.CachedInputUSD, s.CacheWriteUSD}
}

// A Price is what a model costs, in dollars for a million tokens. The zero Price is that of a model
// that costs nothing.
type Price struct {
	InputUSD       Micros `json:"inputUSD,omitempty"`
	OutputUSD      Micros `json:"outputUSD,omitempty"`
	CachedInputUSD Micros `json:"cachedInputUSD,omitempty"` // zero means InputUSD
	CacheWriteUSD  Micros `json:"cacheWriteUSD,omitempty"`  // zero means InputUSD
}

// Of is the price of so many tokens, rounded up to a millionth of a dollar. Input counts the cached
// and written ones.
func (p Price) Of(input, cached, written, output int64) Micros {
	plain := max(0, input-cached-written)
	sum := plain*int64(p.InputUSD) + cached*int64(cmp.Or(p.CachedInputUSD, p.InputUSD)) +
		written*int64(cmp.Or(p.CacheWriteUSD, p.InputUSD)) + output*int64(p.OutputUSD)
	return Micros((sum + 999_999) / 1_000_000)
}

// Unpriced lets workers that declare no price work under a ceiling. Each of their calls is taken to
// cost the maximum, which is reserved before it (SPEC.md ·90).
type Unpriced struct {
	Allow     bool   `json:"allow"`
	MaxUSD    Micros `json:"maxUSD,omitempty"`    // of one call; zero means not declared: not enough under a ceiling in dollars
	MaxTokens int64  `json:"maxTokens,omitempty"` // of one call; zero means not declared: not enough under a ceiling in tokens
}

// Max is the dearer of two prices, amount by amount.
func (p Price) Max(q Price) Price {
	return Price{
		InputUSD: max(p.InputUSD, q.InputUSD), OutputUSD: max(p.OutputUSD, q.OutputUSD),
		CachedInputUSD: dearer(p.CachedInputUSD, p.InputUSD, q.CachedInputUSD, q.InputUSD),
		CacheWriteUSD:  dearer(p.CacheWriteUSD, p.InputUSD, q.CacheWriteUSD, q.InputUSD),
	}
}

// dearer is the greater of two amounts, each of which means its input's where it is zero.
func dearer(p, input, q, input2 Micros) Micros {
	if p == 0 && q == 0 {
		return 0
	}
	return max(cmp.Or(p, input), cmp.Or(q, input2))
}
