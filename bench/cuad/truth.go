package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A contract is one document with what its annotators marked.
type contract struct {
	file  string
	text  string
	truth map[string]annotation // by clause.Category name
}

// An annotation is the truth about one category of one contract. No spans means absent.
type annotation struct {
	spans  []clause.Span
	answer string
}

// dataset returns the folder of the public data set.
func dataset() string {
	if dir := os.Getenv("CHARGEHAND_DATA"); dir != "" {
		return filepath.Join(dir, "cuad")
	}
	return filepath.Join("..", "shared", "data", "cuad")
}

// load reads the contracts in dir.
func load(dir string) ([]contract, error) {
	data, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		return nil, fmt.Errorf("load truth: %w", err)
	}
	var entries []truthEntry
	if err := json.Unmarshal(data, &entries); err != nil {
		return nil, fmt.Errorf("decode truth: %w", err)
	}
	var out []contract
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, "contracts", e.File))
		if err != nil {
			return nil, fmt.Errorf("load contract: %w", err)
		}
		out = append(out, contract{file: e.File, text: string(text), truth: e.annotations()})
	}
	return out, nil
}

// A truthEntry is one element of truth.json.
type truthEntry struct {
	File    string `json:"file"`
	Clauses map[string]struct {
		Spans []struct {
			Text  string `json:"text"`
			Start int    `json:"byte_start"`
		} `json:"spans"`
		Answer string `json:"answer"`
	} `json:"clauses"`
}

// annotations spells the categories as package clause does.
func (e truthEntry) annotations() map[string]annotation {
	out := make(map[string]annotation)
	for _, c := range clause.Categories() {
		for name, marked := range e.Clauses {
			if !strings.EqualFold(name, c.Name) {
				continue
			}
			a := annotation{answer: marked.Answer}
			for _, s := range marked.Spans {
				a.spans = append(a.spans, clause.Span{Start: s.Start, End: s.Start + len(s.Text)})
			}
			out[c.Name] = a
		}
	}
	return out
}
