//go:build unix

package worker

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// actor is the worker that runs this binary as mode.
func actor(t *testing.T, mode string, env map[string]string, l Limits) Worker {
	t.Helper()
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	env["WORKER"] = mode
	for name, value := range env {
		env[name] = strings.ReplaceAll(value, "$", "$$")
	}
	kind := chargehand.ExecKind{Command: []string{os.Args[0]}, Env: env}
	if kind.Network = env["CALL"] != ""; env["OUT_FILE"] != "" {
		kind.Read = []string{env["OUT_FILE"]}
	}
	return command(t, kind, l)
}

func command(t *testing.T, kind chargehand.ExecKind, l Limits) Worker {
	t.Helper()
	if testing.CoverMode() != "" && kind.Env != nil {
		kind.Env["GOCOVERDIR"] = t.TempDir() // without it an actor complains on stderr
		kind.Write = append(kind.Write, kind.Env["GOCOVERDIR"])
	}
	w, err := NewExec(&chargehand.WorkerSpec{WorkerID: "reader", Kind: chargehand.KindExec, Exec: &kind}, "", l)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestExecResult(t *testing.T) {
	for _, tt := range []struct {
		name, mode string
		env        map[string]string
		status     chargehand.ResultStatus
		output     string
	}{
		{"the task arrives", "echo", nil, chargehand.StatusSucceeded, `{"goal":"find the \u003cclauses\u003e","input":{"n":1},"key":"run1/clauses/2"}`},
		{"bare value", "print", map[string]string{"OUT": `[1]`, "ERR": "just a word"}, chargehand.StatusSucceeded, `[1]`},
		{"full result", "print", map[string]string{"OUT": `{"status":"blocked","output":{},"blockers":["x"]}`}, chargehand.StatusBlocked, `{}`},
		{"admits its failure", "print", map[string]string{"OUT": `{"status":"failed","output":0}`, "CODE": "4"}, chargehand.StatusFailed, `0`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := actor(t, tt.mode, tt.env, Limits{}).Do(t.Context(), someTask())
			if err != nil || r.Status != tt.status || string(r.Output) != tt.output || r.WorkerName != "reader" {
				t.Errorf("%+v (%s), %v", r, r.Output, err)
			}
		})
	}
}

func TestExecGarbage(t *testing.T) {
	w := func(file string) Worker { return actor(t, "print", map[string]string{"OUT_FILE": file}, Limits{}) }
	for _, tt := range garbageAnswers {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out")
			if err := os.WriteFile(file, []byte(tt.give), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := w(file).Do(t.Context(), someTask())
			wantGarbage(t, r, err, tt.want)
			wantGarbage(t, r, err, `worker "reader": `)
		})
	}
}

