package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
)

// settleStatements marks the statements of a run's output that do not hold, or takes them out, as
// the contract says, and names them in the result (SPEC.md ·141). So none stands there unmarked,
// even where a person took the output in spite of the gate.
func (j job) settleStatements(ctx context.Context, e supervise.WriteResult, output []byte, r *chargehand.Result) ([]byte, error) {
	s := j.team.Synthesis
	if s == nil {
		return output, nil
	}
	rule := statementsOf(j.team, s.OutputContract)
	if rule == nil {
		return output, nil
	}
	task, err := j.lastTask(ctx, e.Aggregate)
	if err != nil {
		return nil, err
	}
	un, listed := j.kit().gate.Unsupported(gate.Submission{
		Contract: s.OutputContract, Task: task, Result: chargehand.WorkerResult{Output: output},
	})
	if !listed {
		r.MissingEvidence = append(r.MissingEvidence, chargehand.Note{
			Subtask: synthesis, Text: "the output was accepted although it has no statements: nothing in it names what it rests on",
		})
	}
	if len(un) == 0 {
		return output, nil
	}
	done := "marked as unsupported"
	if rule.Unsupported == chargehand.RemoveUnsupported {
		done = "left out as unsupported"
	}
	for _, u := range un {
		r.MissingEvidence = append(r.MissingEvidence, chargehand.Note{
			Subtask: synthesis, Text: fmt.Sprintf("%s: %q: %s", done, plain(u.Text), u.Why),
		})
	}
	return rewrite(output, rule, un)
}

func statementsOf(t *chargehand.Team, contract string) *chargehand.StatementRule {
	name, _, _ := strings.Cut(contract, "@")
	if c := t.Contract(name); c != nil {
		return c.Statements
	}
	return nil
}

// synthesis is the subtask that writes the run's output.
const synthesis = "_synthesis"

// lastTask is what the last step was given, as far as the gate compares with it.
func (j job) lastTask(ctx context.Context, aggregate string) (chargehand.WorkerTask, error) {
	task := chargehand.WorkerTask{TaskID: synthesis}
	o, err := j.objective(ctx)
	if err != nil {
		return task, err
	}
	for _, d := range o.Documents {
		task.InputRefs = append(task.InputRefs, chargehand.InputRef{Hash: d.Hash, Name: d.Name})
	}
	if aggregate != "" {
		task.InputRefs = append(task.InputRefs, chargehand.InputRef{Hash: aggregate, Name: "aggregate", From: "aggregate"})
	}
	return task, j.fill(ctx, task.InputRefs)
}

// rewrite marks statements in an output, or leaves them out of it. Every other value in it stays as
// it was written.
func rewrite(output []byte, rule *chargehand.StatementRule, un []gate.Unsupported) ([]byte, error) {
	why := map[int]string{}
	for _, u := range un {
		why[u.Index] = u.Why
	}
	return within(output, rule.Path, func(list []json.RawMessage) ([]json.RawMessage, error) {
		var out []json.RawMessage
		for i, s := range list {
			reason, bad := why[i]
			switch {
			case !bad:
				out = append(out, s)
			case rule.Unsupported == chargehand.RemoveUnsupported:
			default:
				m, err := marked(s, rule, reason)
				if err != nil {
					return nil, err
				}
				out = append(out, m)
			}
		}
		return out, nil
	})
}

// within changes the list that a JSON pointer leads to, and leaves all else where and as it is.
func within(value json.RawMessage, pointer string, change func([]json.RawMessage) ([]json.RawMessage, error)) (json.RawMessage, error) {
	if pointer == "" {
		list := []json.RawMessage{}
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, fmt.Errorf("read the statements: %w", err)
		}
		list, err := change(list)
		if err != nil || len(list) == 0 {
			return json.RawMessage("[]"), err
		}
		return written(list)
	}
	name, rest, deeper := strings.Cut(pointer[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	start, end, err := find(value, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	if err != nil {
		return nil, err
	}
	inner, err := within(value[start:end], rest, change)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{value[:start], inner, value[end:]}, nil), nil
}

// find is where a member of an object, or an element of a list, stands.
func find(value json.RawMessage, name string) (start, end int, err error) {
	d := json.NewDecoder(bytes.NewReader(value))
	open, err := d.Token()
	if err != nil {
		return 0, 0, fmt.Errorf("read the output: %w", err)
	}
	for i := 0; d.More(); i++ {
		key := json.Token(strconv.Itoa(i))
		if open == json.Delim('{') {
			if key, err = d.Token(); err != nil {
				return 0, 0, fmt.Errorf("read the output: %w", err)
			}
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return 0, 0, fmt.Errorf("read the output: %w", err)
		}
		if key == name {
			end = int(d.InputOffset())
			return end - len(v), end, nil
		}
	}
	return 0, 0, fmt.Errorf("the output has no %q", name)
}

// marked is a statement with the reason why it does not hold, in place of one that it gives itself.
func marked(statement json.RawMessage, rule *chargehand.StatementRule, why string) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(statement, &fields) != nil || fields == nil {
		text := rule.Text
		if text == "" {
			text = "text"
		}
		fields = map[string]json.RawMessage{text: statement}
	}
	reason, err := written(why)
	if err != nil {
		return nil, err
	}
	fields["unsupported"] = reason
	return written(fields)
}

// written is v as JSON, with <, > and & as they are.
func written(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write the statements: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
