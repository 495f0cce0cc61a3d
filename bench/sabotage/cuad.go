package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A contract is one document with what its annotators marked.
type contract struct {
	name   string
	doc    chargehand.InputRef
	marked []marking
}

// A marking is one passage that the annotators put under a category.
type marking struct {
	category string
	span     clause.Span
}

// dataset is the folder of the public data sets.
func dataset() string {
	if dir := os.Getenv("CHARGEHAND_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data")
}

// load reads the contracts. Passages come in the order of the categories, then of the annotation.
func load(data string) ([]contract, error) {
	dir := filepath.Join(data, "cuad")
	body, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		return nil, fmt.Errorf("load truth: %w", err)
	}
	var entries []truthEntry
	if err := json.Unmarshal(body, &entries); err != nil {
		return nil, fmt.Errorf("decode truth: %w", err)
	}
	var out []contract
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, "contracts", e.File))
		if err != nil {
			return nil, fmt.Errorf("load contract: %w", err)
		}
		out = append(out, contract{name: e.File, doc: document(e.File, string(text)), marked: e.markings()})
	}
	return out, nil
}

func document(name, text string) chargehand.InputRef {
	return chargehand.InputRef{Name: name, Text: text, Hash: chargehand.Hash([]byte(text)), Size: int64(len(text))}
}

// A truthEntry is one element of truth.json.
type truthEntry struct {
	File    string `json:"file"`
	Clauses map[string]struct {
		Spans []struct {
			Text  string `json:"text"`
			Start int    `json:"byte_start"`
		} `json:"spans"`
	} `json:"clauses"`
}

// markings spells the categories as package clause does.
func (e truthEntry) markings() []marking {
	var out []marking
	for _, c := range clause.Categories() {
		for name, marked := range e.Clauses {
			if !strings.EqualFold(name, c.Name) {
				continue
			}
			for _, s := range marked.Spans {
				out = append(out, marking{c.Name, clause.Span{Start: s.Start, End: s.Start + len(s.Text)}})
			}
		}
	}
	return out
}

// has reports whether the annotators marked anything under a category.
func (c *contract) has(category string) bool {
	for _, m := range c.marked {
		if m.category == category {
			return true
		}
	}
	return false
}

func (c *contract) text(s clause.Span) string { return c.doc.Text[s.Start:s.End] }
