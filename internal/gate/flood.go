package gate

import "strings"

// flood reports whether a text mostly repeats one word or phrase.
func flood(s string) bool {
	words := strings.Fields(s)
	if len(words) < 40 {
		return false
	}
	count := map[string]int{}
	most := 0
	for i := range len(words) - 2 {
		n := count[strings.Join(words[i:i+3], " ")] + 1
		count[strings.Join(words[i:i+3], " ")] = n
		most = max(most, n)
	}
	return most*3 > len(words)/2
}
