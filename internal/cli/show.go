package cli

import (
	"os"

	"github.com/chargehand/chargehand/internal/cli/progress"
)

// mode is how progress is shown: the flag, else the environment, else a picture where stderr is a
// terminal that can draw one.
func (a *app) mode() string {
	mode := a.flags.progress
	if mode == "" {
		mode = os.Getenv("CHARGEHAND_PROGRESS")
	}
	switch mode {
	case "tty", "plain", "jsonl", "quiet":
		return mode
	}
	if isTerminal(a.io.Err) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == "" {
		return "tty"
	}
	return "plain"
}

func (a *app) renderer(hint string, runs []*progress.Run) progress.Renderer {
	switch a.mode() {
	case "tty":
		return progress.NewLive(progress.Terminal{
			Out: a.io.Err, Size: func() (int, int) { return size(a.io.Err) }, Style: a.style(a.io.Err), Hint: hint,
		}, runs)
	case "jsonl":
		return progress.NewJSONL(a.io.Err)
	case "quiet":
		return progress.Quiet{}
	}
	return progress.NewPlain(a.io.Err, runs)
}
