package main

import "slices"

// debates settle what is contested, and make nothing acceptable.
var debates = section{pkg: "internal/supervise", tests: []string{
	"TestScripts/debate_agree", "TestScripts/debate_rules", "TestScripts/debate_rules_unfit", "TestScripts/debate_judge",
	"TestScripts/debate_person", "TestScripts/debate_opponent", "TestScripts/debate_bounds", "TestScripts/debate_retry",
}, guards: []guard{
	{
		name: "debate-unfit-agreement", protects: "workers that agree make nothing acceptable that the checks leave to a person (·69)",
		file: "debate.go", on: `if !d.sides[win].fit {`, off: `if false {`,
	},
	{
		name: "debate-unfit-rules", protects: "nor do the rules of adjudication (·69)",
		file: "debate.go", on: `case !d.sides[lead].fit:`, off: `case !d.sides[lead].fit && k == nil:`,
	},
	{
		name: "debate-unfit-choice", protects: "nor does the reviewer's choice (·69)",
		file: "debate.go", on: `case !d.sides[v.Choice-1].fit:`, off: `case false:`,
	},
	{
		name: "debate-no-choice", protects: "a reviewer that chooses nothing leaves it to a person (·69)",
		file: "debate.go", on: `v.Choice != 1 && v.Choice != 2 {`, off: `v.Choice > 2 {`,
	},
	{
		name: "debate-higher-score", protects: "the rules choose a strictly higher score, and nothing between equals (·69)",
		file: "debate.go", on: `	case higher:`, off: `	case higher || lead == 1:`,
	},
	{
		name: "debate-rounds", protects: "a debate ends with its rounds (·69)",
		file: "debate.go", on: `case d.round < d.rounds && m.attemptsLeft(k, next) > 0:`, off: `case m.attemptsLeft(k, next) > 0:`,
	},
	{
		name: "debate-attempts", protects: "and with the attempts (·69, ·70)",
		file: "debate.go", on: `case d.round < d.rounds && m.attemptsLeft(k, next) > 0:`, off: `case d.round < d.rounds && next != nil:`,
	},
	{
		name: "debate-opponent", protects: "nobody argues against themselves (·69)",
		file: "debate.go", on: `return x.Worker == opposes || speaks`, off: `return x.Worker == opposes && false || speaks`,
	},
	{
		name: "debate-second", protects: "where nobody else may do it a person is asked at once (·69)",
		file: "debate.go", on: `case len(m.choose(k.spec, m.question(k, avoid)).Eligible) == 0:`, off: `case len(avoid) == 0:`,
	},
	{
		name: "debate-stale-comparison", protects: "a comparison of earlier positions settles nothing (·55, ·69)",
		file: "debate.go", on: `k.debate.stage != comparing || k.number != in.Attempt {`, off: `k.debate.stage != comparing {`,
	},
}}

// contradictions are heard before an output is accepted.
var contradictions = section{pkg: "internal/supervise", tests: []string{
	"TestScripts/debate_conflict", "TestScripts/debate_conflict_rules", "TestScripts/debate_conflict_rounds", "TestScripts/debate_conflict_alone",
	"TestScripts/debate_conflict_heard", "TestScripts/debate_conflict_bounds", "TestScripts/debate_conflict_unwanted", "TestScripts/debate_conflict_flawed",
}, guards: []guard{
	{
		name: "conflict-debated", protects: "what contradicts an accepted output is debated before it is accepted (·69, ·140)",
		file: "conflict.go", on: `	if len(list) == 0 {`, off: `	if len(list) >= 0 {`,
	},
	{
		name: "conflict-second-voice", protects: "the first two things accepted of a key are held, so that no third goes unheard (·69)",
		file: "conflict.go", on: `len(v) == 1 && v[0].says != x.Says {`, off: `len(v) == 1 && false {`,
	},
	{
		name: "conflict-person", protects: "what a person accepted counts like what the checks did (·69)",
		file: "board.go", on: `			b.stated.take(k)`, off: `			if f.DecidedBy == "" {
				b.stated.take(k)
			}`,
	},
	{
		name: "conflict-unanswered", protects: "what the checks accept and nobody answers is used (·69)",
		file: "debate.go", on: `if d.sides[0].fit && d.sides[1].attempt.number == 0 {`, off: `if false {`,
	},
	{
		name: "conflict-unfit", protects: "but not what the checks leave to a person (·69)",
		file: "debate.go", on: `if d.sides[0].fit && d.sides[1].attempt.number == 0 {`, off: `if d.sides[1].attempt.number == 0 {`,
	},
	{
		name: "conflict-flawed", protects: "a first position with an error in it wins nothing (·69)",
		file: "conflict.go", on: `if standsUp(&k.attempt) {`, off: `if true {`,
	},
	{
		name: "debate-flawed", protects: "nor does an answer with one (·69)",
		file: "debate.go", on: `if f.Acceptable && !standsUp(&k.attempt) {`, off: `if false {`,
	},
	{
		name: "conflict-rules", protects: "the rules look at contradictions before they look at scores (·69)",
		file: "debate.go", on: `	case side >= 0:`, off: `	case false:`,
	},
	{
		name: "conflict-unknown", protects: "and know nothing of what no record holds (·69)",
		file: "conflict.go", on: `!p.fit || p.attempt.stances == nil {`, off: `!p.fit {`,
	},
	{
		name: "conflict-fit", protects: "nor do they let win what the checks do not accept (·69)",
		file: "conflict.go", on: `!p.fit || p.attempt.stances == nil {`, off: `p.attempt.stances == nil {`,
	},
	{
		name: "conflict-once", protects: "a subtask is debated once (·69)",
		file: "conflict.go", on: `	if k.debate.stage != "" || k.synthesis`, off: `	if k.debate.stage != "" && k.debate.confirmed == "" || k.synthesis`,
	},
	{
		name: "conflict-record", protects: "what outputs say stays within what a record holds (·3)",
		file: "conflict.go", on: `	if n > stanceBytes || n+bulk`, off: `	if n < 0 && n+bulk`,
	},
	{
		name: "conflict-keys", protects: "and within a hundred keys",
		file: "conflict.go", on: `!m.compares(k) || len(in.Stances) > maxStances {`, off: `!m.compares(k) {`,
	},
	{
		name: "conflict-unwanted", protects: "records of runs without debates hold nothing of it",
		file: "conflict.go", on: `!m.compares(k) || len(in.Stances) > maxStances {`, off: `len(in.Stances) > maxStances {`,
	},
}}

