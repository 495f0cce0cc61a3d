package main

import "slices"

// models are agents that obey whoever speaks last.
var models = section{pkg: "agent", guards: []guard{
	{
		name: "settle-by-step", protects: "a call is settled at the step of the price that its own input reaches (·90)",
		file: "meter.go", on: `used.Bill(m.price)`, off: `used.Most(m.price)`, tests: []string{"TestSettleByStep", "TestLedgerByStep"},
	},
	{
		name: "reserve-dearest", protects: "and covered at the dearest, before its length is known (·90)",
		file: "meter.go", on: `most.Most(m.price)`, off: `most.Bill(m.price)`, tests: []string{"TestCoverAtTheDearest"},
	},
	{
		name: "frame-marker", protects: "no data can hold the marker that ends it (·67, row 49)",
		file: "frame.go", on: `fmt.Fprintf(sum, "%q %q %q %q %d\n%s\n", f.Field, f.Name, f.From, f.Hash, len(f.text), f.text)`,
		off: `fmt.Fprintf(sum, "%q", f.Field)`, tests: []string{"TestFrameIsUnforgeable"},
	},
	{
		name: "frame-heading", protects: "a document's name cannot break out of its heading (·67)",
		file: "frame.go", on: `heading, err := json.Marshal(&fields[i])`, off: `heading, err := []byte(fields[i].Field+fields[i].Name), json.Unmarshal([]byte("1"), new(int))`,
		tests: []string{"TestHeading"},
	},
	{
		name: "prompt-role", protects: "the name of a role is no part of a system prompt (·24, ·67)",
		file: "prompt.go", on: `return roles[generalist]`, off: `return name`, tests: []string{"TestRoles", "TestSystemPromptIsTheTeams"},
	},
	{
		name: "judge-malformed", protects: "what is no verdict is never an ACCEPT (·4, ·66)",
		file: "judge.go", on: `return resp.Text, record, ended(resp, r.Tokens())`, off: `return resp.Text, record, nil`, tests: []string{"TestReviewAnswers"},
	},
	{
		name: "answer-cut", protects: "an answer that was cut off is rejected as that, however its JSON looks (·61)",
		file: "talk.go", on: `fmt.Errorf("%w at maxTokens`, off: `fmt.Errorf("%v at maxTokens`, tests: []string{"TestCutOff"},
	},
	{
		name: "judge-calls", protects: "a reviewer calls no tool (·66)",
		file: "judge.go", on: `case len(resp.Calls) > 0:`, off: `case false:`, tests: []string{"TestReviewAnswers"},
	},
	{
		name: "judge-task", protects: "a task of a run is no review, whatever its input says (·200)",
		file: "judge.go", on: `if t.RunID != "" || t.ExpectedOutputContract != "" {`, off: `if false {`, tests: []string{"TestReviewAsTask"},
	},
	{
		name: "plan-assignee", protects: "a model names no worker (·13)",
		file: "plan.go", on: `else if _, names := fields["assignee"]; names {`, off: `else if _, names := fields["assignee"]; names && len(fields) == 0 {`,
		tests: []string{"TestPlansRefused"},
	},
	{
		name: "plan-beyond", protects: "what a plan says beyond its schema is refused: budgets, policies (·200)",
		file: "plan.go", on: `d.DisallowUnknownFields()`, off: `_ = d`, tests: []string{"TestPlansRefused"},
	},
	{
		name: "planner-names", protects: "a planner does not learn who is at work (·13)",
		file: "registry.go", on: `w.Description != "" && !namesWorker(t, w.Description)`, off: `w.Description != ""`, tests: []string{"TestPlannerSeesCapabilities"},
	},
	{
		name: "agent-offer", protects: "an agent makes no call that is not offered (·54, row 49)",
		file: "calls.go", on: `if t.request.Tools[i].Name == name {`, off: `if t.request.Tools[i].Name == name || name != "" {`, tests: []string{"TestRefusedCalls"},
	},
	{
		name: "agent-calls", protects: "nor more of them than it may (·54)",
		file: "calls.go", on: `case t.made >= t.calls:`, off: `case false:`, tests: []string{"TestToolLimit"},
	},
	{
		name: "begun-by-tools", protects: "an attempt whose tools did something is not taken for one that did nothing (row 29)",
		file: "failure.go", on: `idle := spent == chargehand.Usage{}`, off: `idle := true`, tests: []string{"TestBegunByTools"},
	},
	{
		name: "tool-answer-framed", protects: "what a tool answers reaches a model as data (·67)",
		file: "calls.go", on: `return frame(introOfToolCall, []field{{Field: "tool answer", Name: c.Name, text: text}}), failed`, off: `return text, failed`,
		tests: []string{"TestToolCall"},
	},
	{
		name: "opaque-back", protects: "a provider gets back what it wants back (·54)",
		file: "calls.go", on: `r.Message(),`, off: `model.Message{Role: model.Assistant, Text: r.Text, Calls: r.Calls},`, tests: []string{"TestThinkingModelWithTools"},
	},
	{
		name: "opaque-cover", protects: "what goes back to a provider is covered (·90)",
		file: "meter.go", on: `n := len(m.Text) + len(m.Opaque) + perMessage`, off: `n := len(m.Text) + perMessage`, tests: []string{"TestCoverOpaque"},
	},
	{
		name: "transcript-tried", protects: "a model that was not asked has said nothing (·68)",
		file: "llm.go", on: `if err == nil || talk.meter.tried {`, off: `if true {`, tests: []string{"TestNoTranscriptWithoutACall"},
	},
	{
		name: "answer-form", protects: "an answer that is none is not mended (·61)",
		file: "answer.go", on: `if _, ok := parts["output"]; !ok {`, off: `if parts == nil {`, tests: []string{"TestStops", "TestTypedResult"},
	},
}}

