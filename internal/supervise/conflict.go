package supervise

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// stated is what accepted outputs say, by key; for look-ups only. Of each key it holds the first two
// that do not say the same: whatever another output says, it is otherwise than one of them, if it is
// otherwise than any.
type stated map[string][]voice

// A voice is what an accepted output says of a key.
type voice struct{ says, subtask string }

// A clash is an accepted output that another says otherwise than, and on which keys.
type clash struct {
	subtask string
	keys    []string
}

// A rival is an accepted output that a debated one says otherwise than.
type rival struct {
	output string
	size   int // bytes
}

const (
	maxStances  = 100      // in one record
	stanceBytes = 4 << 10  // that they take there
	checkBytes  = 11 << 10 // that they take together with the verdict

	maxRivals = 3
	maxShown  = 3 // keys that are named of each
)

// take adds what an accepted output says.
func (s stated) take(k *task) {
	for _, x := range k.attempt.stances {
		if v := s[x.Key]; len(v) == 0 || len(v) == 1 && v[0].says != x.Says {
			s[x.Key] = append(v, voice{x.Says, k.spec.ID})
		}
	}
}

// clashes are the first accepted outputs that an output says otherwise than.
func (s stated) clashes(list []chargehand.Stance) []clash {
	var out []clash
	for _, x := range list {
		v := s[x.Key]
		at := slices.IndexFunc(v, func(v voice) bool { return v.says != x.Says })
		if at < 0 {
			continue
		}
		i := slices.IndexFunc(out, func(c clash) bool { return c.subtask == v[at].subtask })
		if i < 0 && len(out) < maxRivals {
			i, out = len(out), append(out, clash{subtask: v[at].subtask})
		}
		if i >= 0 {
			out[i].keys = append(out[i].keys, x.Key)
		}
	}
	return out
}

// contradiction is a sentence on clashes: "s1 says otherwise on fee, term; s2 on notice".
func contradiction(list []clash) string {
	var parts []string
	for i, c := range list {
		on := map[bool]string{true: " says otherwise on ", false: " on "}[i == 0]
		part := c.subtask + on + strings.Join(first(c.keys, maxShown), ", ")
		if more := len(c.keys) - maxShown; more > 0 {
			part += " and " + itoa(more) + " more"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// contradicts has an output debated that the checks accept and that says otherwise than accepted
// ones, and reports whether it is. Where nobody can be asked, it says why.
func (m *Machine) contradicts(now time.Time, k *task, score float64, out *Output) (debated bool, why string) {
	if k.debate.stage != "" || k.synthesis || !m.team.Policy.Debates(k.spec) {
		return false, ""
	}
	list := m.board.stated.clashes(k.attempt.stances)
	//rule:debate-conflict off=true
	if len(list) == 0 {
		return false, ""
	}
	if no := m.undebatable(k); no != "" {
		return false, contradiction(list) + "; it is not debated: " + no
	}
	f := chargehand.DebateOpened{Cause: chargehand.CauseConflict, Why: contradiction(list)}
	if standsUp(&k.attempt) {
		f.Acceptable, f.Score = true, score
	}
	for _, c := range list {
		f.Against = append(f.Against, c.subtask)
	}
	m.openDebate(now, k, f, out)
	return true, ""
}

// consistent is the side of a debate that says otherwise than no accepted output, where both may be
// used and the other does; -1 where there is none. Of a side whose record does not hold what it says
// nobody knows.
func (m *Machine) consistent(d *debate) int {
	var clear [2]bool
	for i := range d.sides {
		p := &d.sides[i]
		if !p.fit || p.attempt.stances == nil {
			return -1
		}
		clear[i] = len(m.board.stated.clashes(p.attempt.stances)) == 0
	}
	if clear[0] == clear[1] {
		return -1
	}
	//rule:debate-contradiction off=return slices.Index(clear[:], false)
	return slices.Index(clear[:], true)
}

// stances are what an output says as its record holds it: all of it, where it can be compared with
// that of others and does not take too much, and else nothing.
func (m *Machine) stances(k *task, in *Finished) []chargehand.Stance {
	if !m.compares(k) || len(in.Stances) > maxStances {
		return nil
	}
	n := 0
	for _, x := range in.Stances {
		if len(x.Key) > maxToken || !utf8.ValidString(x.Key+x.Says) {
			return nil
		}
		n += written(x.Key) + written(x.Says) + len(`{"key":,"says":},`)
	}
	if n > stanceBytes || n+bulk(&in.Verdict) > checkBytes {
		return nil
	}
	return in.Stances
}

// compares reports whether what a task's output says matters to others, or what theirs say to it.
func (m *Machine) compares(k *task) bool { return m.planning.debated && !k.synthesis }

// bulk is about how much of a record a verdict takes.
func bulk(v *chargehand.Verdict) int {
	b := brief(*v)
	n := written(b.Reasoning) + written(b.Feedback)
	for _, f := range b.Issues {
		n += 250 + written(f.Rule) + written(f.Path) + written(f.Message) + written(f.Quote) // 250 for names of fields, and short ones
		if f.Source != nil {
			n += written(f.Source.Document) + written(f.Source.Quote)
		}
	}
	return n
}
