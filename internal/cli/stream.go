package cli

import (
	"os"
	"strings"

	xterm "golang.org/x/term"

	accounts "github.com/chargehand/chargehand/internal/account"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// IO is how the program meets the world.
type IO struct {
	In       *os.File
	Out, Err *os.File
}

// Stdio is the process's own.
func Stdio() IO { return IO{os.Stdin, os.Stdout, os.Stderr} }

func isTerminal(f *os.File) bool { return xterm.IsTerminal(int(f.Fd())) }

// asks reports whether a person is there to answer.
func (a *app) asks() bool { return !a.flags.noInput && isTerminal(a.io.In) && isTerminal(a.io.Err) }

// style is what f can show (UX.md §3.1).
func (a *app) style(f *os.File) term.Style {
	st := term.Style{ASCII: a.flags.ascii || !utf8Locale()}
	switch a.flags.color {
	case "always":
		st.Color = true
	case "auto":
		st.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(f)
	}
	return st
}

// screen is f for text of any width; only a terminal's has an end.
func (a *app) screen(f *os.File) report.Screen {
	s := report.Screen{Style: a.style(f)}
	if isTerminal(f) {
		s.Width, _ = size(f)
	}
	return s
}

// size is f's columns and rows, 80 and 24 where it has none.
func size(f *os.File) (width, height int) {
	width, height, err := xterm.GetSize(int(f.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// utf8Locale is false only where the environment names another encoding; containers name none.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// me is the principal that this process starts, decides and controls as: the account it runs under.
func me() string { return account(os.Geteuid()) }

// account is the principal that an account of this machine is, here and at the other end of the socket.
var account = accounts.Name
