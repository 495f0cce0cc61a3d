// Package lexical reads the risk categories of a contract by weighing words.
//
// It is the second of two extractors and exists to disagree for its own reasons: it works on
// words, not on character patterns. A text becomes words (word.go), words become sentences under
// headings (sentence.go, heading.go), and each category is a model: declared concepts, cues with
// weights, and a bias (cue.go; one file per subject: governing.go, assignment.go, ...).
// A sentence whose cues outweigh the bias is quoted. Regular expressions occur in one place only,
// the record of an absent category (search.go), so that anyone can run it again.
package lexical
