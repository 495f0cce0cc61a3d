package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/client"
)

// linger is a tool server that outlives the end of its input, and has a process of its own: "linger
// METHOD" never answers that method. Both processes are noted in the file $PIDS.
func linger() {
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		os.Exit(1)
	}
	jot(fmt.Sprintf("%d\n%d\n", os.Getpid(), child.Process.Pid))
	for in := json.NewDecoder(os.Stdin); ; {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if in.Decode(&m) != nil || m.Method == os.Args[1] {
			_ = child.Wait() // for ever
		}
		if result := obliging[m.Method]; result != "" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		} else if len(m.ID) > 0 {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
		}
	}
}

// jot adds lines to the file $PIDS, which is there with all of them or not at all.
func jot(lines string) {
	file := os.Getenv("PIDS")
	before, _ := os.ReadFile(file)
	if os.WriteFile(file+".new", append(before, lines...), 0o600) != nil || os.Rename(file+".new", file) != nil {
		os.Exit(1)
	}
}

var obliging = map[string]string{
	"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}`,
	"tools/list": `{"tools":[{"name":"look_up","description":"Looks a note up.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"openWorldHint":false}},` +
		`{"name":"forget","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true,"idempotentHint":true}}]}`,
	"tools/call": `{"content":[{"type":"text","text":"{}"}]}`,
}

// firstGone waits until the first process that a file names is gone: "firstgone FILE".
func firstGone(ts *testscript.TestScript, _ bool, args []string) {
	pids := strings.Fields(ts.ReadFile(args[0]))
	if len(pids) == 0 {
		ts.Fatalf("no process is named")
	}
	poll(ts, "process "+pids[0]+" is left", func() bool { return !lives(pids[0]) })
}

// nothingLeft waits until the processes that a file names are gone, and forgets them: "nothingleft
// FILE".
func nothingLeft(ts *testscript.TestScript, _ bool, args []string) {
	pids := strings.Fields(ts.ReadFile(args[0]))
	if len(pids) == 0 {
		ts.Fatalf("no process is named")
	}
	for _, pid := range pids {
		poll(ts, "process "+pid+" is left", func() bool { return !lives(pid) })
	}
	ts.Check(os.Remove(ts.MkAbs(args[0])))
}

// lives reports whether there is a process that has not ended.
func lives(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}

// endLeft ends the processes that a script has left behind.
func endLeft(file string) {
	b, _ := os.ReadFile(file)
	for _, pid := range strings.Fields(string(b)) {
		if n, err := strconv.Atoi(pid); err == nil {
			if p, err := os.FindProcess(n); err == nil {
				_ = p.Kill()
			}
		}
	}
}

// waitState waits until the owner of the data folder has a run in a state: "waitstate paused".
func waitState(ts *testscript.TestScript, _ bool, args []string) {
	c := client.Dial(filepath.Join(ts.Getenv("CHARGEHAND_DATA_DIR"), socketName))
	defer c.Close()
	poll(ts, "no run is "+args[0], func() bool {
		runs, err := c.Runs(context.Background(), chargehand.Filter{})
		return err == nil && len(runs) > 0 && string(runs[0].State) == args[0]
	})
}
