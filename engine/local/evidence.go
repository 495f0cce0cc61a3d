package local

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/evidence"
)

// Recorded are a run's records as they are stored.
type Recorded struct {
	Run    string
	Lines  [][]byte // without line breaks
	Leaves []int64  // the leaf of each
}

// Recorded reads the records of a run. One that is not the one that was recorded is an error of
// CodeAudit.
func (l *Look) Recorded(ctx context.Context, run string) (*Recorded, error) {
	id, err := l.store.find(ctx, "run", run)
	if err != nil {
		return nil, err
	}
	lines, leaves, err := l.store.recorded(ctx, id)
	return &Recorded{id, lines, leaves}, err
}

// An Extent is how much of the log is a stream's.
type Extent struct {
	Records int64
	Last    int64 // leaf of its last record
}

// Extents are those of all streams.
func (l *Look) Extents(ctx context.Context) (map[string]Extent, error) {
	rows, err := l.store.read.QueryContext(ctx, `select run, sum(last - first + 1), max(id + last - first) from segment group by run`)
	if err != nil {
		return nil, fmt.Errorf("count records: %w", err)
	}
	defer rows.Close()
	out := map[string]Extent{}
	for rows.Next() {
		var run string
		var e Extent
		if err := rows.Scan(&run, &e.Records, &e.Last); err != nil {
			return nil, fmt.Errorf("count records: %w", err)
		}
		out[run] = e
	}
	return out, rows.Err()
}

// Covered is how many leaves the newest checkpoint covers, of those in the folder and the anchor
// that the journal's own key signed; it is not a verification.
func (l *Look) Covered(ctx context.Context, anchor string) (int64, error) {
	places, err := l.sites(ctx, anchor)
	if err != nil {
		return 0, err
	}
	var key string
	if err := l.store.read.QueryRowContext(ctx, `select value from meta where key = 'key'`).Scan(&key); err != nil {
		return 0, fmt.Errorf("read the journal's key: %w", err)
	}
	keys, err := audit.Verifiers(key)
	if err != nil {
		return 0, spoilt("the journal's key cannot be read", err.Error())
	}
	_, c, err := newestNote(places, keys)
	return c.Size, err
}

func (l *Look) sites(ctx context.Context, anchor string) ([]*site, error) {
	var journal string
	if err := l.store.read.QueryRowContext(ctx, `select value from meta where key = 'journal'`).Scan(&journal); err != nil {
		return nil, fmt.Errorf("read the journal's name: %w", err)
	}
	return sites(l.store.dir, anchor, journal)
}

// Evidence is what a pack of a run's records is made of. It needs the key that signs checkpoints,
// which lies in the anchor where there is one. A record that is not the one that was recorded is an
// error of CodeAudit.
func (l *Look) Evidence(ctx context.Context, run, anchor string) (*evidence.Source, error) {
	r, err := l.Recorded(ctx, run)
	if err != nil {
		return nil, err
	}
	places, err := l.sites(ctx, anchor)
	if err != nil {
		return nil, err
	}
	src := &evidence.Source{
		Run: r.Run, Lines: r.Lines, Leaves: r.Leaves, Hashes: tiles(ctx, l.store.read), Content: l.store.content,
	}
	if src.Key, err = exportKey(places); err != nil {
		return nil, err
	}
	keys, err := audit.Verifiers(src.Key.Public())
	if err != nil {
		return nil, err
	}
	src.Checkpoint, _, err = newestNote(places, keys)
	return src, err
}

// recorded are a run's lines as they are stored, and the leaf of each.
func (s *store) recorded(ctx context.Context, run string) (all [][]byte, at []int64, err error) {
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read records of %s: %w", run, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	rows, err := conn.QueryContext(ctx, `select id, packed, body from segment where run = ? order by first`, run)
	if err != nil {
		return nil, nil, fmt.Errorf("read records of %s: %w", run, err)
	}
	defer rows.Close()
	leaves := leaves{tiles: tiles(ctx, conn)}
	for rows.Next() {
		var leaf int64
		var packed bool
		var body []byte
		if err := rows.Scan(&leaf, &packed, &body); err != nil {
			return nil, nil, fmt.Errorf("read records of %s: %w", run, err)
		}
		if body, err = unsqueeze(body, packed); err != nil {
			return nil, nil, altered(run, int64(len(all)+1), err)
		}
		for line := range lines(body) {
			if err := leaves.check(line, leaf); err != nil {
				return nil, nil, altered(run, int64(len(all)+1), err)
			}
			all, at = append(all, line), append(at, leaf)
			leaf++
		}
	}
	return all, at, rows.Err()
}

// exportKey is the key that signs checkpoints, wherever it lies.
func exportKey(places []*site) (audit.Key, error) {
	for _, p := range places {
		text, err := read(p.privateKey())
		if err != nil {
			return audit.Key{}, unusableAnchor(p.dir, err)
		}
		if text != "" {
			return audit.ParseKey(text)
		}
	}
	return audit.Key{}, &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "the key that signs evidence is not in " + places[0].dir,
		Why: "it lies where checkpoints are kept outside the data folder", Next: "name that folder with --anchor",
	}
}

// newestNote is the checkpoint that covers most; of the same size, the one that more have signed.
func newestNote(places []*site, keys note.Verifiers) (best []byte, newest audit.Checkpoint, err error) {
	newest.Size = -1
	var errs []error
	for _, p := range places {
		b, err := audit.ReadFile(p.checkpoints(), audit.MaxFile)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		notes, _, err := audit.Notes(b)
		errs = append(errs, err)
		for _, n := range notes {
			c, _, err := audit.OpenCheckpoint(n, keys)
			if err == nil && (c.Size > newest.Size || c.Size == newest.Size && len(n) > len(best)) {
				best, newest = n, c
			}
		}
	}
	if best == nil {
		return nil, audit.Checkpoint{}, spoilt("there is no checkpoint that the journal's key signed", fmt.Sprint(errors.Join(errs...)))
	}
	return best, newest, nil
}
