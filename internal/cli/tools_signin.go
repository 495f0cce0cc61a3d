package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/tool/mcp"
)

// consentTime is how long a person has to sign in.
const consentTime = 10 * time.Minute

func (a *app) signInCommand() *cobra.Command {
	var quiet bool
	c := &cobra.Command{
		Use: "sign-in TEAM.yaml SERVER", Short: "Sign in to a tool server in the browser, for runs on this machine", Args: args(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.signIn(ctx, given[0], given[1], !quiet && (a.asks() || os.Getenv("BROWSER") != ""))
		},
	}
	c.Flags().BoolVar(&quiet, "no-browser", false, "print the page's address only")
	return c
}

// signIn has a server ask for somebody, and a person go where it says. What was granted before is
// forgotten.
func (a *app) signIn(ctx context.Context, team, name string, browse bool) error {
	s, err := a.toolServer(team, name)
	if err != nil {
		return err
	}
	if s.SignIn != nil && s.SignIn.Grant == chargehand.GrantClientCredentials {
		return usage(name+" is signed in to by this program itself, with client credentials", "try it: chargehand tools list "+team)
	}
	opt, err := servers()
	if err != nil {
		return err
	}
	if opt.Grants == nil {
		return usage("there is no place to keep a sign-in", "set HOME or XDG_STATE_HOME")
	}
	if err := opt.Grants.Save(s.URL, nil); err != nil {
		return err
	}
	port := 0
	if s.SignIn != nil {
		port = s.SignIn.Port
	}
	d, err := openDoor(ctx, port)
	if err != nil {
		return err
	}
	defer d.close()
	opt.Connect = consentTime
	opt.Consent = &mcp.Consent{Redirect: d.address(), Ask: func(ctx context.Context, page string) (url.Values, error) {
		if err := d.expect(page); err != nil {
			return nil, err
		}
		fmt.Fprintf(a.io.Err, "%s wants you to sign in. Open this page in a browser on this machine:\n\n  %s\n\n", name, page)
		if browse {
			openBrowser(ctx, page)
		}
		return d.wait(ctx)
	}}
	list, err := offered(ctx, s, opt)
	if err != nil {
		return err
	}
	kept, err := opt.Grants.Load(s.URL)
	if err != nil {
		return err
	}
	if kept == nil {
		fmt.Fprintf(a.io.Err, "%s wants nobody to sign in; it offers %d tools\n", name, len(list))
		return nil
	}
	fmt.Fprintf(a.io.Err, "signed in to %s, which offers %d tools; chargehand tools sign-out %s %s forgets it\n", name, len(list), team, name)
	return nil
}

func (a *app) signOutCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sign-out TEAM.yaml SERVER", Short: "Forget a sign-in to a tool server", Args: args(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, given []string) error {
			s, err := a.toolServer(given[0], given[1])
			if err != nil {
				return err
			}
			kept := grants()
			if kept == nil {
				return nil
			}
			return kept.Save(s.URL, nil)
		},
	}
}

// toolServer is the team's tool server of a name, which has an address.
func (a *app) toolServer(team, name string) (*chargehand.ToolServer, error) {
	r, err := a.team(team)
	if err != nil {
		return nil, err
	}
	for i := range r.Team.Tools {
		s := &r.Team.Tools[i]
		switch {
		case s.Name != name:
		case s.URL == "":
			return nil, usage("the tool server "+name+" is started by the team", "what it needs to know stands in its env")
		default:
			return s, nil
		}
	}
	return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no tool server %q in %s", name, team)}
}

// A door is where a browser comes back to.
type door struct {
	net.Listener
	server http.Server
	state  atomic.Value    // of the page: who comes back without it comes from elsewhere
	came   chan url.Values // the first that came back
}

func openDoor(ctx context.Context, port int) (*door, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	d := &door{Listener: l, came: make(chan url.Values, 1)}
	d.server = http.Server{Handler: d, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = d.server.Serve(l) }() // until close
	return d, nil
}

func (d *door) address() string { return "http://" + d.Addr().String() + "/signed-in" }

// expect lets in who comes back from a page.
func (d *door) expect(page string) error {
	u, err := url.Parse(page)
	if err != nil || u.Query().Get("state") == "" {
		return errors.New("the page for signing in that it names has no state")
	}
	d.state.Store(u.Query().Get("state"))
	return nil
}

// ServeHTTP takes one answer.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.URL.Path != "/signed-in" || d.state.Load() != any(q.Get("state")) {
		http.NotFound(w, r)
		return
	}
	select {
	case d.came <- q:
	default:
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	say(w, http.StatusOK, "Thank you. You may close this page; the terminal says how it went.")
}

func (d *door) wait(ctx context.Context) (url.Values, error) {
	select {
	case q := <-d.came:
		return q, nil
	case <-ctx.Done():
		return nil, errors.New("nobody signed in")
	}
}

func (d *door) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = d.server.Shutdown(ctx) // the page's last words may be under way
}

// openBrowser tries to: the address is on the screen as well. $BROWSER may name the program.
func openBrowser(ctx context.Context, page string) {
	command := []string{os.Getenv("BROWSER"), page}
	switch {
	case command[0] != "":
	case runtime.GOOS == "darwin":
		command[0] = "open"
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", page}
	default:
		command[0] = "xdg-open"
	}
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	if c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}
