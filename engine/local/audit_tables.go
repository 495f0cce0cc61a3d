package local

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/journal"
	"github.com/chargehand/chargehand/internal/supervise"
)

// contentsAndTables verifies what is kept beside the records: content by its hash, and the tables
// that the records come to.
func (i *inspection) contentsAndTables() {
	s := stock{inspection: i, store: &store{dir: i.dir, read: i.db}, have: map[[32]byte]bool{}}
	s.contents()
	s.runs()
	s.opened()
	i.report.Add(audit.Check{
		Name: checkContents, Status: audit.Passed, Count: int64(len(s.have)),
		Proved: "all content has the hash it is stored under, and no content that a record names is missing",
	})
	i.report.Add(audit.Check{
		Name: checkTables, Status: audit.Passed, Count: s.folded,
		Proved: "the lists of runs and reviews say what the records say",
	})
}

// stock is what is kept beside the records.
type stock struct {
	*inspection
	store *store
	have  map[[32]byte]bool // content that is listed

	shared sync.Mutex // over these, and facts
	folded int64
	booted int64 // the highest number of a process that the records name
	teams  map[string]*chargehand.Team
}

// runs folds every run, and compares what that comes to with the tables.
func (s *stock) runs() {
	s.teams = map[string]*chargehand.Team{}
	listed, err := column[string](s.tx.QueryContext(s.ctx, `select id from run`))
	if err != nil {
		s.broken("the list of runs cannot be read", err)
		return
	}
	for _, id := range listed {
		if _, ok := s.streams[id]; !ok {
			s.fail(audit.Finding{Kind: audit.KindDerived, Check: checkTables, Leaf: -1, Run: id, What: "it is in the list of runs, and has no record"})
		}
	}
	reviewed, err := column[string](s.tx.QueryContext(s.ctx, `select distinct run from review`))
	if err != nil {
		s.broken("the list of reviews cannot be read", err)
		return
	}
	for _, id := range reviewed {
		if _, ok := s.streams[id]; !ok {
			s.fail(audit.Finding{Kind: audit.KindDerived, Check: checkTables, Leaf: -1, Run: id, What: "a review of it is listed, and it has no record"})
		}
	}
	abroad(func(send func(string)) {
		for _, id := range slices.Sorted(maps.Keys(s.streams)) {
			send(id)
		}
	}, s.stream)
}

// stream verifies one run, or the fleet, in a snapshot of its own: it may go on meanwhile.
func (s *stock) stream(id string) {
	s.mu.Lock()
	known := s.known[id]
	s.mu.Unlock()
	if known || s.ctx.Err() != nil {
		return // what is known to be wrong cannot be folded
	}
	defer func() {
		if v := recover(); v != nil {
			s.fail(audit.Finding{Kind: audit.KindDerived, Check: checkTables, Leaf: -1, Run: id, What: fmt.Sprintf("its records cannot be folded: %v", v)})
		}
	}()
	if err := s.verify(id); err != nil && s.ctx.Err() == nil {
		s.fail(audit.Finding{Kind: audit.KindDerived, Check: checkTables, Leaf: -1, Run: id, What: err.Error()})
	}
}

func (s *stock) verify(id string) (err error) {
	conn, err := s.db.Conn(s.ctx)
	if err != nil {
		return err
	}
	defer func() {
		_, end := conn.ExecContext(context.WithoutCancel(s.ctx), "rollback")
		err = errors.Join(err, end, conn.Close())
	}()
	if _, err := conn.ExecContext(s.ctx, "begin"); err != nil {
		return err
	}
	records, err := s.decode(conn, id)
	if err != nil {
		return err
	}
	if id == chargehand.FleetStream {
		s.remember(records)
		return nil
	}
	return s.compare(conn, id, records)
}

