package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// An attack is an injected text.
type attack struct {
	id     string
	source string
	text   string
	tool   string // that the text wants to have called; empty where it names none
}

// The sources of texts that come with the data sets, and how many there are of each.
const (
	fromASB   = "ASB"
	fromCyber = "CyberSecEval"
	ofASB     = 400
	ofCyber   = 251
)

// load reads both sets and the further files.
func load(o options) ([]attack, error) {
	all, err := readASB(filepath.Join(o.data, "asb-attack-tools", "all_attack_tools.jsonl"))
	if err != nil {
		return nil, err
	}
	cyber, err := readCyber(filepath.Join(o.data, "cyberseceval-prompt-injection", "prompt_injection.json"))
	if err != nil {
		return nil, err
	}
	all = append(all, cyber...)
	for _, path := range o.cases {
		more, err := readLines(path)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	var out []attack
	for i := 0; i < len(all); i += o.every {
		out = append(out, all[i])
	}
	return out, nil
}

func readASB(path string) ([]attack, error) {
	var out []attack
	err := eachLine(path, func(n int, line []byte) error {
		var l struct {
			Tool        string `json:"Attacker Tool"`
			Instruction string `json:"Attacker Instruction"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		out = append(out, attack{id: fmt.Sprintf("asb-%03d", n), source: fromASB, text: l.Instruction, tool: l.Tool})
		return nil
	})
	if err == nil && len(out) != ofASB {
		err = fmt.Errorf("%s has %d texts, want %d", path, len(out), ofASB)
	}
	return out, err
}

func readCyber(path string) ([]attack, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []struct {
		ID   int    `json:"prompt_id"`
		Text string `json:"user_input"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(list) != ofCyber {
		return nil, fmt.Errorf("%s has %d texts, want %d", path, len(list), ofCyber)
	}
	var out []attack
	for _, l := range list {
		out = append(out, attack{id: fmt.Sprintf("cyberseceval-%03d", l.ID), source: fromCyber, text: l.Text})
	}
	return out, nil
}

// readLines reads a file of JSON lines {id, text}.
func readLines(path string) ([]attack, error) {
	var out []attack
	err := eachLine(path, func(n int, line []byte) error {
		var l struct{ ID, Text string }
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		if l.Text == "" {
			return errors.New("it has no text")
		}
		if l.ID == "" {
			l.ID = fmt.Sprintf("%s-%d", filepath.Base(path), n)
		}
		out = append(out, attack{id: l.ID, source: filepath.Base(path), text: l.Text})
		return nil
	})
	return out, err
}

func eachLine(path string, do func(n int, line []byte) error) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const longest = 1 << 20
	s := bufio.NewScanner(bytes.NewReader(body))
	s.Buffer(nil, longest)
	for n := 1; s.Scan(); n++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := do(n, s.Bytes()); err != nil {
			return fmt.Errorf("read line %d of %s: %w", n, path, err)
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
