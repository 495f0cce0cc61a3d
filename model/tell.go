package model

// Pieces is a text in parts of about n bytes, never cut within a character: a stream's texts, where
// the answer is known beforehand.
func Pieces(text string, n int) []string {
	var out []string
	for len(text) > n {
		at := max(n, 1)
		for at < len(text) && text[at]&0xC0 == 0x80 {
			at++
		}
		out, text = append(out, text[:at]), text[at:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// Tell hands pieces on until hear errs, and reports what was handed on by then.
func Tell(hear func(string) error, pieces []string) (said string, err error) {
	for _, p := range pieces {
		said += p
		if err := hear(p); err != nil {
			return said, err
		}
	}
	return said, nil
}