// decode reads a stream's records, and looks for the content they name.
func (s *stock) decode(conn *sql.Conn, id string) ([]chargehand.Record, error) {
	rows, err := conn.QueryContext(s.ctx, `select id, base, packed, body from segment where run = ? order by first`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []chargehand.Record
	for rows.Next() {
		var leaf, base int64
		var packed bool
		var body []byte
		if err := rows.Scan(&leaf, &base, &packed, &body); err != nil {
			return nil, err
		}
		begins := len(all)
		if body, err = unsqueeze(body, packed); err != nil {
			return nil, err
		}
		for line := range lines(body) {
			r, err := journal.Decode(line)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
			if err := s.named(conn, leaf, r); err != nil {
				return nil, err
			}
			leaf++
		}
		if begins < len(all) {
			s.based(base, all[begins])
		}
	}
	return all, rows.Err()
}

// based compares what a segment's row says of it, whether a fold may begin there, with its first record.
func (s *stock) based(base int64, r chargehand.Record) {
	if want := isBase(r); base != 0 && !want || base != 1 && want {
		s.fail(audit.Finding{
			Kind: audit.KindDerived, Check: checkTables, Leaf: -1, Run: r.Run, Seq: r.Seq, At: r.At,
			What: fmt.Sprintf("the column base of its row in the table segment is %d, and should be %d: whether a fold may begin there", base, map[bool]int{true: 1}[want]),
		})
	}
}

// remember keeps what the fleet's stream says of the journal itself.
func (s *stock) remember(records []chargehand.Record) {
	s.shared.Lock()
	defer s.shared.Unlock()
	for _, r := range records {
		switch r.Fact.(type) {
		case chargehand.AuditBegan, chargehand.RollbackAccepted, chargehand.KeyReplaced:
			s.facts = append(s.facts, r)
		}
	}
}

// compare holds a run's line in the list, and its reviews, against its records.
func (s *stock) compare(conn *sql.Conn, id string, records []chargehand.Record) error {
	s.shared.Lock()
	s.folded++
	for _, r := range records {
		if f, ok := r.Fact.(chargehand.Recovered); ok {
			s.booted = max(s.booted, f.Boot)
		}
	}
	s.shared.Unlock()
	if len(records) == 0 {
		return errors.New("none of its records can be read")
	}
	began, ok := records[0].Fact.(chargehand.RunStarted)
	if !ok {
		return errors.New("its first record does not start it")
	}
	if began.Parent != nil {
		if err := descends(s.ctx, conn, began.Parent); err != nil {
			return err
		}
	}
	team, err := s.team(began.TeamDigest)
	if err != nil || team == nil {
		return err // that it is missing is known by now
	}
	var have, want runRow
	if err := have.read(conn.QueryRowContext(s.ctx, selectRun, id)); err != nil {
		return fmt.Errorf("its line in the list: %w", err)
	}
	if err := want.fold(supervise.Restore(id, team, records), began); err != nil {
		return err
	}
	if have != want {
		return fmt.Errorf("its line in the list says %s, its records say %s", have, want)
	}
	return s.reviews(conn, id, records)
}

// opened checks how often the journal says it was opened: a process gets the next number.
func (s *stock) opened() {
	var text string
	err := s.tx.QueryRowContext(s.ctx, `select value from meta where key = 'boot'`).Scan(&text)
	n, bad := strconv.ParseInt(text, 10, 64)
	if err == nil && bad == nil && n >= max(s.booted, 1) && n < math.MaxInt64 && strconv.FormatInt(n, 10) == text {
		return
	}
	s.fail(audit.Finding{
		Kind: audit.KindDerived, Check: checkTables, Leaf: -1,
		What: fmt.Sprintf("boot in the table meta is %.40q, and the records name process %d: %v", text, s.booted, errors.Join(err, bad)),
	})
}

// team is a run's team; nil where its content is missing.
func (s *stock) team(digest string) (*chargehand.Team, error) {
	s.shared.Lock()
	t := s.teams[digest]
	s.shared.Unlock()
	if t != nil {
		return t, nil
	}
	body, err := s.store.content(s.ctx, digest)
	if chargehand.CodeOf(err) == chargehand.CodeNotFound {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &t)
	}
	if err != nil {
		return nil, fmt.Errorf("read its team: %w", err)
	}
	s.shared.Lock()
	defer s.shared.Unlock()
	s.teams[digest] = t
	return t, nil
}

// reviews compares the list of reviews with what the records opened and decided.
func (s *stock) reviews(conn *sql.Conn, id string, records []chargehand.Record) error {
	want := map[string]string{}
	for _, r := range records {
		switch f := r.Fact.(type) {
		case chargehand.ReviewOpened:
			body, err := json.Marshal(f.Review)
			if err != nil {
				return err
			}
			want[f.Review.ID] = fmt.Sprint(f.Review.Deadline.UnixMicro(), " 1 ", string(body))
		case chargehand.ReviewDecided:
			if open, ok := want[f.Decision.ReviewID]; ok {
				want[f.Decision.ReviewID] = closed(open)
			}
		}
	}
	rows, err := conn.QueryContext(s.ctx, `select id, deadline, open, body from review where run = ?`, id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var review string
		var deadline, open int64
		var body []byte
		if err := rows.Scan(&review, &deadline, &open, &body); err != nil {
			return err
		}
		if want[review] != fmt.Sprint(deadline, " ", open, " ", string(body)) {
			return fmt.Errorf("review %s in the list is not what its records say", review)
		}
		delete(want, review)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for review := range want {
		return fmt.Errorf("review %s is not in the list", review)
	}
	return nil
}

func closed(row string) string {
	deadline, body, _ := bytes.Cut([]byte(row), []byte(" 1 "))
	return string(deadline) + " 0 " + string(body)
}

// A runRow is a run's line in the list.
type runRow struct {
	started, wake, waiting    int64
	active, wakes, keyed      bool
	state, team, starter, key string
	tenant, summary           string
}

const selectRun = `select started, state, active, coalesce(wake, 0), wake is not null, waiting, team, starter, tenant, coalesce(key, ''), key is not null, summary from run where id = ?`

func (r *runRow) read(row *sql.Row) error {
	var summary []byte
	err := row.Scan(&r.started, &r.state, &r.active, &r.wake, &r.wakes, &r.waiting, &r.team, &r.starter, &r.tenant, &r.key, &r.keyed, &summary)
	r.summary = string(summary)
	return err
}

func (r *runRow) fold(m *supervise.Machine, began chargehand.RunStarted) error {
	s := m.Summary()
	body, err := json.Marshal(s)
	*r = runRow{
		started: s.StartedAt.UnixMicro(), state: string(s.State), active: !m.Idle(), waiting: int64(s.NeedsHuman),
		team: began.TeamDigest, key: began.Key, keyed: began.Key != "", starter: s.StartedBy, tenant: s.Tenant, summary: string(body),
	}
	if at := m.Wake(); !at.IsZero() {
		r.wake, r.wakes = at.UnixMicro(), true
	}
	return err
}

func (r runRow) String() string {
	return plain(fmt.Sprintf("%s active=%t wake=%d waiting=%d team=%s %s", r.state, r.active, r.wake, r.waiting, r.team, r.summary))
}