// An answer of 20 MB, and one without end from a process that will not stop, are cut at the limit
// (RELIABILITY.md row 19).
func TestExecTooLong(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, []byte(`"`+strings.Repeat("x", 20<<20)+`"`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := actor(t, "print", map[string]string{"OUT_FILE": large}, Limits{}).Do(t.Context(), someTask())
	wantGarbage(t, r, err, "longer than 8388608 bytes")

	p := newPhone(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err = actor(t, "flood", map[string]string{"CALL": p.Addr().String()}, Limits{OutputBytes: 1 << 20, Grace: 50 * time.Millisecond}).Do(t.Context(), someTask())
	runtime.ReadMemStats(&after)
	wantGarbage(t, r, err, "longer than 1048576 bytes")
	if e, _ := errors.AsType[*Error](err); e == nil || len(e.Raw) != 256<<10 {
		t.Errorf("evidence: %d bytes", len(e.Raw))
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d bytes allocated for 1 MiB of output", got)
	}
	c, _ := p.answer(t)
	wantGone(t, c)
}

func TestExecLimitIsExact(t *testing.T) {
	for limit, ok := range map[int64]bool{4: true, 3: false} {
		_, err := actor(t, "print", map[string]string{"OUT": `"ab"`}, Limits{OutputBytes: limit}).Do(t.Context(), someTask())
		if (err == nil) != ok {
			t.Errorf("4 bytes, at most %d: %v", limit, err)
		}
	}
}

func TestExecCrash(t *testing.T) {
	for _, tt := range []struct {
		name, mode string
		env        map[string]string
		want       string
	}{
		{"exit code", "print", map[string]string{"CODE": "3"}, `worker "reader": ended with exit code 3`},
		{"the last words", "print", map[string]string{"CODE": "1", "ERR": "Traceback:\n  File\nKeyError: 'x'\n\n"}, `worker "reader": ended with exit code 1: KeyError: 'x'`},
		{"a success that failed", "print", map[string]string{"CODE": "2", "OUT": `{"status":"succeeded","output":1}`}, "exit code 2"},
		{"a bare value that failed", "print", map[string]string{"CODE": "2", "OUT": `{"a":1}`}, "exit code 2"},
		{"signal", "suicide", nil, `ended with signal: killed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := actor(t, tt.mode, tt.env, Limits{}).Do(t.Context(), someTask())
			if KindOf(err) != Crash || err == nil || !strings.HasSuffix(err.Error(), tt.want) || r.Status != "" {
				t.Errorf("%+v, %v, want %q", r, err, tt.want)
			}
			if e, _ := errors.AsType[*Error](err); e.NotBegun {
				t.Error("it did begin")
			}
		})
	}
}

func TestExecStderr(t *testing.T) {
	t.Setenv("CANARY_TOKEN", "tok-7a1f\u202e9c")
	kind := chargehand.ExecKind{Command: []string{os.Args[0]}, Env: map[string]string{"WORKER": "noisy", "TOKEN": "Bearer ${CANARY_TOKEN}"}}
	_, err := command(t, kind, Limits{}).Do(t.Context(), someTask())
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Message != `worker "reader": ended with exit code 3: \x1b[31mKeyError: \u202eBearer $CANARY_TOKEN\xff` {
		t.Fatalf("%v", err)
	}
	if len(e.Stderr) > 5<<10 || !strings.Contains(e.Stderr, "line 9999\n") || strings.ContainsAny(e.Stderr, "\x1b\u202e") || strings.Contains(e.Stderr, "7a1f") {
		t.Errorf("stderr:\n%s", e.Stderr)
	}
}

func TestExecEnvironment(t *testing.T) {
	t.Setenv("CANARY_SECRET", "hunter2hunter2")
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("TMPDIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("READER_KEY_FILE", file)
	kind := chargehand.ExecKind{Command: []string{os.Args[0]}, Env: map[string]string{"WORKER": "env", "KEY": "$READER_KEY", "PRICE": "$$5"}}
	r, err := command(t, kind, Limits{}).Do(t.Context(), someTask())
	if err != nil {
		t.Fatal(err)
	}
	got := string(r.Output)
	for _, secret := range []string{"hunter2", "sk-canary", "READER_KEY_FILE"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s reaches the process: %s", secret, got)
		}
	}
	for _, want := range []string{`"KEY=$READER_KEY"`, // it has arrived, and is not repeated
		`"PRICE=$5"`, `"LANG=C.UTF-8"`, `"TMPDIR=`, `"PATH=`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s does not reach the process: %s", want, got)
		}
	}
	if n := strings.Count(strings.NewReplacer("GOCOVERDIR=", "", "PWD=", "").Replace(got), "="); n > 7 {
		t.Errorf("%d variables: %s", n, got)
	}
}

func TestExecSaysNoSecret(t *testing.T) {
	for _, tt := range echoes {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CANARY_TOKEN", canary)
			file := filepath.Join(t.TempDir(), "out")
			if err := os.WriteFile(file, []byte(tt.say), 0o600); err != nil {
				t.Fatal(err)
			}
			kind := chargehand.ExecKind{Command: []string{os.Args[0]}, Env: map[string]string{"WORKER": "print", "OUT_FILE": file, "TOKEN": "Bearer $CANARY_TOKEN"}}
			kind.Read = []string{file}
			r, err := command(t, kind, Limits{OutputBytes: echoBytes}).Do(t.Context(), someTask())
			wantNoSecret(t, tt, r, err)
		})
	}
}

func TestExecMissingVariable(t *testing.T) {
	w := command(t, chargehand.ExecKind{Command: []string{os.Args[0]}, Env: map[string]string{"KEY": "${NO_SUCH_KEY}"}}, Limits{})
	_, err := w.Do(t.Context(), someTask())
	want := `worker "reader": exec.env.KEY: the environment variable NO_SUCH_KEY is not set, and neither is NO_SUCH_KEY_FILE`
	if KindOf(err) != Refused || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestExecNotStarted(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, program, dir, want string }{
		{"unknown program", "no-such-program", "", "executable file not found"},
		{"unknown path", "./no-such-program", "", "no such file"},
		{"not executable", text, "", "permission denied"},
		{"unknown directory", os.Args[0], "no-such-folder", "no such file"},
	} {
		_, err := command(t, chargehand.ExecKind{Command: []string{tt.program}, Dir: tt.dir}, Limits{}).Do(t.Context(), someTask())
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != Crash || !e.NotBegun || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), `worker "reader": start the command "`+tt.program) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestExecDirectory(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Args[0], filepath.Join(root, "tools", "me")); err != nil {
		t.Fatal(err)
	}
	spec := &chargehand.WorkerSpec{WorkerID: "reader", Exec: &chargehand.ExecKind{
		Command: []string{"./me"}, Dir: "tools", Env: map[string]string{"WORKER": "dir"},
	}}
	w, err := NewExec(spec, root, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Do(t.Context(), someTask())
	if err != nil || !strings.HasSuffix(string(r.Output), `/tools"`) {
		t.Errorf("%s, %v", r.Output, err)
	}
}

// A process that ignores SIGTERM is dead when Do returns, and so is the child it started; no zombie
// stays (RELIABILITY.md row 17).
func TestExecHang(t *testing.T) {
	for _, tt := range []struct {
		name, mode string
		callers    int
	}{
		{"alone", "hang", 1},
		{"with a child that holds stdout", "parent", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPhone(t)
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			done := make(chan error, 1)
			w := actor(t, tt.mode, map[string]string{"CALL": p.Addr().String(), "STAY": "yes"}, Limits{Grace: 100 * time.Millisecond})
			go func() {
				_, err := w.Do(ctx, someTask())
				done <- err
			}()
			for range tt.callers {
				c, pid := p.answer(t)
				defer func() {
					wantGone(t, c)
					if _, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
						t.Errorf("process %d is still ours: %v", pid, err)
					}
				}()
			}
			why := errors.New("the run is over")
			stop(why)
			if err := <-done; KindOf(err) != Cancelled || !errors.Is(err, why) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestExecDeadline(t *testing.T) {
	p := newPhone(t)
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	_, err := actor(t, "hang", map[string]string{"CALL": p.Addr().String()}, Limits{Grace: 50 * time.Millisecond}).Do(ctx, someTask())
	if KindOf(err) != Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// What a process says after it was asked to end does not count, even where it ends well.
func TestExecEndsWellWhenStopped(t *testing.T) {
	p := newPhone(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	w := actor(t, "term-zero", map[string]string{"CALL": p.Addr().String()}, Limits{})
	go func() {
		r, err := w.Do(ctx, someTask())
		if r.Status != "" {
			t.Errorf("%+v", r)
		}
		done <- err
	}()
	p.answer(t)
	stop()
	if err := <-done; KindOf(err) != Cancelled {
		t.Errorf("%v", err)
	}
}

func TestExecAlreadyOver(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := actor(t, "echo", nil, Limits{}).Do(ctx, someTask())
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Cancelled || !e.NotBegun {
		t.Errorf("%v", err)
	}
}

// A child that holds stdout open delays an answer by no more than the grace, and is then killed.
func TestExecGrandchild(t *testing.T) {
	p := newPhone(t)
	kind := chargehand.ExecKind{Command: []string{os.Args[0]}, Env: map[string]string{"WORKER": "parent", "CALL": p.Addr().String()}}
	kind.Isolation = chargehand.IsolationNone // in a namespace of its own the child ends with its parent
	r, err := command(t, kind, Limits{Grace: time.Second}).Do(t.Context(), someTask())
	if err != nil || string(r.Output) != `"done"` {
		t.Errorf("%s, %v", r.Output, err)
	}
	c, _ := p.answer(t)
	wantGone(t, c)
}

// A process need not read its task.
func TestExecDeaf(t *testing.T) {
	task := someTask()
	task.Objective = strings.Repeat("x", 4<<20)
	r, err := actor(t, "deaf", nil, Limits{}).Do(t.Context(), task)
	if err != nil || string(r.Output) != `"done"` {
		t.Errorf("%s, %v", r.Output, err)
	}
}

func TestExecBrokenTask(t *testing.T) {
	task := someTask()
	task.Input = []byte(`{"a":`)
	_, err := actor(t, "echo", nil, Limits{}).Do(t.Context(), task)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Refused || !e.NotBegun || !strings.Contains(err.Error(), `encode task "clauses"`) {
		t.Errorf("%v", err)
	}
}

func TestTail(t *testing.T) {
	for _, writes := range [][]string{{"0123456789"}, {"01234", "56789"}, {"012345678", "9"}, {"0", "123456789"}} {
		k := tail{most: 4}
		for _, w := range writes {
			if n, err := k.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		if k.String() != "6789" {
			t.Errorf("%q leave %q", slices.Clone(writes), k.String())
		}
	}
}

// The exchange and the end of stderr are there however a call ends, without the values of secrets.
func TestExecExchange(t *testing.T) {
	t.Setenv("CANARY_TOKEN", "tok-7a1f9c")
	for _, tt := range []struct{ out, code, ended, answer string }{
		{`{"token": "tok-7a1f9c"}`, "0", "exit code 0", `{"token": "$CANARY_TOKEN"}`},
		{`{"status": "failed"}`, "3", "exit code 3", `{"status": "failed"}`},
		{"no tok-7a1f9c JSON", "0", "exit code 0", "no $CANARY_TOKEN JSON"},
		{"", "2", "exit code 2", ""},
	} {
		env := map[string]string{"WORKER": "print", "OUT": tt.out, "ERR": "at tok-7a1f9c\x1b", "CODE": tt.code, "TOKEN": "$CANARY_TOKEN"}
		var x Exchange
		r, _ := command(t, chargehand.ExecKind{Command: []string{os.Args[0]}, Env: env}, Limits{}).Do(WithExchange(t.Context(), &x), someTask())
		if x.Ended != tt.ended || string(x.Answer) != tt.answer || r.Stderr != `at $CANARY_TOKEN\x1b` {
			t.Errorf("%q: %q, %q, stderr %q", tt.out, x.Ended, x.Answer, r.Stderr)
		}
	}
}
