package main

import "slices"

// secrets are what keeps values of the environment from being repeated.
var secrets = section{pkg: "internal/secret", guards: []guard{
	{
		name: "secret-redact", protects: "no message repeats a secret (row 63)",
		file: "secret.go", on: `text = strings.ReplaceAll(text, f.text, "$"+f.name)`, off: `_ = f`,
		tests: []string{"TestRedact"},
	},
	{
		name: "secret-longest", protects: "nor the rest of one that begins with another (row 63)",
		file: "secret.go", on: `cmp.Or(len(b.text)-len(a.text), `, off: `cmp.Or(len(a.text)-len(b.text), `,
		tests: []string{"TestRedact"},
	},
	{
		name: "secret-spelt", protects: "nor a secret that a string of JSON spells in another way (row 63)",
		file: "json.go", on: `case bytes.IndexByte(token, '\\') < 0:`, off: `default:`, tests: []string{"TestRedactJSON"},
	},
	{
		name: "secret-number", protects: "nor one that stands as a number (row 63)",
		file: "json.go", on: `if !alone(text, forms) {`, off: `if true || !alone(text, forms) {`, tests: []string{"TestRedactJSON"},
	},
	{
		name: "secret-environment", protects: "a process sees four variables and what the team adds (·53)",
		file: "secret.go", on: `env := []string{}`, off: `env := os.Environ()`, tests: []string{"TestEnvironment"},
	},
}}

// screens are what a terminal or a program is shown of runs.
var screens = section{pkg: "internal/cli/progress", guards: []guard{
	{
		name: "texts-escaped", protects: "what a worker says acts on no terminal and begins no line (row 50)",
		file: "plain.go", on: `strconv.Quote(term.Line(string(s.text)))`, off: `string(s.text)`, tests: []string{"TestTexts"},
	},
	{
		name: "texts-give-way", protects: "a record waits for no texts (·162)",
		file: "watch.go", on: `			w.take(m)
			continue
		default:`, off: `			w.take(m)
		case s := <-said:
			w.hear(s)
		default:`, tests: []string{"TestTextsGiveWay"},
	},
	{
		name: "texts-provisional", protects: "what a program reads of a text says that it is no record (·162)",
		file: "jsonl.go", on: `s.SchemaVersion, s.Provisional, s.Time = 1, true,`, off: `s.SchemaVersion, s.Provisional, s.Time = 1, false,`, tests: []string{"TestTextIsNoRecord", "TestTexts"},
	},
}}

// texts are what strangers write, held to one meaning.
var texts = section{pkg: "internal/ijson", tests: []string{"TestCheck"}, guards: []guard{
	{
		name: "answer-key-twice", protects: "an answer in which a key occurs twice is garbage (row 18)",
		file: "ijson.go", on: `if seen[key] {`, off: `if seen[key] && depth < 0 {`,
	},
	{
		name: "answer-depth", protects: "so is one nested beyond measure (row 18)",
		file: "ijson.go", on: `if depth == maxDepth {`, off: `if depth < 0 {`,
	},
	{
		name: "answer-utf-8", protects: "so is one that is not UTF-8 (row 20)",
		file: "ijson.go", on: `if !utf8.Valid(b) {`, off: `if utf8.Valid(b) && len(b) < 0 {`,
	},
	{
		name: "answer-surrogates", protects: "so is one with half a character (row 20)",
		file: "ijson.go", on: `if halfSurrogate(b) {`, off: `if false {`,
	},
	{
		name: "answer-numbers", protects: "so is one with a number that no reader can hold (row 18)",
		file: "ijson.go", on: `if _, err := strconv.ParseFloat(string(n), 64); err != nil {`, off: `if _, err := strconv.ParseFloat(string(n), 64); err != nil && n == "" {`,
	},
}}

