package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sandbox"
)

// TestEngineIsNotDumpable has a process of the engine's own account, without root's rights, look into the
// engine: its environment, its memory and its files. An ordinary process of that account is open to it.
func TestEngineIsNotDumpable(t *testing.T) {
	dir, err := os.MkdirTemp("", "dump") // the path of a socket is at most some 100 bytes long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, data := built(t, programs.chargehand), filepath.Join(dir, "data")
	var account *syscall.Credential // this one, where it is not root
	if os.Getuid() == 0 {
		account = nobody
		open(t, filepath.Dir(program))
		open(t, program)
		if err := os.Chown(dir, int(nobody.Uid), int(nobody.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SECRET", "canary")
	ordinary := exec.Command("sleep", "600")
	ordinary.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	if err := ordinary.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ordinary.Process.Kill(); _ = ordinary.Wait() })
	engine := runAs(t, account, data, "serve", "--listen", "127.0.0.1:0")
	until(t, "the engine serves", func() bool { return exists(filepath.Join(data, "chargehand.sock")) })
	look := func(pid int, attack string) bool {
		spy := exec.Command("sh", "-c", attack, fmt.Sprintf("/proc/%d", pid))
		spy.SysProcAttr, spy.Env = &syscall.SysProcAttr{Credential: account}, []string{"PATH=" + os.Getenv("PATH")}
		return spy.Run() == nil
	}
	for name, attack := range map[string]string{
		"environment": `grep -q canary "$0/environ"`,
		"memory":      `exec 3< "$0/mem"`,
		"files":       `ls -l "$0/fd" | grep -q /`,
		"root":        `ls "$0/root/"`,
	} {
		if !look(ordinary.Process.Pid, attack) {
			t.Errorf("%s: the attack does not work on an ordinary process", name)
		}
		if look(engine.cmd.Process.Pid, attack) {
			t.Errorf("%s of the engine can be read", name)
		}
	}
}

// attacker is a team whose worker decides a review of its own run, as far as it can. It begins by asking
// for the reviews that wait, and ends when it has decided or given up.
const attacker = `
name: attacker
contracts: [{name: look, rules: [{id: r, cel: "false", message: A person has to look., severity: review}]}]
workers:
  - workerId: agent
    capabilities: [look]
    free: true
    averageLatencyMs: 60000
    kind: exec
    exec:
      isolation: %s
      write: [out]
      command: [sh, -c, %q, %q, %q]
  - {workerId: payer, capabilities: [pay], free: true, averageLatencyMs: 5000, kind: exec, exec: {isolation: none, command: [sh, -c, "cat >/dev/null; echo '{}'"]}}
planner:
  template:
    subtasks:
      - {id: pay, goal: pay, capability: pay, outputContract: look}
      - {id: look, goal: look, capability: look}
`

// attack takes chargehand and the data folder. What it got stands in the file out/got.
const attack = `
cat >/dev/null
find "$(dirname "$1")" -name chargehand.sock -type s | grep -q . && echo socket >>out/got
[ -s "$1/journal.db" ] && echo journal >>out/got
grep -lq canary /proc/[0-9]*/environ 2>/dev/null && echo environment >>out/got
for _ in 1 2 3 4 5; do
  review=$("$0" review list --data "$1" --no-input -o name 2>>out/said)
  [ -n "$review" ] && break
  sleep 0.2
done
hash=$("$0" review show "$review" --data "$1" --no-input --jq .contentHash 2>>out/said)
"$0" review approve "$review" --hash "$hash" --reason "I may" --data "$1" --no-input >>out/said 2>&1 && echo approved >>out/got
echo done >>out/got
echo '{}'
`

// TestWorkerDecidesItsOwnReview runs an engine with its socket in the data folder, and a worker that
// approves the review of its own run over it. Without isolation it does; in isolation it finds no socket,
// and the review stays undecided.
func TestWorkerDecidesItsOwnReview(t *testing.T) {
	if _, err := sandbox.Status(); err != nil {
		t.Skipf("programs cannot be isolated here: %v", err)
	}
	for _, isolation := range []chargehand.Isolation{chargehand.IsolationNone, chargehand.IsolationBwrap} {
		t.Run(string(isolation), func(t *testing.T) {
			dir, err := os.MkdirTemp("", "own")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			program, data, got := built(t, programs.chargehand), filepath.Join(dir, "data"), filepath.Join(dir, "out", "got")
			if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir) // the worker starts here
			team := filepath.Join(dir, "team.yaml")
			write(t, team, fmt.Sprintf(attacker, isolation, attack, program, data))
			c := start(t, program, []string{"SECRET=canary"}, "run", team, "--goal", "look", "--data", data, "--progress", "plain")
			code := c.wait(t)
			found, said := read(t, got), read(t, filepath.Join(dir, "out", "said"))+c.err.String()
			switch isolation {
			case chargehand.IsolationNone:
				if !strings.HasPrefix(found, "socket\njournal\n") || !strings.HasSuffix(found, "approved\ndone\n") || code != 0 {
					t.Errorf("the attack does not work without isolation: it gets %q, exit %d\n%s", found, code, said)
				}
			default:
				if found != "done\n" || code != 3 || !strings.Contains(said, "nobody decided about 1 subtask") {
					t.Errorf("in isolation it gets %q, exit %d\n%s", found, code, said)
				}
			}
		})
	}
}

// read is a file's text, empty where there is none yet.
func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}
