package gate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

// TestTriggers holds present and absent items to the words that a contract expects of a passage.
func TestTriggersAndCues(t *testing.T) {
	words := map[string][]string{"Anti-Assignment": {`(?i)\bassign\w*`, `(?i)\btransfer`}, "Audit": {`(?i)\baudit`}}
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{Triggers: words, Cues: words}})
	all := []object{{"start": 0, "end": len(lease)}}
	at := func(words string) object {
		i := strings.Index(lease, words)
		return object{"start": i, "end": i + len(words), "why": "says something else"}
	}
	quote := func(key, words string) object {
		i := strings.Index(lease, words)
		return object{"key": key, "quote": words, "start": i, "end": i + len(words)}
	}
	absent := func(key string, patterns []string, hits ...object) object {
		return object{"key": key, "present": false, "search": object{"spans": all, "patterns": patterns, "hits": hits}}
	}
	for _, tt := range []struct {
		name string
		item object
		want string
	}{
		{"quote with a cue", quote("Anti-Assignment", "assign this Lease"), ""},
		{"quote without one", quote("Anti-Assignment", lease[:20]), `The quote under "Anti-Assignment" holds none of the words that a passage about it cannot do without.`},
		{"the right quote under the wrong key", quote("Audit", "assign this Lease"), `The quote under "Audit" holds none of the words that a passage about it cannot do without.`},
		{"a key without cues", quote("Rent", lease[:20]), ""},
		{"absent, and so are the words", absent("Audit", []string{"zebra"}), ""},
		{"absent, searched for something else", absent("Anti-Assignment", []string{"zebra"}), `and no hit accounts for that.`},
		{"absent, a trigger not searched for", absent("Anti-Assignment", []string{"assignee"}, at("assignee")), `the document says "assign" at`},
		{"absent, a word of the contract alone accounted for", absent("Anti-Assignment", []string{"zebra"}, at("assign this Lease"), at("assignee")), ""},
		{"absent, every match accounted for", absent("Anti-Assignment", []string{`assign\w*`}, at("assign this Lease"), at("assignee")), ""},
	} {
		v := g.Check(submit(asked(lease), []object{tt.item}))
		got := ""
		if len(v.Issues) > 0 {
			got = v.Issues[0].Message
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) || (v.Recommendation == chargehand.Accept) != (tt.want == "") {
			t.Errorf("%s: %s, %s, want %s", tt.name, v.Recommendation, got, tt.want)
		}
	}
}

func TestTriggersRefused(t *testing.T) {
	_, problems := Compile(&chargehand.Team{Contracts: []chargehand.Contract{{Name: "c", Items: &chargehand.ItemRule{
		Triggers: map[string][]string{"A": {`(`, `\d+`, `fine`}, "B": {}, " C": {"fine"}},
	}}}})
	var got []string
	for _, p := range problems {
		got = append(got, p.Path)
	}
	want := []string{"$.contracts[0].items.triggers", `$.contracts[0].items.triggers["A"][0]`, `$.contracts[0].items.triggers["A"][1]`, "$.contracts[0].items.triggers"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff, problems)
	}
}
