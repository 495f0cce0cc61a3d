package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/client"
	"github.com/chargehand/chargehand/internal/httpapi"
	"github.com/chargehand/chargehand/internal/sandbox"
)

// socketName is where in a data folder its owner can be reached.
const socketName = "chargehand.sock"

// ownerPatience is how long the owner of a data folder may take to open its socket, or to leave.
const ownerPatience = 3 * time.Second

// A session is an engine for as long as a command needs one.
type session struct {
	chargehand.Engine
	owner      bool            // this process has the data folder; its runs stand still without it
	supervised bool            // this process or another goes on with the runs
	done       <-chan struct{} // closed when the engine of this process has stopped; nil where there is none
	close      func() error
}

// open takes the data folder, or else reaches the process that has it.
func (a *app) open(ctx context.Context, how Taking) (*session, error) {
	dir, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	how.Anchor, how.AcceptRollback, how.AcceptNewKey = a.anchor(), a.flags.accept.rollback, a.flags.accept.newKey
	if c, err := a.witnessClient(); err != nil {
		return nil, err
	} else if c != nil {
		how.Witness = c
	}
	patience := time.Now().Add(ownerPatience)
	for {
		owned, err := a.Own(ctx, dir, how)
		if err == nil {
			if err := sandbox.Guard(); err != nil {
				return nil, errors.Join(err, owned.Close())
			}
			s := a.own(ctx, owned, dir)
			s.supervised = !how.Hold
			return s, nil
		}
		if chargehand.CodeOf(err) != chargehand.CodeLocked {
			return nil, err
		}
		s, refused := attach(ctx, dir)
		if refused == nil {
			return s, nil
		}
		if time.Now().After(patience) || ctx.Err() != nil {
			return nil, a.unattached(dir, refused)
		}
		// The owner may be about to open its socket, or about to leave.
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *app) unattached(dir string, why error) error {
	return &chargehand.Error{
		Code: chargehand.CodeLocked, What: "cannot use the data folder " + dir,
		Why:  a.owner(dir) + " has it, and does not answer on " + socketName + ": " + why.Error(),
		Next: "wait for that process or end it, or name another folder with --data", Err: why,
	}
}

// ownerHere names the process that has this command's data folder.
func (a *app) ownerHere() string {
	dir, _ := a.dataDir()
	return a.owner(dir)
}

// owner names the process that has a data folder, as far as it is known.
func (a *app) owner(dir string) string {
	o, _ := a.Owner(dir)
	return o.String()
}

func attach(ctx context.Context, dir string) (*session, error) {
	c := client.Dial(filepath.Join(dir, socketName))
	live, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := c.Live(live); err != nil {
		return nil, err
	}
	return &session{Engine: c, supervised: true, close: c.Close}, nil
}

// own serves the engine to other processes while this one has it.
func (a *app) own(ctx context.Context, engine Owned, dir string) *session {
	l, err := httpapi.Listen(filepath.Join(dir, socketName))
	if err != nil {
		fmt.Fprintf(a.io.Err, "warning: other chargehand processes cannot reach this one: %v\n", err)
		return &session{Engine: engine, owner: true, done: engine.Done(), close: engine.Close}
	}
	serve, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- httpapi.Serve(serve, l, httpapi.Handler(engine, httpapi.Options{Name: account})) }()
	return &session{Engine: engine, owner: true, done: engine.Done(), close: func() error {
		defer onSignal(func(os.Signal) {})() // what the engine has begun ends with it, in seconds
		stop()
		return errors.Join(<-served, engine.Close())
	}}
}

// dataDir is where runs are kept: --data, $CHARGEHAND_DATA_DIR, $XDG_DATA_HOME/chargehand or
// ~/.local/share/chargehand.
func (a *app) dataDir() (string, error) {
	if dir := a.namedDir(); dir != "" {
		return dir, nil
	}
	dir, err := homeFolder("XDG_DATA_HOME", ".local", "share")
	if err != nil {
		return "", &chargehand.Error{Code: chargehand.CodeInvalid, What: "there is no data folder", Why: err.Error(), Next: "name one with --data", Err: err}
	}
	return dir, nil
}

