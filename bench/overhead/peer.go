package main

import (
	"context"
	"fmt"
)

// A peer is one way of carrying runs out.
type peer interface {
	// run carries one run through and returns what its synthesis says.
	run(ctx context.Context) (string, error)

	// commits is how many transactions were made so far; zero where nothing is stored.
	commits() int64

	close() error
}

// A setting is what a peer is opened with.
type setting struct {
	workload workload
	model    *model
	dir      string // for what it stores
}

// open readies the peer of that name.
func open(ctx context.Context, name string, s setting) (peer, error) {
	switch name {
	case "chargehand":
		return newEngine(ctx, s)
	case "floor":
		return newFloor(s, forgetful{}), nil
	case "durable-floor":
		t, err := newTable(ctx, s.dir)
		if err != nil {
			return nil, err
		}
		return newFloor(s, t), nil
	}
	return nil, fmt.Errorf("there is no peer %q: name chargehand, floor or durable-floor", name)
}

// extraCalls is how many model calls of a run a peer makes beyond those of the workload: the engine
// has the synthesis reviewed like any output.
func extraCalls(peer string) int64 {
	if peer == "chargehand" {
		return 1
	}
	return 0
}