// thoughts are of models, and not text.
var thoughts = slices.Concat(
	section{pkg: "model/anthropic", tests: []string{"TestThoughtsAreBounded"}, guards: []guard{
		{
			name: "thought-place", protects: "thinking goes back to where it stood (·54)",
			file: "thinking.go", on: `until(t.Text, t.Calls)`, off: `_ = t.Text`, tests: []string{"TestThoughtsKeepTheirPlace"},
		},
		{
			name: "thought-size", protects: "what a model thinks counts towards the size of its answer",
			file: "thinking.go", on: `return a.Think(words)`, off: `return nil`,
		},
		{
			name: "thought-signature-size", protects: "and its signature does",
			file: "thinking.go", on: `return a.Think(signature)`, off: `return nil`,
		},
		{
			name: "thought-sealed-size", protects: "and a block of which nothing can be read",
			file: "thinking.go", on: `return a.Think(block)`, off: `return nil`,
		},
	}}.list(),
	section{pkg: "model/openai", tests: []string{"TestReasoningGoesBackWhereWanted"}, guards: []guard{
		{
			name: "reasoning-kept", protects: "what was reasoned goes to no server that has not asked for it",
			file: "back.go", on: `	if b.reasoned {`, off: `	if true {`,
		},
		{
			name: "reasoning-learned", protects: "and to one that has, without asking again",
			file: "openai.go", on: `out[wire.ForgetMean] = []string{"reasoning_content"}`, off: `_ = r`,
		},
	}}.list(),
	section{pkg: "model/internal/wire", guards: []guard{{
		name: "attached-size", protects: "what stands beside a call counts towards the size of its answer",
		file: "answer.go", on: `return a.hold(len(opaque))`, off: `return nil`, tests: []string{"TestAttach"},
	}}}.list(),
)

// confidences are secrets that tool servers are given.
var confidences = section{pkg: "tool/mcp", tests: []string{"TestAServerThatTellsItsSecretIsNotHeard"}, guards: []guard{
	{
		name: "mcp-answer-secret", protects: "a server that repeats what it was told in confidence is not heard (row 63)",
		file: "server.go", on: `c.known.Redact(a.Text), c.known.RedactJSON(a.Structured)`, off: `a.Text, a.Structured`,
	},
	{
		name: "mcp-definition-secret", protects: "nor where its definitions say it (row 63)",
		file: "list.go", on: `Description: c.known.Redact(t.Description)`, off: `Description: t.Description`,
	},
}}
