// Package chargehand supervises teams of AI agents: it plans an objective, gives each subtask to
// the right worker, watches deadlines and money, checks every output before anything uses it,
// corrects, reassigns or asks a person when a check fails, and returns one result with its gaps
// named and every decision on record.
//
// This package is the vocabulary that everything else is written in, and the interface to an
// engine. It imports the standard library only.
//
// # The tour, bottom up
//
//   - chargehand: teams, plans, tasks, results, verdicts, facts, the View that every surface shows,
//     and the Engine interface.
//   - internal/route: which workers may serve a subtask, and in which order; pure.
//   - internal/supervise: the run machine. Step(now, input) answers with records, effects and asks
//     for leases; it decides everything about one run and does nothing. Begin reading at Machine
//     in machine.go, then at a script in testdata.
//   - internal/fleet: the capacity machine: what all runs share. Leases, breakers, the dynamic
//     pool, the queue.
//   - internal/turn: steps both machines together until they are quiet.
//   - internal/gate: the deterministic validation that every output passes: schema, rules,
//     completeness, quotes, figures, calculations.
//   - internal/journal: records as bytes.
//   - internal/audit: the Merkle tree over the records, signed checkpoints, the report of a
//     verification.
//   - internal/evidence: a run's records as one file that verifies without the journal.
//   - internal/witness: signs the checkpoints of logs that go on from what it has seen.
//   - internal/regular: opens files that a person names, and nothing else.
//   - internal/account: names the accounts of this machine as principals.
//   - internal/sandbox: starts programs apart from the engine, its files and one another.
//   - worker: how work gets done: Go functions, processes, HTTP services; Line is how a worker asks
//     for money and says what it writes.
//   - agent: language models at work: workers with tools, reviewers, planners, writers of results.
//   - tool: what a model may have done: the executor that lets a call through or not.
//   - tool/mcp: tools of servers that speak the Model Context Protocol, and one tool as a worker.
//   - engine/local: the engine in this process, over one SQLite file. loop.go is the loop, which
//     steps the machines; flight.go makes durable what they say, answers, and begins.
//   - engine/enginetest: the suite that every engine passes.
//   - teams: ready-made teams; contract-review reads contracts.
//   - internal/httpapi, client: an engine over HTTP, and the same interface at the other end.
//   - internal/ingress: limits what one address holds of a server.
//   - internal/mcpapi, internal/a2aapi, internal/chatapi: teams as MCP tools, as A2A agents, and as
//     models of the chat completions API.
//   - internal/config, internal/registry, internal/scaffold: team files in, and a first one to start from.
//   - internal/sim: made-up runs in virtual time, with everything going wrong that can;
//     internal/sim/law: what must hold all the same.
//   - internal/cli, cmd/chargehand: the command line.
//   - internal/archtest: the import table, as a test.
//
// Five files tell how it works: this one, internal/supervise/machine.go, internal/fleet/machine.go,
// engine/local/loop.go and internal/supervise/testdata/quality.txt.
package chargehand
