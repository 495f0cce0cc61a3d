package report

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A finding is an item that says whether something stands in a source.
type finding struct {
	item    *chargehand.Item
	key     string
	present bool
	answer  string
	quote   string
	where   string // "12–40", byte offsets; empty where it has none
}

// keys are the fields that name what a finding is about, the first that is there.
var keys = []string{"category", "key", "clause", "name", "id"}

// findingOf reads an item as a finding; ok is false if it has no key or does not say "present".
func findingOf(it *chargehand.Item) (f finding, ok bool) {
	f.item = it
	values := map[string]field{}
	for _, v := range fieldsOf(it.Fields) {
		values[v.name] = v
	}
	if json.Unmarshal(values["present"].value, &f.present) != nil {
		return f, false
	}
	for _, k := range keys {
		if v, there := values[k]; there {
			f.key = v.text()
			break
		}
	}
	f.answer, f.quote, f.where = optional(values["answer"]), optional(values["quote"]), span(values)
	return f, f.key != ""
}

func optional(f field) string {
	if f.value == nil || string(f.value) == "null" {
		return ""
	}
	return f.text()
}

func span(values map[string]field) string {
	start, err1 := strconv.Atoi(optional(values["start"]))
	end, err2 := strconv.Atoi(optional(values["end"]))
	if err1 != nil || err2 != nil || end == 0 {
		return ""
	}
	return strconv.Itoa(start) + "–" + strconv.Itoa(end)
}

// sorted splits items into findings that are there, findings that are not, and all others.
func sorted(items []chargehand.Item) (present, absent []finding, others []*chargehand.Item) {
	for i := range items {
		f, ok := findingOf(&items[i])
		switch {
		case !ok:
			others = append(others, &items[i])
		case f.present:
			present = append(present, f)
		default:
			absent = append(absent, f)
		}
	}
	return present, absent, others
}

func (p *page) items(items []chargehand.Item) {
	present, absent, others := sorted(items)
	if len(present) > 0 {
		p.heading("Found")
		p.line("| What | Answer | Bytes | State |")
		p.line("| --- | --- | --- | --- |")
		for _, f := range present {
			p.line("| %s | %s | %s | %s |", term.Markdown(f.key), term.Markdown(f.answer), f.where, term.Markdown(state(f.item)))
		}
		for _, f := range present {
			if f.quote != "" {
				p.line("\n**%s**\n\n> %s", term.Markdown(f.key), term.Markdown(f.quote))
			}
		}
	}
	if len(absent) > 0 {
		p.heading("Looked for and not found")
		p.line("| What | Looked for by | State |")
		p.line("| --- | --- | --- |")
		for _, f := range absent {
			p.line("| %s | %s | %s |", term.Markdown(f.key), term.Markdown(f.item.Worker), term.Markdown(state(f.item)))
		}
	}
	if len(others) > 0 {
		p.heading("Items")
		for i, it := range others {
			p.line("%d. %s (%s)", i+1, term.Markdown(it.Subtask), term.Markdown(state(it)))
			for _, f := range fieldsOf(it.Fields) {
				p.line("   - **%s**: %s", term.Markdown(f.name), term.Markdown(f.text()))
			}
		}
	}
}

// state is what was decided about an item, in words.
func state(it *chargehand.Item) string {
	word := spoken(it.Verdict)
	if sign := chargehand.SubtaskState(it.Verdict).Sign(); sign.Label != "" {
		word = sign.Label
	}
	if len(it.ConfirmedBy) > 0 {
		word += ", confirmed by " + strings.Join(it.ConfirmedBy, ", ")
	}
	return word
}
