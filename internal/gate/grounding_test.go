package gate

import (
	"testing"

	"github.com/chargehand/chargehand"
)

// TestBareNumbers holds a number without a unit to what its text counts by.
func TestBareNumbers(t *testing.T) {
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{}})
	for _, tt := range []struct {
		quote, answer string
		ok            bool
	}{
		{"50,000 shares of common stock", "50,000", true},
		{"50,000 shares of common stock", "USD 50,000", false},
		{"50,000 shares of common stock", "50,000%", false},
		{"three million U.S. dollars ($3,000,000) a year", "USD 3,000,000", true},
		{"three million U.S. dollars ($3,000,000) a year", "EUR 3,000,000", false},
		{"Five Hundred and 00/100 Dollars ($500.00) a month", "USD 500", true},
		{"Five Hundred and 00/100 Dollars ($500.00) a month", "GBP 500", false},
		{"amounts in EUR: 1,200 and 3,400", "EUR 3,400", true},
		{"amounts in EUR: 1,200 and 3,400", "USD 3,400", false},
		{"growth in percent: 12 and 15", "15%", true},
		{"growth of 12 and 15 units", "15%", false},
		{"the years 1 to 10", "10 years", true},
		{"10 days' notice in any year", "10 years", false},
		{"ten (10) days' notice, and 10 more in later years", "10 years", false},
		{"24 months", "2 years", true},
	} {
		v := g.Check(submit(asked(tt.quote), []object{{"key": "k", "quote": tt.quote, "start": 0, "end": len(tt.quote), "answer": tt.answer}}))
		if got := v.Recommendation == chargehand.Accept && v.Score == 1; got != tt.ok {
			t.Errorf("%q beside %q: %s, score %v, %v", tt.answer, tt.quote, v.Recommendation, v.Score, v.Issues)
		}
	}
}