// workers are the ways an answer comes in.
var workers = section{pkg: "worker", tests: []string{"TestDecodeGarbage"}, guards: []guard{
	{
		name: "answer-sound", protects: "an answer that two readers could take for two things is garbage (row 18)",
		file: "result.go", on: `err := ijson.Check(b)`, off: `var err error`,
	},
	{
		name: "answer-members", protects: "a result with members that no result has is garbage (row 61)",
		file: "result.go", on: `if !resultMembers()[name] {`, off: `if resultMembers() == nil {`,
	},
	{
		name: "answer-to-this-task", protects: "a result of another task is not this one's (row 21)",
		file: "result.go", on: `case r.TaskID != "" && r.TaskID != t.TaskID:`, off: `case false:`,
	},
	{
		name: "answer-to-this-attempt", protects: "nor is one of another attempt (row 21)",
		file: "result.go", on: `case r.Attempt != 0 && r.Attempt != t.Attempt:`, off: `case false:`,
	},
	{
		name: "answer-usage", protects: "a negative usage is refused (row 25)",
		file: "result.go", on: `case negative(r.Usage):`, off: `case false:`,
	},
	{
		name: "answer-status", protects: "a status that is none is refused (row 18)",
		file: "result.go", on: `case !isStatus(r.Status):`, off: `case false:`,
	},
	{
		name: "answer-elsewhere", protects: "a result that only names its output is not taken for one with an empty output (·3)",
		file: "result.go", on: `case r.OutputRef != "" && (`, off: `case false && (`, tests: []string{"TestOutputsGoInline"},
	},
	{
		name: "answer-elsewhere-refused", protects: "nor is the result itself shown to the gate as an output (·3)",
		file: "result.go", on: `return spent(r), unsealed(b, err)`, off: `return spent(r), garbage(b, err)`, tests: []string{"TestOutputsGoInline"},
	},
	{
		name: "process-output-cap", protects: "a process that writes without end is cut off (row 19)",
		file: "exec.go", on: `n := min(int64(len(b)), h.left)`, off: `n := int64(len(b))`,
		tests: []string{"TestExecLimitIsExact"},
	},
	{
		name: "process-exit-code", protects: "a process that fails has not succeeded, whatever it wrote (·81)",
		file: "exec.go", on: `err == nil && r.Status != chargehand.StatusSucceeded {`, off: `err == nil {`,
		tests: []string{"TestExecCrash"},
	},
	{
		name: "process-group", protects: "what a process started goes with it (row 17)",
		file: "exec.go", on: `defer killGroup(cmd)`, off: `_ = killGroup`,
		tests: []string{"TestExecGrandchild"},
	},
	{
		name: "service-output-cap", protects: "a service that answers without end is cut off (row 19)",
		file: "http.go", on: `case int64(len(body)) > s.limits.outputBytes():`, off: `case false:`,
		tests: []string{"TestHTTPLimitIsExact"},
	},
	{
		name: "service-redirect", protects: "no task is sent on to another address (row 52)",
		file: "http.go", on: `return http.ErrUseLastResponse`, off: `return nil`,
		tests: []string{"TestHTTPRedirectIsNotFollowed"},
	},
	{
		name: "service-header", protects: "no header can be smuggled in by a variable (row 55)",
		file: "http.go", on: `return r < ' ' || r == 0x7f`, off: `return r < 0`,
		tests: []string{"TestHTTPHeaderFaults"},
	},
	{
		name: "worker-secrets", protects: "what a worker's process says repeats no secret (row 63)",
		file: "exec.go", on: `known.Redact(e.stderr.String())`, off: `e.stderr.String()`, tests: []string{"TestExecStderr"},
	},
	{
		name: "worker-answer-secret", protects: "nor what a program or a service answers (row 63)",
		file: "result.go", on: `b = known.RedactJSON(b)`, off: `_ = known`, tests: []string{"TestExecSaysNoSecret", "TestHTTPSaysNoSecret"},
	},
	{
		name: "exec-error-secret", protects: "nor the error of a program's answer that is no result (row 63)",
		file: "exec.go", on: `failure.hide(known)`, off: `_ = failure.hide`, tests: []string{"TestExecSaysNoSecret"},
	},
	{
		name: "http-error-secret", protects: "nor that of a service's (row 63)",
		file: "http.go", on: `failure.hide(known)`, off: `_ = failure.hide`, tests: []string{"TestHTTPSaysNoSecret"},
	},
	{
		name: "worker-panic", protects: "a function that panics ends its attempt, not the process (row 4)",
		file: "worker.go", on: `		if v := recover(); v != nil {
			r, err = chargehand.WorkerResult{}, panicked(v)
		}
	}()
	if r, err`, off: `		if v := any(nil); v != nil {
			r, err = chargehand.WorkerResult{}, panicked(v)
		}
	}()
	if r, err`,
		tests: []string{"TestFuncPanic"},
	},
	{
		name: "retry-write", protects: "what may have been done is not sent again without a key (row 29)",
		file: "retry.go", on: `(s.ctx.Value(onceKey{}) != nil && s.begun)`, off: `(s.ctx.Value(onceKey{}) != nil && s.tried < 0)`,
		tests: []string{"TestRetry"},
	},
	{
		name: "verdict-contradiction", protects: "a reviewer that accepts and says a layer failed has not accepted (·4)",
		file: "verdict.go", on: `if v.Recommendation == chargehand.Accept && !(v.SchemaPass && v.CompletenessPass && v.ConsistencyPass) {`, off: `if false {`,
		tests: []string{"TestDecodeVerdictMalformed"},
	},
}}

