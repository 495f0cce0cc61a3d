package cli

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/mcpapi"
)

// serveStdio serves one MCP client on standard input and output, until its input ends. Where another
// process has the data folder, that one supervises the runs.
func (a *app) serveStdio(ctx context.Context, served []Ready) error {
	leaving := make(chan struct{})
	release, _ := build()
	o := mcpapi.Options{Version: release, Leaving: leaving}
	for _, r := range served {
		o.Teams = append(o.Teams, r.Team)
	}
	return a.supervising(ctx, Taking{}, func(s *session) error {
		var engine chargehand.Engine = s
		api, err := mcpapi.New(engine, o)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		leave := sync.OnceFunc(func() {
			close(leaving) // calls under way are answered, and the client reads the answers
			time.AfterFunc(time.Second, cancel)
		})
		defer onSignal(func(os.Signal) { leave() })()
		go func() {
			select {
			case <-s.done: // the engine says why when it is closed
				leave()
			case <-ctx.Done():
			}
		}()
		return api.Stdio(ctx, mcpapi.Caller{Name: me()}, a.io.In, a.io.Out)
	})
}
