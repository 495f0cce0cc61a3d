package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/witness"
)

// A witnessForm is what the flags of "witness" say.
type witnessForm struct {
	listen string
	dir    string
	trust  []string
}

func (a *app) witnessCommand() *cobra.Command {
	var f witnessForm
	c := &cobra.Command{
		Use: "witness", Short: "Sign the checkpoints of other logs, where they go on from those seen before", Args: args(cobra.NoArgs),
		Long: "Runs a witness (C2SP tlog-witness): it signs a log's checkpoint only if that goes on from the one it\n" +
			"signed before. Run it where whoever runs the log cannot reach, and tell them its address and key.",
		RunE: func(c *cobra.Command, _ []string) error { return a.witnessServe(c, f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:7434", "address to listen on")
	fl.StringVar(&f.dir, "dir", "", "folder for its key and what it has seen")
	fl.StringArrayVar(&f.trust, "trust", nil, "public key of a log, or a file with it, such as key.pub; may be given more than once")
	return c
}

func (a *app) witnessServe(c *cobra.Command, f witnessForm) (err error) {
	if f.dir == "" {
		return usage("a witness needs a folder to remember in", "name one with --dir")
	}
	if len(f.trust) == 0 {
		return usage("the witness would know no log", "name a log's public key with --trust, such as DATA/key.pub")
	}
	ctx, stop := a.ctx(c)
	defer stop()
	opt := witness.Options{Log: slog.New(slog.NewTextHandler(a.io.Err, nil))}
	for _, given := range f.trust {
		key, err := keyGiven(given)
		if err != nil {
			return err
		}
		opt.Trust = append(opt.Trust, strings.Split(key, "\n")...)
	}
	w, err := witness.Open(f.dir, opt)
	if err != nil {
		return &chargehand.Error{Code: chargehand.CodeUnavailable, What: "the witness cannot start", Why: err.Error(), Err: err}
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return &chargehand.Error{
			Code: chargehand.CodeUnavailable, What: "cannot listen on " + f.listen, Why: err.Error(), Err: err, Next: "choose another address with --listen",
		}
	}
	fmt.Fprintf(a.io.Out, "listening on http://%s\nkey %s\n", l.Addr(), w.Public())
	return w.Serve(ctx, l) // a signal ends it, as it is meant to be ended
}

func (a *app) witnessURL() string {
	if a.flags.witness.url != "" {
		return a.flags.witness.url
	}
	return os.Getenv("CHARGEHAND_WITNESS")
}

func (a *app) witnessKeyGiven() string {
	if a.flags.witness.key != "" {
		return a.flags.witness.key
	}
	return os.Getenv("CHARGEHAND_WITNESS_KEY")
}

// witnessClient is the witness that is configured; nil if none is.
func (a *app) witnessClient() (*witness.Client, error) {
	url := a.witnessURL()
	if url == "" {
		return nil, nil
	}
	key, err := a.witnessKey()
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, usage("a witness was named, and not its public key", "name it with --witness-key")
	}
	c, err := witness.NewClient(url, key)
	if err != nil {
		return nil, usage(err.Error(), "")
	}
	return c, nil
}