// api is what is asked over HTTP.
var api = section{pkg: "internal/httpapi", tests: []string{"TestRequests"}, guards: []guard{
	{
		name: "own-machine", protects: "a request that names another host is refused (row 60)",
		file: "handler.go", on: `if r.Host != "" && !dial.ThisMachine(r.Host) {`, off: `if r.Host != "" && !dial.ThisMachine(r.Host) && mux == nil {`,
	},
	{
		name: "cross-origin", protects: "a web page of another origin can ask nothing (row 60)",
		file: "handler.go", on: `if err := origin.Check(r); err != nil {`, off: `if err := origin.Check(r); err != nil && r == nil {`,
	},
	{
		name: "unknown-fields", protects: "fields that mean nothing here are refused (row 61)",
		file: "body.go", on: `d.DisallowUnknownFields()`, off: `_ = d`,
	},
	{
		name: "body-size", protects: "a body has a limit (row 62)",
		file: "body.go", on: `http.MaxBytesReader(w, r.Body, limit)`, off: `r.Body`,
	},
	{
		name: "one-body", protects: "a body holds one value (row 61)",
		file: "body.go", on: `if _, err := d.Token(); !errors.Is(err, io.EOF) {`, off: `if _, err := d.Token(); errors.Is(err, http.ErrAbortHandler) || limit < 0 && !errors.Is(err, io.EOF) {`,
	},
	{
		name: "unknown-parameter", protects: "parameters that mean nothing here are refused (row 61)",
		file: "body.go", on: `if !slices.Contains(known, name) {`, off: `if slices.Contains(known, name) && name == "" {`,
	},
}}

// bodies are what clients send, held to one meaning before anything is read off them.
var bodies = slices.Concat(
	section{pkg: "internal/chatapi", tests: []string{"TestABodyHasOneMeaning"}, guards: []guard{{
		name: "chat-body", protects: "a chat request has one meaning (·203)",
		file: "request.go", on: `if err := ijson.Check(body); err != nil {`, off: `if err := ijson.Check(body); err != nil && len(body) == 0 {`,
	}}}.list(),
	section{pkg: "internal/a2aapi", tests: []string{"TestABodyHasOneMeaning"}, guards: []guard{{
		name: "a2a-body", protects: "a message to an agent has one meaning (·203)",
		file: "rest.go", on: `if err := ijson.Check(body); err != nil {`, off: `if err := ijson.Check(body); err != nil && len(body) == 0 {`,
	}}}.list(),
	section{pkg: "internal/mcpapi", tests: []string{"TestHostileRequests"}, guards: []guard{{
		name: "mcp-body", protects: "a call of a tool has one meaning (·203)",
		file: "http.go", on: `if err = ijson.Check(body); err != nil {`, off: `if err = ijson.Check(body); err != nil && len(body) == 0 {`,
	}}}.list(),
)

// lines are messages of an MCP client on standard input.
var lines = section{pkg: "internal/mcpapi", tests: []string{"TestStdioOutlivesWhatIsNoMessage"}, guards: []guard{
	{
		name: "stdio-no-json", protects: "a line that is no message does not end the server (·203)",
		file: "stdio.go", on: `if err := ijson.Check(line); err != nil {`, off: `if err := ijson.Check(line); err != nil && len(line) == 0 {`,
	},
	{
		name: "stdio-no-rpc", protects: "nor does JSON that is none (·203)",
		file: "stdio.go", on: `if _, err := jsonrpc.DecodeMessage(raw); err != nil {`, off: `if _, err := jsonrpc.DecodeMessage(raw); err != nil && len(raw) == 0 {`,
	},
	{
		name: "stdio-long", protects: "nor one too long, of which no more is kept (·203)",
		file: "stdio.go", on: `len(line)+len(piece) > l.most+1`, off: `len(line) > 1<<30`,
	},
}}