// advice keeps the history from planning where it may not.
var advice = slices.Concat(
	section{pkg: ".", tests: []string{"TestCheck"}, guards: []guard{{
		name: "advice-risk", protects: "no history advises a team that takes high risks (·25)",
		file: "check_team.go", on: `w.MaxRiskLevel.Level() >= RiskHigh.Level() && w.`, off: `w.MaxRiskLevel.Level() > RiskCritical.Level() && w.`,
	}, {
		name: "debate-reads", protects: "what changes the world is not done twice for a debate (·69)",
		file: "check_plan.go", on: `if s.Debate && !s.Effect.Reads() {`, off: `if false {`,
	}}}.list(),
	section{pkg: "internal/supervise", tests: []string{"TestScripts/advice", "TestScripts/advice_unwanted"}, guards: []guard{{
		name: "advice-confidence", protects: "advice is followed above a confidence of 0.8 only, and where the team wants it (·25)",
		file: "plan.go", on: `a != nil && !(m.team.Planner.Advice && a.Confidence > chargehand.AdviceAbove && a.Confidence <= 1) {`, off: `a != nil && false {`,
	}}}.list(),
	section{pkg: "internal/supervise", tests: []string{
		"TestScripts/plan_effects", "TestScripts/plan_effects_advised", "TestScripts/plan_effects_replan", "TestScripts/plan_effects_own", "TestScripts/plan_effects_allowed",
	}, guards: []guard{{
		name: "plan-effects", protects: "a model's plan that does more than read begins only when a person has approved it (·26, ·200)",
		file: "plan.go", on: `if s := &in.Plan.Subtasks[i]; !s.Effect.Reads() {`, off: `if s := &in.Plan.Subtasks[i]; s == nil {`,
	}, {
		name: "plan-effects-advised", protects: "so does one that was made after another run's (·25, ·200)",
		file: "plan.go", on: `		return in.Advice == nil`, off: `		return true`,
	}, {
		name: "plan-effects-person", protects: "and no policy answers in that person's place (·124, ·200)",
		file: "plan.go", on: `if r.Risk.Level() == 0 {`, off: `if false {`,
	}}}.list(),
	section{pkg: "engine/local", tests: []string{"TestAdvice", "TestNoAdvice", "TestAdviceOfRunsWithGaps"}, guards: []guard{{
		name: "advice-tenant", protects: "no tenant's history advises another (·25)",
		file: "advice.go", on: `where tenant = ? and state`, off: `where (tenant = ? or 1 = 1) and state`,
	}, {
		name: "advice-likeness", protects: "what is not alike enough is not shown (·25)",
		file: "advice.go", on: `if !(best.Confidence > chargehand.AdviceAbove) {`, off: `if best.Run == "" {`,
	}}}.list(),
)

// sides keep a debate's outputs from what rests on sources.
var sides = section{pkg: "engine/local", tests: []string{
	"TestPositionsAreNoSources", "TestDissentIsNoSource", "TestStancesAreTheSidesOfConflicts", "TestStancesOfHostileKeys", "TestStancesOnRecord",
	"TestConformance/has a conflict debated before it is accepted",
}, guards: []guard{
	{
		name: "debate-no-source", protects: "the other side's output is nothing that the gate lets an output rest on (·67, ·69)",
		file: "debate.go", on: `if slices.ContainsFunc(t.InputRefs, ofDebate) {`, off: `if false {`,
	},
	{
		name: "conflict-same-notion", protects: "outputs are compared before they are accepted as conflicts are found afterwards (·69, ·140)",
		file: "debate.go", on: `sha256.Sum256([]byte(t.sides[key][0].value()))`, off: `sha256.Sum256([]byte(items[0].Value))`,
	},
	{
		name: "conflict-plain-keys", protects: "a key that would steer a terminal is in no record (row 50)",
		file: "debate.go", on: `if len(key) > maxKey || plain(key) != key {`, off: `if len(key) > maxKey {`,
	},
	{
		name: "conflict-seen-by-person", protects: "what a person may accept says what it does like any other (·69)",
		file: "attempt.go", on: `	} else if l.Stances {`, off: `	} else if false {`,
	},
	{
		name: "conflict-confirmed", protects: "a conflict names who confirmed a side (·140)",
		file: "aggregate.go", on: `ConfirmedBy: s.confirmedBy(),`, off: `ConfirmedBy: nil,`,
	},
}}
