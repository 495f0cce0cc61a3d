package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

const (
	thinks = chargehand.WrapThink
	fences = chargehand.WrapFence
)

// What a team declares is taken off and recorded; anything else around an answer is named and refused.
func TestUnwrap(t *testing.T) {
	const fenced = "```json\n" + fine + "\n```"
	for name, c := range map[string]struct {
		text   string
		unwrap []chargehand.Wrapping
		taken  string // in the transcript; empty means that it is refused
		says   string // by the refusal
	}{
		"declared fence":            {fenced, []chargehand.Wrapping{fences}, `"unwrapped":["fence"]`, ""},
		"fence without a language":  {"\n```\n" + fine + "```  ", []chargehand.Wrapping{fences}, `"unwrapped":["fence"]`, ""},
		"declared thought":          {"<think>\nhm {\n</think>\n" + fine, []chargehand.Wrapping{thinks}, `"unwrapped":["think"]`, ""},
		"no opening tag":            {"hm\n</think>\n\n" + fine, []chargehand.Wrapping{thinks}, `"unwrapped":["think"]`, ""},
		"both":                      {"<think>hm</think>\n" + fenced, []chargehand.Wrapping{fences, thinks}, `"unwrapped":["think","fence"]`, ""},
		"fence, nothing declared":   {fenced, nil, "", "`llm.unwrap: [fence]`"},
		"thought, nothing declared": {"<think>hm</think>" + fine, nil, "", "`llm.unwrap: [think]`"},
		"fence, thought declared":   {fenced, []chargehand.Wrapping{thinks}, "", "`llm.unwrap: [fence]`"},
		"words around the fence":    {"Here it is:\n" + fenced, []chargehand.Wrapping{fences, thinks}, "", "no word before it"},
		"a fence that is not ended": {"```json\n" + fine, []chargehand.Wrapping{fences}, "", "code fence"},
	} {
		t.Run(name, func(t *testing.T) {
			m := does(model.Response{Text: c.text, Stop: model.StopEnd})
			r, err := make1(t, options(m), chargehand.WorkerSpec{LLM: &chargehand.LLMKind{Unwrap: c.unwrap}}).Do(t.Context(), task())
			if c.taken == "" {
				e, ok := errors.AsType[*worker.Error](err)
				if !ok || e.Kind != worker.Garbage || !strings.Contains(err.Error(), c.says) || string(e.Raw) != c.text {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || string(r.Output) != `{"n":900}` || !strings.Contains(string(r.Transcript), c.taken) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	t.Run("what needs none", func(t *testing.T) {
		m := does(model.Response{Text: fine, Stop: model.StopEnd})
		r, err := make1(t, options(m), chargehand.WorkerSpec{LLM: &chargehand.LLMKind{Unwrap: []chargehand.Wrapping{fences, thinks}}}).Do(t.Context(), task())
		if err != nil || strings.Contains(string(r.Transcript), "unwrapped") {
			t.Errorf("%s, %v", r.Transcript, err)
		}
	})
	t.Run("a reviewer", func(t *testing.T) {
		verdict := "```json\n" + `{"schemaPass":true,"completenessPass":true,"consistencyPass":true,"confidence":8,"recommendation":"ACCEPT","feedback":"","reasoning":"","criteria":{},"issues":[]}` + "\n```"
		for _, declared := range [][]chargehand.Wrapping{nil, {fences}} {
			w := make1(t, options(says(verdict)), chargehand.WorkerSpec{LLM: &chargehand.LLMKind{Unwrap: declared}}).(worker.Reviewer)
			v, _, err := w.Review(t.Context(), chargehand.ReviewerTask{TaskID: "rent", WorkerOutput: "{}"})
			if (err == nil) != (declared != nil) || err == nil && v.Confidence == 0 {
				t.Errorf("declared %v: %+v, %v", declared, v, err)
			}
		}
	})
}
