package contractreview

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
	"github.com/chargehand/chargehand/teams/contractreview/lexical"
	"github.com/chargehand/chargehand/teams/contractreview/pattern"
	"github.com/chargehand/chargehand/worker"
)

// A reader answers the categories that a task names as required aspects, all it knows where the
// task names none. Its output is the list of items of the contract "clauses".
type reader struct {
	known []string // categories it can answer
	shelf shelf
}

// newPatternReader is the first reader: all 41 categories.
func newPatternReader() *reader {
	r := &reader{shelf: shelf{read: func(text string) finder { return pattern.Read(text) }}}
	for _, c := range clause.Categories() {
		r.known = append(r.known, c.Name)
	}
	return r
}

// newLexicalReader is the second, independent reader: the categories that decide risk.
func newLexicalReader() *reader {
	return &reader{known: lexical.Categories(), shelf: shelf{read: func(text string) finder { return lexical.Read(text) }}}
}

// Do reads the task's documents. It looks at ctx between categories.
func (r *reader) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	docs, err := documents(t)
	if err != nil {
		return chargehand.WorkerResult{}, err
	}
	names := t.RequiredAspects
	if len(names) == 0 {
		names = r.known
	}
	out := clauses{Items: []item{}}
	cut := false
	for _, name := range names {
		if ctx.Err() != nil {
			return chargehand.WorkerResult{}, context.Cause(ctx)
		}
		items, err := r.category(docs, name)
		if err != nil {
			return chargehand.WorkerResult{}, err
		}
		if len(items) > mostQuotes {
			items, cut = items[:mostQuotes], true
		}
		out.Items = append(out.Items, items...)
	}
	res, err := output(out)
	if cut {
		res.Summary = fmt.Sprintf("a category with more than %d passages is answered by its first %d", mostQuotes, mostQuotes)
	}
	return res, err
}

// mostQuotes is how many passages of one category are quoted.
const mostQuotes = 100

// category is what the documents say about one category: every passage there is, or for each
// document the search that found none.
func (r *reader) category(docs []chargehand.InputRef, name string) ([]item, error) {
	c, ok := clause.Lookup(name)
	if !ok {
		return nil, refuse("there is no category %q", name)
	}
	var present, absent []item
	for _, doc := range docs {
		found, err := r.shelf.open(doc.Hash, doc.Text).Find(name)
		if err != nil {
			return nil, refuse("%s", err)
		}
		if len(found.Quotes) == 0 {
			absent = append(absent, absentItem(c, doc, found.Search))
			continue
		}
		present = append(present, presentItems(c, doc, found)...)
	}
	if len(present) > 0 {
		return present, nil
	}
	return absent, nil
}

// documents are the texts a task is about; outputs of other subtasks are not.
func documents(t chargehand.WorkerTask) ([]chargehand.InputRef, error) {
	var docs []chargehand.InputRef
	for _, ref := range t.InputRefs {
		if ref.From != "" {
			continue
		}
		if !utf8.ValidString(ref.Text) {
			return nil, refuse("the document %q is not UTF-8 text", ref.Name)
		}
		docs = append(docs, ref)
	}
	if len(docs) == 0 {
		return nil, refuse("there is no document to read")
	}
	return docs, nil
}

func refuse(format string, args ...any) error {
	return &worker.Error{Kind: worker.Refused, Message: fmt.Sprintf(format, args...), NotBegun: true}
}

func output(v any) (chargehand.WorkerResult, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return chargehand.WorkerResult{}, fmt.Errorf("encode output: %w", err)
	}
	return chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: b}, nil
}
