package main

// executors let calls of tools through, or not.
var executors = section{pkg: "tool", tests: []string{"TestWhatIsLetThrough"}, guards: []guard{
	{
		name: "tool-grant", protects: "a tool that is not listed cannot be called (·54, row 26)",
		file: "executor.go", on: `if g == nil {`, off: `if g == nil && len(x.list) > 0 {
		g = x.list[0]
	}
	if g == nil {`,
	},
	{
		name: "tool-schema-words", protects: "nothing hides in the words of a tool's schema (row 31, row 50)",
		file: "grant.go", on: `d.Schema = cleanWords(d.Schema)`, off: `_ = cleanWords`, tests: []string{"TestSchemasAreShownClean"},
	},
	{
		name: "tool-effect", protects: "a subtask that reads has tools that read (·54)",
		file: "grant.go", on: `case may.Reads():`, off: `case false:`,
	},
	{
		name: "tool-final", protects: "what cannot be taken back needs an approval of the very call (·120)",
		file: "grant.go", on: `case does.Final():`, off: `case does.Final() && may.Final():
		return ""
	case false:`,
	},
	{
		name: "tool-unnamed", protects: "a tool the team says nothing of counts as one that writes (·54)",
		file: "belt.go", on: `found.Effect = chargehand.EffectWrite`, off: `found.Effect = chargehand.EffectRead`,
		tests: []string{"TestAToolThatTheTeamDoesNotNameWrites"},
	},
	{
		name: "tool-arguments", protects: "arguments fit the tool's schema (·54)",
		file: "executor.go", on: `return json.RawMessage(arguments), g.arguments.check(v)`, off: `return json.RawMessage(arguments), nil`,
	},
	{
		name: "tool-calls", protects: "no more calls than the attempt may make, however many at once (·54, row 26)",
		file: "executor.go", on: `case x.calls >= x.most:`, off: `case x.calls > x.most:`,
		tests: []string{"TestCallsAreCountedUnderParallelCalls"},
	},
	{
		name: "tool-pin", protects: "the first definition a run sees is the one it goes by (row 31)",
		file: "grant.go", on: `if pinned == digest {`, off: `if pinned != "" {`,
		tests: []string{"TestAChangedDefinitionVoidsTheGrant", "TestPinsComeFromTheRecordAndTheTeam"},
	},
	{
		name: "tool-unchanged", protects: "a definition that changes during an attempt voids its grant (row 31)",
		file: "executor.go", on: `if now == g.digest {`, off: `if now != "" {`,
		tests: []string{"TestAChangedDefinitionVoidsTheGrant"},
	},
	{
		name: "tool-once", protects: "a write that may have happened is not made again (row 29)",
		file: "send.go", on: `if !nothing && !again {`, off: `if !nothing && !again && false {`, tests: []string{"TestWhatIsCalledAgain"},
	},
	{
		name: "tool-unknown", protects: "of a write that was lost it is said that its outcome is not known (row 29)",
		file: "send.go", on: `if e, ok := errors.AsType[*Error](err); err != nil && !(ok && e.NotBegun) {`, off: `if false {`,
		tests: []string{"TestWhatIsCalledAgain"},
	},
	{
		name: "tool-same-write", protects: "one key is one deed (·55)",
		file: "send.go", on: `d, again := x.done[key]`, off: `d, again := x.done[key+"?"]`, tests: []string{"TestTheSameWriteIsMadeOnce"},
	},
	{
		name: "tool-earlier", protects: "what an attempt has written the next one does not write again (·55)",
		file: "send.go", on: `if !g.Idempotent && slices.Contains(x.before, action) {`, off: `if !g.Idempotent && slices.Contains(x.before, action) && false {`,
		tests: []string{"TestTheNextAttemptDoesNotWriteAgain"},
	},
	{
		name: "tool-promise", protects: "an answer fits the schema its tool declares (row 31)",
		file: "send.go", on: `if err := g.answer.check(v); err != nil {`, off: `if err := g.answer.check(v); err != nil && false {`,
		tests: []string{"TestAnswers"},
	},
	{
		name: "answer-log", protects: "a log has no words of an answer that breaks its tool's word (·182)",
		file: "send.go", on: `"fault", b.what)`, off: `"fault", b.Error())`, tests: []string{"TestALogHoldsNoWordsOfAnAnswer"},
	},
	{
		name: "schema-steps", protects: "comparing with a server's schema takes a bounded number of steps (row 31)",
		file: "schema.go", on: `c.schema.steps += c.weight`, off: `c.schema.steps += c.weight - c.weight`,
		tests: []string{"TestStepsAreBounded"},
	},
	{
		name: "schema-remote", protects: "nothing is fetched for a schema (·202)",
		file: "schema.go", on: `c.UseLoader(refuser{})`, off: `_ = refuser{}`, tests: []string{"TestNothingIsFetchedForASchema"},
	},
}}

