package main

import "slices"

// table is every guard, package by package, so that what two guards share is built once.
func table() []guard {
	return slices.Concat(
		teams.list(), routes.list(), attempts.list(), money.list(), covers.list(), people.list(), debates.list(), contradictions.list(), sides.list(), advice, runs.list(),
		leases.list(), breakers.list(), turns.list(), records.list(), engine.list(), checkpoints.list(), variables.list(), probes.list(),
		form.list(), sources.list(), secrets.list(), texts.list(), bodies, lines.list(), workers.list(), logs.list(), witnesses.list(), packs.list(), api.list(), screens.list(),
		executors.list(), servers.list(), leftovers.list(), pins.list(), models.list(), confidences.list(), thoughts,
	)
}
