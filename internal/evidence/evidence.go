// Package evidence packs a run's records so that somebody who trusts neither this program nor its
// owner can check them, and checks such packs (SPEC.md ·172, ·173).
//
// A pack is one zip file. records.ndjson holds the run's records as the journal has them, leaves
// says which leaf of the log each one is, checkpoint is the log's signed statement of its size and
// root, and proof what is needed to get from the records to that root (proof.go). artifacts holds
// the contents that the records name, under their hashes. manifest.json says what there is and what
// was removed, and manifest.sig is the log's signature of it. Nothing else is needed to verify a
// pack but the log's public key, which should come by another way than the pack.
package evidence

import (
	"encoding/json"
	"regexp"
	"time"

	"github.com/chargehand/chargehand"
)

// Format is the format of the packs that Write writes and Verify reads.
const Format = "chargehand-evidence@1"

// The parts of a pack. Artifacts are in a folder of their own, by the hexadecimal digits of their
// hash.
const (
	partReadme     = "README.txt"
	partManifest   = "manifest.json"
	partSignature  = "manifest.sig"
	partReport     = "report.html"
	partRecords    = "records.ndjson"
	partLeaves     = "leaves"
	partProof      = "proof"
	partCheckpoint = "checkpoint"
	partKey        = "keys/log.pub"
	partWitnesses  = "keys/witness.pub"
	artifactFolder = "artifacts/"
)

// A Manifest says what is in a pack. The log's key signs it.
type Manifest struct {
	Format     string            `json:"format"`
	Run        string            `json:"run"`
	Title      string            `json:"title,omitempty"`
	Origin     string            `json:"origin"`              // the log's name
	Records    int               `json:"records"`             // removed ones included
	Uncovered  int               `json:"uncovered,omitempty"` // later records that no checkpoint covered, and that are not in the pack
	ExportedAt time.Time         `json:"exportedAt"`
	ExportedBy string            `json:"exportedBy,omitempty"`
	Artifacts  []Artifact        `json:"artifacts"`
	Removed    []Removal         `json:"removed"`
	Files      map[string]string `json:"files"` // content hash of every other part but the artifacts
}

// An Artifact is a content that a record names.
type Artifact struct {
	Hash      string                 `json:"hash"`
	Kind      chargehand.ContentKind `json:"kind"`
	MediaType string                 `json:"mediaType,omitempty"`
	Size      int64                  `json:"size"` // bytes
	Seq       int64                  `json:"seq"`  // of the first record that names it
}

// A Removal says what was left out, why and by whom. Of a record its leaf hash is kept, of an
// artifact its content hash, so the pack verifies all the same.
type Removal struct {
	Seq      int64                  `json:"seq,omitempty"`      // of a record; zero: an artifact
	Type     string                 `json:"type,omitempty"`     // of a record
	Artifact string                 `json:"artifact,omitempty"` // its hash
	Kind     chargehand.ContentKind `json:"kind,omitempty"`     // of an artifact
	Reason   string                 `json:"reason"`
	By       string                 `json:"by,omitempty"`
}

// Contents are the artifacts that a fact names, with neither size nor sequence number.
func Contents(f chargehand.Fact) []Artifact {
	var out []Artifact
	for _, c := range chargehand.Contents(f) {
		if contentHash.MatchString(c.Hash) {
			out = append(out, Artifact{Hash: c.Hash, Kind: c.Kind, MediaType: c.MediaType})
		}
	}
	return out
}

var contentHash = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// ResultHash is the hash that a run's end gives for its result: over the output, items, gaps and
// conflicts as they stand in the result, not over what it cost (SPEC.md ·7).
func ResultHash(result []byte) (string, error) {
	var parts struct {
		Output    json.RawMessage `json:"output"`
		Items     json.RawMessage `json:"items"`
		Gaps      json.RawMessage `json:"gaps"`
		Conflicts json.RawMessage `json:"conflicts"`
	}
	if err := json.Unmarshal(result, &parts); err != nil {
		return "", err
	}
	text := []byte("{")
	if parts.Output != nil {
		text = append(append(append(text, `"output":`...), parts.Output...), ',')
	}
	text = append(append(text, `"items":`...), parts.Items...)
	text = append(append(text, `,"gaps":`...), parts.Gaps...)
	text = append(append(text, `,"conflicts":`...), parts.Conflicts...)
	return chargehand.Hash(append(text, '}')), nil
}