// servers are tools elsewhere.
var servers = section{pkg: "tool/mcp", guards: []guard{
	{
		name: "mcp-own-errors", protects: "an error of the transport's own is not taken for a server's word (row 29)",
		file: "answer.go", on: `ok && !ours(e)`, off: `ok`, tests: []string{"TestWhatIsKnownOfALostCall"},
	},
	{
		name: "mcp-sent", protects: "a call that may have reached its server is not said to be unsent (row 29)",
		file: "sending.go", on: `s.begun.Store(true)`, off: `s.begun.Store(false)`, tests: []string{"TestAProcessThatDiesMidCallIsStartedAgain", "TestWhatIsKnownOfALostCall"},
	},
	{
		name: "mcp-redirect", protects: "a server leads nobody elsewhere (row 52)",
		file: "http.go", on: `client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }`,
		off: `client.CheckRedirect = nil`, tests: []string{"TestRedirectsAreNotFollowed"},
	},
	{
		name: "sign-in-asks", protects: "an engine has nobody sign in (·67)",
		file: "signin.go", on: `	return ErrSignIn
`, off: `	return nil
`, tests: []string{"TestNobodyToAsk"},
	},
	{
		name: "sign-in-headers", protects: "an authorization server gets none of a team's headers (row 63)",
		file: "http.go", on: `issuer := c.by(client, nil)`, off: `issuer := c.by(client, headers)`, tests: []string{"TestSigningIn"},
	},
	{
		name: "sign-in-hidden", protects: "no tool's answer repeats a token (row 63)",
		file: "signin.go", on: `s.known.Add("ACCESS_TOKEN", t.AccessToken)`, off: `_ = t.AccessToken`, tests: []string{"TestSigningIn"},
	},
	{
		name: "sign-in-renewed", protects: "a token that another process has renewed is not renewed again (row 63)",
		file: "grant.go", on: `	t.take(kept)
	return true`, off: `	return false`, tests: []string{"TestOldTokens"},
	},
	{
		name: "mcp-list", protects: "a list of tools has an end (row 31)",
		file: "list.go", on: `case len(list) > opt.MaxTools:`, off: `case false:`, tests: []string{"TestListsThatAreTooMuch/10,000_tools"},
	},
	{
		name: "mcp-asks", protects: "a server is not answered by a person (·200)",
		file: "answer.go", on: `Action: "decline"`, off: `Action: "accept"`, tests: []string{"TestWhatAServerMayNotHave"},
	},
	{
		name: "mcp-children", protects: "what a server started ends with it (row 29)",
		file: "process.go", on: `	p.end = p.cmd.Wait()
	killGroup(p.cmd)`, off: `	p.end = p.cmd.Wait()`, tests: []string{"TestWhatAServerStartedEndsWithIt"},
	},
}}

// leftovers are processes that a command would leave behind.
var leftovers = section{pkg: "internal/cli", tests: []string{"TestScripts/tools_end"}, guards: []guard{
	{
		name: "let-go", protects: "a command that has ended leaves no tool server (row 29)",
		file: "cli.go", on: `	c, ok := a.Agents.(io.Closer)`, off: `	c, ok := any(nil).(io.Closer)`,
	},
}}

// pins are what a run goes by.
var pins = section{pkg: "internal/supervise", tests: []string{"TestScripts"}, guards: []guard{
	{
		name: "changed-tools", protects: "an attempt whose tools had changed goes to a person (row 31)",
		file: "verdict.go", on: `case len(k.attempt.changed) > 0:`, off: `case false:`,
	},
	{
		name: "changed-tools-late", protects: "what had changed for an attempt that is over does not block its successor (·54, ·55)",
		file: "tools.go", on: `if f.Changed != nil && k.state == chargehand.SubtaskRunning && k.number == f.Attempt {`, off: `if f.Changed != nil {`,
		tests: []string{"TestScripts/tools_late"},
	},
	{
		name: "stopped-tools", protects: "what the tools of a stopped attempt did is on record (·54)",
		file: "attempt.go", on: `m.noteTools(now, in.AttemptRef, in.Tools, out)
	m.record(now, chargehand.AttemptStopped{`, off: `m.record(now, chargehand.AttemptStopped{`, tests: []string{"TestScripts/tools_late"},
	},
	{
		name: "late-tools", protects: "so is what those of one did that comes late (·54, ·55)",
		file: "attempt.go", on: `m.noteTools(now, f.AttemptRef, r, out)`, off: `_ = r`, tests: []string{"TestScripts/tools_late"},
	},
	{
		name: "done-actions", protects: "an attempt is told what earlier ones have done (·55)",
		file: "tools.go", on: `k.actions = append(k.actions, f.Done...)`, off: `k.actions = k.actions[:len(k.actions):len(k.actions)]`,
	},
	{
		name: "pin-conflict", protects: "what an attempt went by is compared with what its run goes by (row 31)",
		file: "tools.go", on: `case p.Digest:`, off: `case p.Digest, "d1":`,
	},
	{
		name: "team-digest", protects: "nobody lets stand what the team itself names otherwise (row 31)",
		file: "tools.go", on: `return c.Team || c.Now == ""`, off: `return false`,
	},
	{
		name: "tools-hash", protects: "a decision is about the very definitions that are there (·125)",
		file: "desk.go", on: `r.Description + listed(r.Changes)`, off: `r.Description`, tests: []string{"TestADecisionNamesTheDefinitions"},
	},
}}