// namedDir is the data folder that was named; empty: it is the user's own.
func (a *app) namedDir() string {
	if a.flags.data != "" {
		return a.flags.data
	}
	return os.Getenv("CHARGEHAND_DATA_DIR")
}

// homeFolder is chargehand's folder of a kind: below the one that the variable names, or else in
// the user's home.
func homeFolder(variable string, home ...string) (string, error) {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "chargehand"), nil
	}
	dir, err := os.UserHomeDir()
	return filepath.Join(append(append([]string{dir}, home...), "chargehand")...), err
}

// anchor is where checkpoints are kept too: --anchor, $CHARGEHAND_ANCHOR, and for the user's own
// data folder $XDG_STATE_HOME/chargehand/anchor or ~/.local/state/chargehand/anchor; empty: nowhere.
// A folder that was named may be a throw-away one, and is not held to what an earlier one said.
func (a *app) anchor() string {
	if a.flags.anchor != "" {
		return a.flags.anchor
	}
	if dir := os.Getenv("CHARGEHAND_ANCHOR"); dir != "" || a.namedDir() != "" {
		return dir
	}
	dir, err := homeFolder("XDG_STATE_HOME", ".local", "state")
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "anchor")
}

// look reaches the process that has the data folder, or else reads the folder as it is. It takes up no
// run.
func (a *app) look(ctx context.Context) (*session, error) {
	dir, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	if s, err := a.glance(ctx, dir); err == nil {
		return s, nil
	}
	return a.open(ctx, Taking{Hold: true})
}

// glance is look for where reading needs no owner. It leaves the data folder as it is.
func (a *app) glance(ctx context.Context, dir string) (*session, error) {
	s, err := attach(ctx, dir)
	if err == nil || a.Look == nil {
		return s, err
	}
	l, err := a.Look(ctx, dir)
	if err != nil {
		return nil, err
	}
	_, owned := a.Owner(dir) // one without a socket, such as a program of its own
	return &session{Engine: onlyReads{l}, supervised: owned, close: l.Close}, nil
}

// onlyReads is an engine for commands that change nothing.
type onlyReads struct{ Looked }

// Replay folds a run's records into its machine, where the folder's reader can.
func (r onlyReads) Replay(ctx context.Context, run string) error {
	if m, ok := r.Looked.(replayer); ok {
		return m.Replay(ctx, run)
	}
	return nil
}

var errOnlyReads = &chargehand.Error{Code: chargehand.CodeUnavailable, What: "the data folder is only read"}

func (onlyReads) Start(context.Context, chargehand.Order) (string, error) { return "", errOnlyReads }

func (onlyReads) Control(context.Context, string, chargehand.Control) error { return errOnlyReads }

func (onlyReads) Fork(context.Context, string, chargehand.Fork) (string, error) {
	return "", errOnlyReads
}

func (onlyReads) Decide(context.Context, chargehand.Decision) (chargehand.Decision, error) {
	return chargehand.Decision{}, errOnlyReads
}

// with looks at the data folder for do.
func (a *app) with(ctx context.Context, do func(*session) error) error {
	s, err := a.look(ctx)
	return a.during(ctx, s, err, do)
}

// deciding takes the data folder for do, or reaches its owner, without taking runs up.
func (a *app) deciding(ctx context.Context, do func(*session) error) error {
	s, err := a.open(ctx, Taking{Hold: true})
	return a.during(ctx, s, err, do)
}

func (a *app) during(ctx context.Context, s *session, err error, do func(*session) error) error {
	if err != nil {
		return cause(ctx, err)
	}
	err = do(s)
	return cause(ctx, errors.Join(err, s.close()))
}
