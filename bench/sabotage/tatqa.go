package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A page is one table of the TAT-QA data set with the text around it, as one document.
type page struct {
	text      string
	cells     []tableCell
	prose     int // where the paragraphs begin
	questions []question
}

// A tableCell is one cell: the line of its row, the place of that line, and which column it is.
type tableCell struct {
	label      string // of the row
	text       string
	line       string
	start, end int
	column     int
}

// A question is one that annotators answered by a calculation.
type question struct {
	Text       string      `json:"question"`
	Answer     json.Number `json:"-"`
	Raw        any         `json:"answer"`
	Derivation string      `json:"derivation"`
	Type       string      `json:"answer_type"`
	Scale      string      `json:"scale"`
}

const columnMark = " | "

// loadPages reads the data set's questions of arithmetic.
func loadPages(data string) ([]page, error) {
	body, err := os.ReadFile(filepath.Join(data, "tat-qa", "tatqa_dataset_dev.json"))
	if err != nil {
		return nil, fmt.Errorf("load questions: %w", err)
	}
	var raw []struct {
		Table struct {
			Rows [][]string `json:"table"`
		} `json:"table"`
		Paragraphs []struct {
			Text string `json:"text"`
		} `json:"paragraphs"`
		Questions []question `json:"questions"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&raw); err != nil {
		return nil, fmt.Errorf("decode questions: %w", err)
	}
	var out []page
	for _, r := range raw {
		p := page{}
		for _, row := range r.Table.Rows {
			p.addRow(row)
		}
		p.prose = len(p.text)
		for _, para := range r.Paragraphs {
			p.text += para.Text + "\n"
		}
		for _, q := range r.Questions {
			if q.Type == "arithmetic" {
				q.Answer = json.Number(strings.ReplaceAll(fmt.Sprint(q.Raw), ",", ""))
				p.questions = append(p.questions, q)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func (p *page) addRow(row []string) {
	cells := make([]string, len(row))
	for i, c := range row {
		cells[i] = strings.Join(strings.Fields(strings.ReplaceAll(c, "|", "/")), " ")
	}
	line := strings.Join(cells, columnMark)
	for i, c := range cells {
		p.cells = append(p.cells, tableCell{cells[0], c, line, len(p.text), len(p.text) + len(line), i})
	}
	p.text += line + "\n"
}

var cellForm = regexp.MustCompile(`^[$€£]?\s*(\(?)\s*[$€£]?\s*([-−–]?)\s*[$€£]?\s*(\d[\d,]*(?:\.\d+)?|\.\d+)\s*%?\s*\)?\s*%?$`)

// number reads a cell. It is the annotators' reading that the gate's is held to.
func (c tableCell) number() (float64, bool) {
	m := cellForm.FindStringSubmatch(c.text)
	if m == nil {
		return 0, false
	}
	var f float64
	if _, err := fmt.Sscan(strings.ReplaceAll(m[3], ",", ""), &f); err != nil {
		return 0, false
	}
	if m[1] != "" || m[2] != "" {
		f = -f
	}
	return f, true
}
