package cli

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/client"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/config"
	"github.com/chargehand/chargehand/internal/witness"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// TestMain makes "chargehand" in a script this package's Main, over the fake engine, or over the
// real one where $CHARGEHAND_TEST_ENGINE says so.
func TestMain(m *testing.M) {
	account = func(int) string { return "ana" }
	testscript.Main(m, map[string]func(){"browser": browse, "linger": linger, "chargehand": func() {
		parts := Standard()
		if os.Getenv("CHARGEHAND_TEST_ENGINE") != "real" {
			parts.Own, parts.Look = fakeOwn, nil
			parts.LoadTeam = func(path string) (*chargehand.Team, error) { return config.Load(path) }
			parts.Teams = maps.Clone(parts.Teams)
			for _, scenario := range strings.Fields(os.Getenv("SCENARIOS")) {
				parts.Teams[scenario] = Ready{Team: chargehand.Team{Name: scenario}, Objective: scripted, Summary: "is played"}
			}
		}
		os.Exit(Main(Stdio(), parts, os.Args[1:]))
	}})
}

// binaries are files that a script cannot hold.
var binaries = map[string]string{
	"nul.bin": "abc\x00def", "latin.txt": "caf\xe9", "utf16.txt": "\xff\xfea\x00",
}

func scripted(docs []chargehand.Document) chargehand.Objective {
	return chargehand.Objective{Goal: "play", Documents: docs}
}

// code runs chargehand and wants it to exit with a code that is not 0: "code 3 run team a.txt".
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("chargehand", args[1:]...)
	exited, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exited.ExitCode() != want {
		ts.Fatalf("chargehand %s: %v, want exit code %d", strings.Join(args[1:], " "), err, want)
	}
}

// waitFor waits until a process in the background has the data folder and its run is in a state:
// "waitfor running".
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	c := client.Dial(filepath.Join(ts.Getenv("CHARGEHAND_DATA_DIR"), socketName))
	defer c.Close()
	poll(ts, "no run is "+args[0], func() bool {
		v, err := c.Run(context.Background(), "run_3")
		return err == nil && string(v.State) == args[0]
	})
}

// waitRuns waits until the owner of the data folder has so many runs with an attempt under way:
// "waitruns 2".
func waitRuns(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	c := client.Dial(filepath.Join(ts.Getenv("CHARGEHAND_DATA_DIR"), socketName))
	defer c.Close()
	poll(ts, "not enough runs", func() bool {
		workers, err := c.Fleet(context.Background())
		return err == nil && len(workers) > 0 && workers[0].Active >= want
	})
}

// outlives checks that the owner of the data folder leads a session of its own, so that the end of a
// terminal does not reach it.
func outlives(ts *testscript.TestScript, _ bool, _ []string) {
	o, has := local.OwnerOf(ts.Getenv("CHARGEHAND_DATA_DIR"))
	if sid, err := unix.Getsid(o.PID); !has || err != nil || sid != o.PID {
		ts.Fatalf("process %d is in session %d (%v)", o.PID, sid, err)
	}
}

// waitFree waits until no process has the data folder.
func waitFree(ts *testscript.TestScript, _ bool, _ []string) {
	poll(ts, "the data folder is not free", func() bool {
		_, has := local.OwnerOf(ts.Getenv("CHARGEHAND_DATA_DIR"))
		return !has
	})
}

// waitReview waits until a review of the data folder's owner waits for a decision.
func waitReview(ts *testscript.TestScript, _ bool, _ []string) {
	c := client.Dial(filepath.Join(ts.Getenv("CHARGEHAND_DATA_DIR"), socketName))
	defer c.Close()
	poll(ts, "nobody is asked", func() bool {
		reviews, err := c.Reviews(context.Background())
		return err == nil && len(reviews) > 0
	})
}

// untilAttached waits until a process in the background follows the run through the socket.
func untilAttached(ts *testscript.TestScript, _ bool, _ []string) {
	flag := filepath.Join(ts.Getenv("CHARGEHAND_DATA_DIR"), "followed")
	poll(ts, "nobody follows", func() bool {
		_, err := os.Stat(flag)
		return err == nil
	})
}

// flip changes a bit of the byte that a text in a file begins with: "flip FILE TEXT".
func flip(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	i := bytes.Index(b, []byte(args[1]))
	if i < 0 {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	b[i] ^= 1
	ts.Check(os.WriteFile(path, b, 0o600))
}

// oust takes a data folder's journal over in spite of its owner's lock: "oust DIR".
func oust(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", filepath.Join(ts.MkAbs(args[0]), "journal.db"))
	ts.Check(err)
	defer db.Close()
	_, err = db.ExecContext(context.Background(), `pragma busy_timeout = 10000; update meta set value = '99' where key = 'boot'`)
	ts.Check(err)
}

// witnessed starts a witness for the log of a public key, and names it in the environment:
// "witnessed KEYFILE".
func witnessed(ts *testscript.TestScript, _ bool, args []string) {
	key, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	w, err := witness.Open(ts.MkAbs("witness"), witness.Options{Trust: []string{string(key)}})
	ts.Check(err)
	s := httptest.NewServer(w)
	ts.Defer(func() {
		s.Close()
		ts.Check(w.Close())
	})
	ts.Setenv("CHARGEHAND_WITNESS", s.URL)
	ts.Setenv("CHARGEHAND_WITNESS_KEY", w.Public())
}

// waitFile waits until there is a file.
func waitFile(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, "there is no "+args[0], func() bool {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return err == nil
	})
}

func poll(ts *testscript.TestScript, failed string, done func() bool) {
	for end := time.Now().Add(20 * time.Second); !done(); {
		if time.Now().After(end) {
			ts.Fatalf("%s", failed)
		}
		runtime.Gosched()
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "waitfor": waitFor, "waitruns": waitRuns, "waitreview": waitReview, "until-attached": untilAttached,
			"flip": flip, "witnessed": witnessed, "waitfile": waitFile, "provider": play, "issuer": guarded,
			"freeport": freePort, "fetch": fetch, "hold": hold, "askfrom": askFrom, "calltool": callTool, "converse": converse, "snippet": snippet,
			"fence": fence, "oust": oust, "replace": replace,
			"outlives": outlives, "waitfree": waitFree,
			"agree": agree, "firstgone": firstGone, "nothingleft": nothingLeft, "waitstate": waitState,
		},
		Setup: func(e *testscript.Env) error {
			// A socket's path is at most about 100 bytes, and the work folder's is long.
			dir, err := os.MkdirTemp("", "ch")
			if err != nil {
				return err
			}
			e.Defer(func() { os.RemoveAll(dir) })
			e.Defer(func() {
				endLeft(filepath.Join(e.WorkDir, "pids"))
				endLeft(filepath.Join(e.WorkDir, "orphans"))
			})
			for name, content := range binaries {
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), []byte(content), 0o644); err != nil {
					return err
				}
			}
			e.Setenv("CHARGEHAND_DATA_DIR", dir)
			e.Setenv("CHARGEHAND_PROGRESS", "plain")
			stranger, err := audit.NewKey("stranger")
			if err != nil {
				return err
			}
			e.Setenv("STRANGER", stranger.Public())
			return nil
		},
	})
}
