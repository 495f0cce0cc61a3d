package gate

import "testing"

func TestStatedFigure(t *testing.T) {
	for _, tt := range []struct {
		give   string
		want   float64
		digits int
	}{
		{"1,452.4", 1452.4, 1},
		{"$  1,452.4", 1452.4, 1},
		{"(42,271)", -42271, 0},
		{"$ (42,271)", -42271, 0},
		{"$(1.5)", -1.5, 1},
		{"-12.6", -12.6, 1},
		{"−12.6 %", -12.6, 1},
		{"- 5", -5, 0},
		{"-$5", -5, 0},
		{"$-5", -5, 0},
		{"USD -5", -5, 0},
		{"(5", 5, 0},
		{"Total - 5", 5, 0},
		{"co-5", 5, 0},
		{"$1.2 million", 1_200_000, -5},
		{"22.22%", 22.22, 2},
	} {
		got, digits, ok := statedFigure(tt.give)
		if !ok || got != tt.want || digits != tt.digits {
			t.Errorf("%q: %v with %d digits, %v; want %v with %d", tt.give, got, digits, ok, tt.want, tt.digits)
		}
	}
	for _, none := range []string{"", "none", "5 to 6", "May 8, 2014"} {
		if f, _, ok := statedFigure(none); ok {
			t.Errorf("%q: %v, want no figure", none, f)
		}
	}
}
