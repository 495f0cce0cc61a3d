package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
)

// A class is one way to forge.
type class struct {
	name string
	live bool // of the image with a write-ahead log
	do   func(b *bench) (mark, error)
	pack bool // it alters b.pack, and no journal
}

// A mark is where a forgery is, as far as one place can be named. The zero mark is "anywhere".
type mark struct {
	run    string
	seq    int64
	leaf   int64 // one more than it, so that zero is none
	place  string
	kind   audit.Kind
	loose  bool // it may hit what is not used: then all rows must be the same
	nobody bool // nothing was changed after all
}

// classes are all of them.
var classes = []class{
	{name: "bit of a record", do: bitOfRecord},
	{name: "bit of a record, its hashes made to fit", do: bitOfRecordCareful},
	{name: "bit of the database file", do: bitOfDatabase},
	{name: "bit of the write-ahead log", live: true, do: bitOfLog},
	{name: "write-ahead log cut off", live: true, do: cutLog},
	{name: "bit of a stored hash", do: bitOfTile},
	{name: "bit of content in the database", do: bitOfPack},
	{name: "bit of content in a file", do: bitOfFile},
	{name: "content exchanged", do: exchangedContent},
	{name: "row of a list", do: derivedRow},
	{name: "record removed", do: recordRemoved},
	{name: "segment removed", do: segmentRemoved},
	{name: "run removed", do: runRemoved},
	{name: "record inserted", do: recordInserted},
	{name: "records reordered", do: recordsReordered},
	{name: "records of two runs exchanged", do: recordsExchanged},
	{name: "end cut off", do: endCutOff},
	{name: "older copy put back", do: olderCopy},
	{name: "whole log replaced", do: logReplaced},
	{name: "fork, signed with the true key", do: fork},
	{name: "all signed anew with another key", do: anotherKey},
	{name: "older checkpoint replayed", do: replayed},
	{name: "bit of a checkpoint", do: bitOfCheckpoint},
	{name: "checkpoints removed", do: checkpointsRemoved},
	{name: "bit of a public key", do: bitOfKey},
	{name: "pack: bit of the file", pack: true, do: bitOfZip},
	{name: "pack: bit of a part", pack: true, do: bitOfPart},
	{name: "pack: record or content removed", pack: true, do: partRemoved},
	{name: "pack: lines reordered or doubled", pack: true, do: linesShuffled},
	{name: "pack: part added or doubled", pack: true, do: partAdded},
	{name: "pack: made with another key", pack: true, do: packOfAnotherKey},
}

// A bench is where one forger works.
type bench struct {
	*works
	dir  string
	dice *rand.Rand
	pack []byte // that is forged
	with []local.KeptNote

	flipped string // which bit was, last
	listed  string // what the list of runs says, where the journal is the true one
}

// An outcome is what became of one forgery.
type outcome struct {
	found    bool
	located  bool
	harmless bool // not found, and nothing that is read was changed
	note     string
}

// try makes one forgery and verifies.
func (b *bench) try(ctx context.Context, c class) (outcome, error) {
	if c.pack {
		return b.tryPack(c)
	}
	from := b.closed
	if c.live {
		from = b.live
	}
	if err := from.put(b.dir); err != nil {
		return outcome{}, err
	}
	m, err := c.do(b)
	if err != nil {
		return outcome{}, err
	}
	if m.nobody {
		return outcome{}, errors.New("the forger changed nothing")
	}
	r, err := b.audit(ctx)
	if ctx.Err() != nil {
		return outcome{}, context.Cause(ctx)
	}
	if err != nil {
		return outcome{found: true, located: true, note: err.Error()}, nil // it refuses to call that a journal
	}
	if r.Verdict != audit.Intact {
		return outcome{found: true, located: located(m, r.Findings)}, nil
	}
	return outcome{harmless: m.loose && b.sameRows(c), note: fmt.Sprintf("%+v, %s", m, b.flipped)}, nil
}

func (b *bench) tryPack(c class) (outcome, error) {
	b.pack = slices.Clone(b.works.pack)
	m, err := c.do(b)
	if err != nil {
		return outcome{}, err
	}
	if slices.Equal(b.pack, b.works.pack) {
		return outcome{}, errors.New("the forger changed nothing")
	}
	r := b.checkPack(b.pack)
	return outcome{
		found: r.Verdict != audit.Intact, located: len(r.Findings) > 0, harmless: m.loose && b.sameParts(), note: fmt.Sprintf("%+v, %s", m, b.flipped),
	}, nil
}

// audit verifies as somebody does who knows the key and has the anchor.
func (b *bench) audit(ctx context.Context) (*audit.Report, error) {
	return local.Audit(ctx, filepath.Join(b.dir, folder), local.AuditOptions{
		Anchor: filepath.Join(b.dir, anchor), Keys: []string{b.key}, Kept: b.with,
	})
}

// located reports whether a finding says where the forgery is. Where one place cannot be named,
// any finding does that is about the right thing.
func located(m mark, findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool {
		switch {
		case m.seq > 0 && f.Run == m.run && f.Seq == m.seq, m.leaf > 0 && f.Leaf == m.leaf-1:
			return true
		case m.seq == 0 && m.run != "" && f.Run == m.run, m.place != "" && f.Place == m.place, m.kind != "" && f.Kind == m.kind:
			return true
		}
		return m == mark{loose: m.loose}
	})
}

// sameRows proves that a forgery changed nothing that is read.
func (b *bench) sameRows(c class) bool {
	want := b.rows
	if c.live {
		want = b.rowsL
	}
	got, err := allRows(b.at())
	return err == nil && got == want
}

// at is the forged data folder.
func (b *bench) at() string { return filepath.Join(b.dir, folder) }
