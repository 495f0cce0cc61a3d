// Package witness is a second pair of eyes on a log (C2SP tlog-witness, tlog-cosignature): a server
// that signs a checkpoint only if it goes on from the one it signed before, and the client that asks
// it to. With a witness, not even the holder of the log's key can show two people two histories
// without its help (SPEC.md ·171).
package witness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/chargehand/chargehand/internal/audit"
)

const (
	maxBody  = 128 << 10 // of a request: 63 hashes and a checkpoint with many signatures
	maxProof = 63        // hashes
	sizeType = "text/x.tlog.size"
)

// Options say what a witness signs. Trust is required.
type Options struct {
	// Trust are the verifier keys of the logs it watches. A log is named as its key, or as its key
	// and a number behind a slash: it begins anew so after a person has accepted a rollback.
	Trust []string

	// Log is for operators. Nil means no log.
	Log *slog.Logger
}

// A Witness watches logs. It is safe for concurrent use.
type Witness struct {
	key  Key
	opt  Options
	logs map[string]note.Verifier // by the key's name

	mu    sync.Mutex // from the check of a checkpoint until it is on disk
	state *state
}

// Open is the witness that keeps what it has seen in the folder dir, which is made if it is not
// there, with a key. One process has the folder at a time.
func Open(dir string, opt Options) (*Witness, error) {
	w := &Witness{opt: opt, logs: map[string]note.Verifier{}}
	if w.opt.Log == nil {
		w.opt.Log = slog.New(slog.DiscardHandler)
	}
	for _, key := range opt.Trust {
		v, err := note.NewVerifier(strings.TrimSpace(key))
		if err != nil {
			return nil, fmt.Errorf("read the log's key %.100q: %w", key, err)
		}
		w.logs[v.Name()] = v
	}
	var err error
	if w.state, w.key, err = openState(dir); err != nil {
		return nil, fmt.Errorf("open the witness's folder: %w", err)
	}
	return w, nil
}

// Public is the witness's verifier key.
func (w *Witness) Public() string { return w.key.Public() }

// Close lets the folder go.
func (w *Witness) Close() error { return w.state.close() }

// Serve answers requests on l until ctx ends.
func (w *Witness) Serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{
		Handler: w, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := s.Shutdown(stop)
	if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// ServeHTTP answers add-checkpoint, and the retrieval of the newest checkpoint of a log.
func (w *Witness) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	out.Header().Set("X-Content-Type-Options", "nosniff")
	name, latest := strings.CutSuffix(strings.TrimPrefix(in.URL.Path, "/"), "/checkpoint")
	switch {
	case in.URL.Path == "/add-checkpoint" && in.Method == http.MethodPost:
		w.add(out, in)
	case latest && in.Method == http.MethodGet:
		w.latest(out, name)
	case in.URL.Path == "/add-checkpoint", latest:
		http.Error(out, "method not allowed", http.StatusMethodNotAllowed)
	default:
		http.NotFound(out, in)
	}
}

func (w *Witness) latest(out http.ResponseWriter, name string) {
	w.mu.Lock()
	msg := w.state.byHash(name)
	w.mu.Unlock()
	if msg == nil {
		http.Error(out, "no checkpoint of such a log", http.StatusNotFound)
		return
	}
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = out.Write(msg)
}

// A refusal is an answer other than a signature.
type refusal struct {
	status int
	text   string
	size   int64 // with 409
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

func (w *Witness) add(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, maxBody))
	if err != nil {
		http.Error(out, "the body cannot be read, or is too long", http.StatusBadRequest)
		return
	}
	line, err := w.consider(body, time.Now())
	r, refused := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(out, line)
	case !refused:
		w.opt.Log.Error("a checkpoint could not be kept", "error", err)
		http.Error(out, "the checkpoint could not be kept", http.StatusInternalServerError)
	case r.status == http.StatusConflict:
		out.Header().Set("Content-Type", sizeType)
		out.WriteHeader(r.status)
		fmt.Fprintf(out, "%d\n", r.size)
	default:
		http.Error(out, r.text, r.status)
	}
}

// consider is the signature line for a request, once what it signs is on disk.
func (w *Witness) consider(body []byte, now time.Time) (string, error) {
	req, err := parseRequest(body)
	if err != nil {
		return "", err
	}
	c, n, err := w.open(req.note)
	if err != nil {
		return "", err
	}
	if req.old > c.Size {
		return "", refuse(http.StatusBadRequest, "the old size is above the checkpoint's")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, err := w.state.size(c.Origin)
	if err != nil {
		return "", err
	}
	if before.Size != req.old {
		return "", &refusal{status: http.StatusConflict, text: "another checkpoint was signed last", size: before.Size}
	}
	if err := follows(before, c, req.proof); err != nil {
		w.opt.Log.Error("a log contradicts itself", "origin", c.Origin, "size", c.Size, "root", c.Root.String(), "last", before.Size, "last_root", before.Root.String())
		return "", err
	}
	signed, err := note.Sign(n, cosigner{w.key, now})
	if err != nil {
		return "", err
	}
	if err := w.state.keep(c, signed); err != nil {
		return "", err
	}
	return lastLine(signed), nil
}

// open checks the log's signature.
func (w *Witness) open(msg []byte) (audit.Checkpoint, *note.Note, error) {
	text, _, ok := strings.Cut(string(msg), "\n\n")
	c, err := audit.ParseCheckpoint(text + "\n")
	if !ok || err != nil {
		return c, nil, refuse(http.StatusBadRequest, "there is no checkpoint")
	}
	v := w.verifier(c.Origin)
	if v == nil {
		return c, nil, refuse(http.StatusNotFound, "the log is not known here")
	}
	n, err := note.Open(msg, note.VerifierList(v))
	if err != nil {
		return c, nil, refuse(http.StatusForbidden, "the checkpoint is not signed by the log's key")
	}
	n.UnverifiedSigs = nil // whoever made them, they are none of ours
	return c, n, nil
}

// verifier is that of the log of that name.
func (w *Witness) verifier(origin string) note.Verifier {
	if v := w.logs[origin]; v != nil {
		return v
	}
	if i := strings.LastIndex(origin, "/"); i > 0 {
		if _, err := strconv.ParseUint(origin[i+1:], 10, 31); err == nil {
			return w.logs[origin[:i]]
		}
	}
	return nil
}

// follows checks that a log went on from the checkpoint before.
func follows(before, c audit.Checkpoint, proof []tlog.Hash) error {
	empty, err := tlog.TreeHash(0, nil)
	if err != nil {
		return err
	}
	switch {
	case c.Size == 0 && c.Root != empty:
		return refuse(http.StatusUnprocessableEntity, "the empty log has another root")
	case before.Size == 0 && len(proof) > 0:
		return refuse(http.StatusUnprocessableEntity, "from the empty log nothing is to be proved")
	case before.Size == 0:
		return nil
	}
	if err := tlog.CheckTree(proof, c.Size, c.Root, before.Size, before.Root); err != nil {
		return refuse(http.StatusUnprocessableEntity, "the log does not go on from the checkpoint of %d records", before.Size)
	}
	return nil
}

// lastLine is the signature that was added last.
func lastLine(signed []byte) string {
	text := strings.TrimSuffix(string(signed), "\n")
	return text[strings.LastIndex(text, "\n")+1:] + "\n"
}
