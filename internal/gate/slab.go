package gate

import "slices"

// A slab is room for what is read in several texts, to be used again. The zero slab is empty.
type slab struct {
	lexemes []lexeme
	figures []figure
	units   []string
	texts   []figures
}

// keptRoom is how many lexemes, and of everything else, a slab keeps room for. A text that takes
// more has room of its own.
const keptRoom = 1 << 10

// read splits a text and reads its figures. Its cost is linear.
func (b *slab) read(text string) *figures {
	b.figures, b.units, b.texts = roomy(b.figures), roomy(b.units), roomy(b.texts)
	b.texts = append(b.texts, figures{text: text, split: b.lex(text), list: b.figures[len(b.figures):], units: b.units[len(b.units):]})
	fs := &b.texts[len(b.texts)-1]
	fs.read()
	b.figures, fs.list = taken(b.figures, fs.list)
	b.units, fs.units = taken(b.units, fs.units)
	return fs
}

// lex is the function of that name in the slab's room, as far as there is any.
func (b *slab) lex(s string) []lexeme {
	if len(s) > keptRoom {
		return lex(s)
	}
	n := len(b.lexemes)
	if n > keptRoom {
		n, b.lexemes = 0, nil
	}
	b.lexemes = appendLexemes(b.lexemes, s)
	return slices.Clip(b.lexemes[n:])
}

// roomy is a list with room behind it: itself, or a new one that is empty and larger. Who has parts
// of the old one keeps it.
func roomy[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return make([]T, 0, max(4, min(2*cap(list), keptRoom/16)))
}

// taken adds a part to the list behind which it was begun. One that has outgrown the room there
// stands elsewhere, and the room is full of what it was.
func taken[T any](list, part []T) (all, own []T) {
	return list[:min(len(list)+len(part), cap(list))], slices.Clip(part)
}

// empty forgets everything that was put into the slab, for nobody has it any longer.
func (b *slab) empty() {
	b.lexemes, b.figures, b.units, b.texts = emptied(b.lexemes), emptied(b.figures), emptied(b.units), emptied(b.texts)
}

// emptied is a list's room, with nothing in it; none if it is more than is worth keeping.
func emptied[T any](list []T) []T {
	if cap(list) > 4*keptRoom {
		return nil
	}
	clear(list)
	return list[:0]
}
