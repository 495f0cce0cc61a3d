package evidence

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/chargehand/chargehand/internal/audit"
)

// manifest checks that the log's key signed the manifest, and that every part is the one it lists.
func (v *verification) manifest() audit.Check {
	keys := v.key()
	n, err := note.Open(v.body[partSignature], keys)
	switch {
	case err != nil:
		v.fail(audit.KindSignature, "the manifest is not signed by the key: %v", err)
	//guard:pack-signature
	case n.Text != signedText(v.body[partManifest]):
		v.fail(KindPack, "the manifest is not the one that was signed")
	case !plain(n, v.body[partSignature]):
		v.fail(audit.KindSignature, "%s has more in it than the signature", partSignature)
	}
	m := &v.report.Manifest
	for _, name := range partNames {
		if name == partManifest || name == partSignature || v.parts[name] == nil {
			continue
		}
		//guard:pack-parts
		if v.sums[name] != m.Files[name] {
			v.fail(KindPack, "%s is not the part that the manifest lists", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if v.parts[name] == nil {
			v.fail(KindPack, "the manifest lists %.100q, which is not there", name)
		}
	}
	return audit.Check{
		Count: int64(len(v.parts)), Proved: "every part is as it was exported; the holder of the log's key stated the removals",
		NotProved: "that the reasons it gives for removals are true",
	}
}

// plain reports whether a note is its text and one signature, written as Sign writes it: nothing else
// vouches for its bytes.
func plain(n *note.Note, msg []byte) bool {
	if len(n.Sigs) != 1 || len(n.UnverifiedSigs) > 0 {
		return false
	}
	_, err := base64.StdEncoding.Strict().DecodeString(n.Sigs[0].Base64)
	return err == nil && string(msg) == n.Text+"\n— "+n.Sigs[0].Name+" "+n.Sigs[0].Base64+"\n"
}

// key is what signatures are checked with: the key that was given, else the pack's own.
func (v *verification) key() note.Verifiers {
	own := strings.TrimSpace(string(v.body[partKey]))
	v.report.Key = own
	if given := strings.TrimSpace(v.trust.Key); given != "" {
		v.report.Key, v.report.KeyGiven = given, true
		if given != own {
			v.fail(audit.KindKey, "the pack brings the key %s, and the one it should be is %s", short(own), short(given))
		}
	}
	keys, err := audit.Verifiers(v.report.Key)
	if err != nil {
		v.fail(audit.KindKey, "%v", err)
		return note.VerifierList()
	}
	return keys
}

// short is a verifier key without the key itself.
func short(key string) string {
	if i := strings.LastIndex(key, "+"); i > 0 {
		return key[:i]
	}
	return fmt.Sprintf("%.60q", key)
}

// signature checks the log's checkpoint.
func (v *verification) signature() audit.Check {
	keys, err := audit.Verifiers(v.report.Key)
	if err != nil {
		v.fail(audit.KindKey, "%v", err)
		return audit.Check{}
	}
	c, _, err := audit.OpenCheckpoint(v.body[partCheckpoint], keys)
	if err != nil {
		v.fail(audit.KindSignature, "the checkpoint cannot be trusted: %v", err)
		return audit.Check{}
	}
	v.report.Checkpoint = &c
	if c.Origin != v.report.Manifest.Origin {
		v.fail(KindPack, "the checkpoint is of the log %q, and the manifest names %q", c.Origin, v.report.Manifest.Origin)
	}
	check := audit.Check{
		Proved:    fmt.Sprintf("the holder of the key %s said that the log had %d records with this root", short(v.report.Key), c.Size),
		NotProved: "that it is the log's newest checkpoint, or that the key was never in other hands",
	}
	if !v.report.KeyGiven {
		check.Status = audit.Warned
		check.NotProved = "that the key is the log's: it came with the pack; name the one you know with --key"
	}
	return check
}

// witness checks cosignatures: those that must be there.
func (v *verification) witness() audit.Check {
	if len(v.trust.Witnesses) == 0 {
		return audit.Check{Status: audit.Skipped, NotProved: "that anybody but the log's owner saw this checkpoint: no witness key was given"}
	}
	for _, w := range v.trust.Witnesses {
		if _, err := note.Open(v.body[partCheckpoint], note.VerifierList(w)); err != nil {
			v.fail(audit.KindSignature, "the witness %s did not sign the checkpoint: %v", w.Name(), err)
		}
	}
	return audit.Check{
		Count:     int64(len(v.trust.Witnesses)),
		Proved:    "the witnesses saw this checkpoint, and none before it that disagrees",
		NotProved: "anything, if they and the owner of the log work together",
	}
}

// proof checks that the records are leaves of the tree that the checkpoint is about.
func (v *verification) proof() audit.Check {
	c := v.report.Checkpoint
	if c == nil {
		return audit.Check{Status: audit.Skipped, NotProved: "there is no checkpoint to check against"}
	}
	proof, err := parseHashes(v.body[partProof])
	if err != nil {
		v.fail(audit.KindTile, "%v", err)
		return audit.Check{}
	}
	if len(v.lines) != len(v.leaves) || len(v.lines) == 0 {
		v.fail(audit.KindOrder, "there are %d records and %d places for them", len(v.lines), len(v.leaves))
		return audit.Check{}
	}
	nodes := make([]Node, len(v.lines))
	for i, l := range v.lines {
		nodes[i] = Node{v.leaves[i], v.leaves[i] + 1, l.hash}
	}
	root, err := Root(c.Size, nodes, proof)
	switch {
	case err != nil:
		v.fail(audit.KindOrder, "%v", err)
	case root != c.Root:
		v.fail(audit.KindAltered, "the records are not the ones that the checkpoint is about: their root is %s, and its is %s", root, c.Root)
	}
	return audit.Check{
		Count: int64(len(v.lines)), Proved: "every record stood in the log, byte for byte and at its place, when the checkpoint was signed",
		NotProved: "that what the records say is true",
	}
}

// sequence checks that the records are one run's, without a gap.
func (v *verification) sequence() audit.Check {
	m := &v.report.Manifest
	last := time.Time{}
	stated := map[int64]bool{}
	for _, r := range m.Removed {
		stated[r.Seq] = true
	}
	hidden := 0
	for i, l := range v.lines {
		switch {
		case l.hidden:
			hidden++
			if !stated[int64(i+1)] {
				v.failAt(audit.KindOrder, i, "record %d is removed, and the manifest does not say why", i+1)
			}
			continue
		case l.err != nil:
			v.failAt(audit.KindAltered, i, "record %d cannot be read: %v", i+1, l.err)
			continue
		case l.run != m.Run:
			v.failAt(audit.KindOrder, i, "record %d is of another run, %.40q", i+1, l.run)
		case l.seq != int64(i+1):
			v.failAt(audit.KindOrder, i, "in place of record %d there is record %d", i+1, l.seq)
		case l.at.Before(last):
			v.failAt(audit.KindOrder, i, "record %d is from before the one it follows", i+1)
		}
		last = l.at
	}
	if m.Records != len(v.lines) {
		v.fail(audit.KindOrder, "the manifest tells of %d records, and there are %d", m.Records, len(v.lines))
	}
	check := audit.Check{
		Count: int64(len(v.lines)), Proved: "the records are numbered without a gap from the run's first on",
		NotProved: "that nothing was recorded in this run later",
	}
	if m.Uncovered > 0 {
		check.NotProved += fmt.Sprintf("; the manifest says that %d were, which no checkpoint covered", m.Uncovered)
	}
	if hidden > 0 {
		check.NotProved += fmt.Sprintf("; what the %d removed records say", hidden)
	}
	return check
}

// contents checks that every content that the records name is there, or stated to be removed.
func (v *verification) contents() audit.Check {
	gone := map[string]bool{}
	for _, r := range v.report.Manifest.Removed {
		gone[r.Artifact] = true
	}
	rest := maps.Clone(v.artifacts)
	n, missing := 0, 0
	seen := map[string]bool{}
	for i, l := range v.lines {
		for _, a := range l.names {
			if seen[a.Hash] {
				continue
			}
			seen[a.Hash] = true
			delete(rest, a.Hash)
			switch f := v.artifacts[a.Hash]; {
			case f != nil:
				n++
				v.content(i, a)
			case gone[a.Hash]:
				missing++
			default:
				v.failAt(audit.KindContent, i, "the %s %s that record %d names is not there", a.Kind, a.Hash, i+1)
			}
		}
	}
	for _, hash := range slices.Sorted(maps.Keys(rest)) {
		v.fail(audit.KindContent, "%s is there, and no record names it", hash)
	}
	v.listed()
	check := audit.Check{Count: int64(n), Proved: "every content that the records name is the one that was recorded"}
	if missing > 0 {
		check.NotProved = fmt.Sprintf("what %d removed contents were", missing)
	}
	return check
}

// listed compares the manifest's list of contents with those that are there.
func (v *verification) listed() {
	rest := maps.Clone(v.artifacts)
	for _, a := range v.report.Manifest.Artifacts {
		if m := v.artifacts[a.Hash]; m == nil || m.size != a.Size {
			v.fail(audit.KindContent, "the manifest lists %.80q with %d bytes, which is not there", a.Hash, a.Size)
		}
		delete(rest, a.Hash)
	}
	for _, hash := range slices.Sorted(maps.Keys(rest)) {
		v.fail(audit.KindContent, "%s is there, and the manifest does not list it", hash)
	}
}

// content checks one, and keeps the run's result.
func (v *verification) content(line int, a Artifact) {
	m := v.artifacts[a.Hash]
	sum := sha256.New()
	err := v.copy(m, sum)
	switch {
	case err != nil:
		v.failAt(audit.KindContent, line, "the %s %s cannot be read: %v", a.Kind, a.Hash, err)
	case "sha256:"+hex.EncodeToString(sum.Sum(nil)) != a.Hash:
		v.failAt(audit.KindContent, line, "the %s that record %d names is not the one recorded: it should be %s", a.Kind, line+1, a.Hash)
	case v.ended != nil && a.Hash == v.ended.Result:
		v.outcome, err = v.read(m)
		if err != nil {
			v.failAt(audit.KindContent, line, "the result cannot be read: %v", err)
		}
	}
}

// result checks the hash that the run's end gives for what the run found.
func (v *verification) result() audit.Check {
	switch {
	case v.ended == nil:
		return audit.Check{Status: audit.Skipped, NotProved: "the run's end is not among the records"}
	case v.ended.Result == "":
		return audit.Check{Status: audit.Skipped, NotProved: "the run ended without a result"}
	case v.outcome == nil:
		return audit.Check{Status: audit.Skipped, NotProved: "the result is not in the pack"}
	}
	hash, err := ResultHash(v.outcome)
	if err != nil || hash != v.ended.ResultHash {
		v.fail(audit.KindContent, "the result does not have the hash %s that the run's end gives for it", v.ended.ResultHash)
	}
	return audit.Check{Count: 1, Proved: "the result is the one the run ended with"}
}

// removed is the leaf hash that stands in the place of a record.
func removed(text []byte) (audit.Hash, bool) {
	inner, ok := strings.CutPrefix(string(text), redactedHead)
	if !ok {
		return audit.Hash{}, false
	}
	inner, ok = strings.CutSuffix(inner, redactedTail)
	b, err := base64.StdEncoding.Strict().DecodeString(inner)
	if !ok || err != nil || len(b) != len(audit.Hash{}) {
		return audit.Hash{}, false
	}
	return audit.Hash(b), true
}

func parseHashes(body []byte) ([]audit.Hash, error) {
	var out []audit.Hash
	for text := range strings.Lines(string(body)) {
		b, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(text, "\n"))
		if err != nil || len(b) != len(audit.Hash{}) {
			return nil, fmt.Errorf("line %d of %s is no hash", len(out)+1, partProof)
		}
		out = append(out, audit.Hash(b))
	}
	return out, nil
}
