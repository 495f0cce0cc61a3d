package main

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
)

// answerSize is how many bytes each worker's output has.
const answerSize = 1024

// textMark stands in front of the text of every output.
const textMark = `"text":"`

// opening is how the text of an output begins.
func opening(task, attempt int) string {
	return textMark + "task-" + strconv.Itoa(task) + " attempt-" + strconv.Itoa(attempt) + ": "
}

// A clause is a passage of the document that answers quote.
type clause struct {
	quote, days string
	tail        string // of an answer that quotes it, from the quote on
}

// document is what every run is about: clauses that differ in their notice period.
var document, clauses = newDocument(24)

func newDocument(n int) (string, []clause) {
	var text strings.Builder
	var list []clause
	for i := range n {
		days := strconv.Itoa(14+i) + " days"
		quote := "a party to schedule " + string(rune('A'+i)) + " may end it by written notice of " + days
		text.WriteString("Under this agreement ")
		start := text.Len()
		text.WriteString(quote + ".\n")
		list = append(list, clause{quote, days, `","present":true,"quote":"` + quote + `","start":` + strconv.Itoa(start) +
			`,"end":` + strconv.Itoa(start+len(quote)) + `,"answer":"` + days + `"}]}`})
	}
	return text.String(), list
}

// prose is made-up text that is no easier to compress than a person's: deflate takes it to some
// two fifths. Each answer holds another piece of it.
var prose = newProse(128 << 10)

func newProse(size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4096)
	for i := range words {
		w := make([]byte, 2+r.IntN(8))
		for j := range w {
			w[j] = "eeeeaaiioouttnnssrrhlldcmpfgbvwyk"[r.IntN(33)]
		}
		words[i] = string(w)
	}
	b := make([]byte, 0, size+16)
	for len(b) < size {
		u := r.Float64()
		b = append(append(b, words[int(u*u*u*float64(len(words)))]...), ' ') // some words more often than others
	}
	return string(b[:size])
}

// piece is n bytes of the prose; those of calls that follow each other do not overlap.
func piece(serial int64, n int) string {
	start := int(serial * answerSize % int64(len(prose)-answerSize))
	return prose[start : start+n]
}

// answer is a worker's output: one finding with its quote and offsets. No two calls get the same
// one, so that nothing can be stored once for many.
func answer(task, attempt int, serial int64) []byte {
	c := &clauses[task%len(clauses)]
	b := make([]byte, 0, answerSize)
	b = append(b, `{"items":[{`...)
	b = append(b, opening(task, attempt)...)
	b = append(strconv.AppendInt(b, serial, 10), ' ')
	const key = `","key":"`
	var id [24]byte
	name := appendTask(id[:0], task)
	b = append(b, piece(serial, answerSize-len(b)-len(key)-len(name)-len(c.tail))...)
	b = append(b, key...)
	b = append(b, name...)
	return append(b, c.tail...)
}

// altered is an answer whose quote has one word changed, as long as before.
func altered(out []byte) []byte {
	i := bytes.LastIndex(out, []byte(" may end it "))
	copy(out[i:], " can end it ")
	return out
}
