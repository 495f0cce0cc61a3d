// Package audit makes the journal's records evidence: a Merkle tree over them (RFC 6962, SPEC.md
// ·171), signed checkpoints that say how large the tree was and what its root, and the report of a
// verification.
//
// A leaf is one record: its line of JSON exactly as stored, without the line break. Records of all
// streams are leaves in commit order. Hashes are kept in tiles of 256 (C2SP tlog-tiles), so the
// writer needs the tree's right edge only (tree.go), and every proof a few tiles (tile.go). All
// arithmetic of trees and proofs is golang.org/x/mod/sumdb/tlog's, all signatures are
// golang.org/x/mod/sumdb/note's.
package audit

import (
	"golang.org/x/mod/sumdb/tlog"
)

// A Hash is a SHA-256 hash of a leaf or of an inner node.
type Hash = tlog.Hash

// Leaf is the hash of a record's line, given without its line break.
func Leaf(line []byte) Hash { return tlog.RecordHash(line) }
