package main

// engine is the local engine: what it makes durable, and what it begins.
var engine = section{pkg: "engine/local", guards: []guard{
	{
		name: "clock-on-record", protects: "a wall clock that is set is on record (row 15)",
		file: "loop.go", on: `if stepped {`, off: `if false && stepped {`,
		tests: []string{"TestClockThatIsSetIsOnRecord"},
	},
	{
		name: "no-result", protects: "what is no result of its task is no output, whatever its JSON is (row 18)",
		file: "attempt.go", on: `NoResult: noResult(err),`, off: `NoResult: noResult(nil),`,
		tests: []string{"TestSoundGarbageIsNoOutput"},
	},
	{
		name: "boot-epoch", protects: "a process that lost the journal to another writes nothing more (row 12)",
		file: "append.go", on: `if errors.Is(err, sql.ErrNoRows) {
			return errLostOwnership
		}
		return err`, off: `if !errors.Is(err, sql.ErrNoRows) {
			return err
		}`,
		tests: []string{"TestLoserOfTheJournalStops"},
	},
	{
		name: "lost-journal-is-fatal", protects: "it stops, too (row 12)",
		file: "store.go", on: `return errors.Is(err, errLostOwnership)`, off: `return errors.Is(err, errLostOwnership) && false`,
		tests: []string{"TestLoserOfTheJournalStops"},
	},
	{
		name: "io-error-is-fatal", protects: "after an I/O error nothing more is acknowledged (row 10)",
		file: "store.go", on: `case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT,`, off: `case sqlite3.SQLITE_CORRUPT,`,
		tests: []string{"TestIOErrorIsFatal"},
	},
	{
		name: "damage-is-fatal", protects: "nor after the database is found damaged (row 9)",
		file: "store.go", on: `sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB`, off: `sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB`,
		tests: []string{"TestWhatEndsTheEngine"},
	},
	{
		name: "full-sync", protects: "a commit is on disk when it returns (·160, row 10)",
		file: "store.go", on: `"synchronous(full)"`, off: `"synchronous(normal)"`,
		tests: []string{"TestCommitsAreSynced"},
	},
	{
		name: "file-lock", protects: "one process has a data folder at a time (row 12)",
		file: "lock_unix.go", on: `err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)`, off: `err = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)`,
		tests: []string{"TestSecondOwnerIsTurnedAway"},
	},
	{
		name: "effects-after-commit", protects: "nothing begins before the record that caused it is durable (row 1)",
		file: "flight.go", on: `e.flights.next.take(events, e.loop.Take(now, in))`, off: "t := e.loop.Take(now, in)\n\te.begin(t.Effects)\n\tt.Effects = nil\n\te.flights.next.take(events, t)",
		tests: []string{"TestNothingBeginsBeforeItIsDurable"},
	},
	{
		name: "answer-after-commit", protects: "nothing is acknowledged before it is durable (·160, row 1)",
		file: "flight.go", on: `if err := e.store.append(e.hands.ctx, c); err != nil {
			return err
		}
		e.hub.publish`, off: `if err := e.store.append(e.hands.ctx, c); err != nil {
			for _, ev := range f.events {
				if ev.reply != nil {
					ev.reply(answer{})
				}
			}
			return err
		}
		e.hub.publish`,
		tests: []string{"TestFailedWriteLosesNothing"},
	},
	{
		name: "views-after-commit", protects: "nobody sees what is not durable (·160)",
		file: "flight.go", on: `c.lines = f.lines`, off: "c.lines = f.lines\n\t\te.hub.publish(c.records)",
		tests: []string{"TestNothingBeginsBeforeItIsDurable"},
	},
	{
		name: "reload-after-failure", protects: "after a failed write every machine is what the disk says (row 7)",
		file: "loop.go", on: `if err := e.refold(ctx); err != nil {
		return errors.Join(cause, err)
	}`, off: ``,
		tests: []string{"TestFailedWriteLosesNothing", "TestNothingBeginsBeforeItIsDurable"},
	},
	{
		name: "reports-kept", protects: "what workers did is not lost to a failed write (row 7)",
		file: "loop.go", on: `again = append(again, ev)`, off: `_ = ev`,
		tests: []string{"TestFailedWriteLosesNothing"},
	},
	{
		name: "next-lost-too", protects: "what was stepped on from what could not be written is lost with it (row 7)",
		file: "flight.go", on: `fs.next = &flight{}
		return e.undo(ctx, events, err)`, off: `return e.undo(ctx, events, err)`,
		tests: []string{"TestTurnsAreLostTogether"},
	},
	{
		name: "next-reports-kept", protects: "and what workers did meanwhile is not (row 7)",
		file: "flight.go", on: `events := slices.Concat(f.events, fs.next.events)`, off: `events := slices.Concat(f.events)`,
		tests: []string{"TestTurnsAreLostTogether"},
	},
	{
		name: "no-look-ahead", protects: "nobody is shown what the machines have stepped on to before it is durable (·160)",
		file: "loop.go", on: `return ev.look != nil || ev.begin != nil`, off: `return ev.look == nil && ev.begin != nil`,
		tests: []string{"TestNobodyLooksAhead"},
	},
	{
		name: "key-of-start", protects: "one key starts one run (·55)",
		file: "key.go", on: `	if o.key == "" {
		return nil
	}
	run, err`, off: `	if o.key != "" {
		return nil
	}
	run, err`,
		tests: []string{"TestConformance/starts one run for one key"},
	},
	{
		name: "key-of-team", protects: "a key that started another team's run is refused (·161)",
		file: "key.go", on: `case team != k.digest:`, off: `case team == "":`, tests: []string{"TestConformance/starts one run for one key"},
	},
	{
		name: "key-of-tenant", protects: "so is another tenant's (·161)",
		file: "key.go", on: `case v.Tenant != o.Tenant:`, off: `case v.Tenant != o.Tenant && team == "":`, tests: []string{"TestConformance/starts one run for one key"},
	},
	{
		name: "key-of-objective", protects: "and one that asked for something else (·55)",
		file: "key.go", on: `case !sameObjective(&v.Objective, &o.Objective):`, off: `case !sameObjective(&v.Objective, &o.Objective) && team == "":`, tests: []string{"TestConformance/starts one run for one key"},
	},
	{
		name: "tenant-quota", protects: "all runs of a tenant together stay within its quota (·95)",
		file: "loop.go", on: `if left := limit.USD - spent; o.budget == 0 || o.budget > left {`, off: `if left := limit.USD - spent; left < 0 {`,
		tests: []string{"TestTenantsQuotaHolds"},
	},
	{
		name: "drift", protects: "a run is not taken up by other versions unless that is forced, and recorded (·161)",
		file: "local.go", on: `return len(e.kits.of(t).drift) > 0`, off: `return false`,
		tests: []string{"TestDriftIsRefusedUnlessForced"},
	},
	{
		name: "newer-journal", protects: "a journal of a newer format is refused (row 6)",
		file: "store.go", on: `case have > want:`, off: `case false:`,
		tests: []string{"TestNewerJournalIsRefused"},
	},
	{
		name: "gate-always", protects: "every output passes the gate before the machine sees it (·60)",
		file: "attempt.go", on: `v, items := k.gate.CheckItems(gate.Submission{`, off: `v, items := chargehand.Verdict{SchemaPass: true, CompletenessPass: true, ConsistencyPass: true, Score: 1, Recommendation: chargehand.Accept}, []gate.Item(nil)
	_ = (gate.Submission{`,
		tests: []string{"TestConformance/corrects an invalid output"},
	},
	{
		name: "input-check", protects: "no worker is sent an input that it does not accept (·56)",
		file: "attempt.go", on: `err = unfit(k.gate.CheckInput(l.Task.AssignedWorker, l.Task.Input))`, off: `err = unfit(nil)`,
		tests: []string{"TestInputThatDoesNotFit"},
	},
	{
		name: "plain-words", protects: "a worker's words steer no terminal, and fit a record (row 20, row 50)",
		file: "attempt.go", on: `if r != ' ' && !unicode.IsGraphic(r) {`, off: `if r != ' ' && !unicode.IsGraphic(r) && r < 0 {`,
		tests: []string{"TestHostileAnswers"},
	},
	{
		name: "content-verified", protects: "content is what its hash says whenever it is read (row 9)",
		file: "blob.go", on: `case chargehand.Hash(body) != hash:`, off: `case false:`,
		tests: []string{"TestDamagedContentIsNotRead"},
	},
	{
		name: "parked-runs-wake", protects: "a run that left memory is told the time when it wanted to be (·124)",
		file: "loop.go", on: `for _, run := range due {`, off: `for _, run := range due[:0] {`,
		tests: []string{"TestConformance/lets the policy decide at the deadline"},
	},
	{
		name: "caveats-kept", protects: "what is missing stands in what the last step reads (·141)",
		file: "aggregate.go", on: `a.Caveats = e.Caveats`, off: `_ = e.Caveats`, tests: []string{"TestLastStepSeesTheGaps"},
	},
	{
		name: "tools-stopped", protects: "what the tools of a stopped attempt did is on record (·54)",
		file: "attempt.go", on: `Tools: plainTools(res.Tools), Transcript: hash`, off: `Transcript: hash`, tests: []string{"TestEndedAttemptsKeepTheirToolReport"},
	},
	{
		name: "transcript-failed", protects: "what a worker did can be read though its attempt failed (·68)",
		file: "attempt.go", on: `c.Tools, c.Transcript = plainTools(res.Tools), hash`, off: `c.Tools = plainTools(res.Tools)`, tests: []string{"TestFailedAttemptsKeepTheirTranscript"},
	},
	{
		name: "transcript-form", protects: "what comes with an error is kept only if it is JSON, within bounds",
		file: "attempt.go", on: `len(transcript) > maxTranscript || !json.Valid(transcript)`, off: `false`, tests: []string{"TestFailedAttemptsKeepTheirTranscript"},
	},
}}

// checkpoints are the local engine's word on its own journal.
var checkpoints = section{pkg: "engine/local", guards: []guard{
	{
		name: "irreversible-waits", protects: "what cannot be taken back begins once a checkpoint covers its start (·171, row 47)",
		file: "release.go", on: `if !final(l) && !j.notary.behind() {`, off: `if final(l) || !j.notary.behind() {`,
		tests: []string{"TestFinalEffectWaitsForItsCheckpoint", "TestFinalEffectThatMayNotBegin"},
	},
	{
		name: "uncovered-bound", protects: "no more than so many records go uncovered (row 47)",
		file: "release.go", on: `> maxUncovered`, off: `> 10*maxUncovered`,
		tests: []string{"TestUncoveredRecordsAreBounded"},
	},
	{
		name: "unrepeatable-waits", protects: "so does what cannot be done again (·171)",
		file: "release.go", on: `return l.Once || l.Effect.Final()`, off: `return l.Effect.Final()`,
		tests: []string{"TestFinalEffectWaitsForItsCheckpoint"},
	},
	{
		name: "every-place", protects: "a checkpoint covers once every place has it (·171)",
		file: "notary.go", on: `errs = append(errs, fmt.Errorf("%s: %w", p.name, err))`, off: `_ = fmt.Errorf`,
		tests: []string{"TestFinalEffectWaitsForItsCheckpoint"},
	},
	{
		name: "rollback", protects: "a journal that is not what its checkpoints say is not opened (row 8, row 13)",
		file: "vouch.go", on: `if len(v.lost) > 0 && !v.opt.AcceptRollback {`, off: `if false {`,
		tests: []string{"TestRollbackIsRefused"},
	},
	{
		name: "shrunken-tree", protects: "fewer records than a checkpoint covers are seen (row 13)",
		file: "vouch.go", on: `if c.Size > tree.Size() {`, off: `if c.Size > tree.Size() { return "" } else if false {`,
		tests: []string{"TestRollbackIsRefused"},
	},
	{
		name: "forked-tree", protects: "other records than a checkpoint covers are seen (row 46)",
		file: "vouch.go", on: `case root != c.Root:`, off: `case false:`,
		tests: []string{"TestForkIsRefused"},
	},
	{
		name: "key-replaced", protects: "a journal whose key is gone or is another is not opened (row 46)",
		file: "vouch.go", on: `if len(v.keys) > 0 && !v.opt.AcceptNewKey {`, off: `if false {`,
		tests: []string{"TestWhatVouchesMayNotGo"},
	},
	{
		name: "checkpoint-kept", protects: "checkpoints that are gone are missed (row 46)",
		file: "vouch.go", on: `if !v.fresh[p] || p.name == "folder" && v.begun {`, off: `if !v.fresh[p] {`,
		tests: []string{"TestWhatVouchesMayNotGo"},
	},
	{
		name: "leaf-compared", protects: "a run with a record that is another is not taken up (row 9)",
		file: "leaves.go", on: `case have != want:`, off: `case false:`,
		tests: []string{"TestRunThatWasChangedIsLeftAlone"},
	},
	{
		name: "leaves-counted", protects: "records that are missing behind the last checkpoint are missed (row 8)",
		file: "tree.go", on: `if records != hashes {`, off: `if false {`,
		tests: []string{"TestRecordsWithoutLeaves"},
	},
	{
		name: "checkpoint-age", protects: "checkpoints follow the records (·171)",
		file: "notary.go", on: `n.since = time.Now()
	}
	n.ended`, off: `n.since = time.Time{}
	}
	n.ended`,
		tests: []string{"TestCheckpointsFollow"},
	},
	{
		name: "checkpoint-second", protects: "a checkpoint is at most a second old (·171)",
		file: "notary.go", on: `maxAge      = 800 * time.Millisecond`, off: `maxAge      = 1200 * time.Millisecond`,
		tests: []string{"TestCheckpointsFollow"},
	},
	{
		name: "checkpoint-not-put-off", protects: "further records do not put a checkpoint off (·171)",
		file: "notary.go", on: `if n.since.IsZero() {
		n.since = time.Now()
	}
	n.ended`, off: `n.since = time.Now()
	n.ended`,
		tests: []string{"TestCheckpointsFollow"},
	},
	{
		name: "checkpoint-at-end", protects: "there is a checkpoint at a run's end (·171)",
		file: "notary.go", on: `case n.ended:`, off: `case false:`,
		tests: []string{"TestCheckpointAtARunsEnd"},
	},
}}

// probes ask workers' health endpoints.
var probes = section{pkg: "engine/local", tests: []string{"TestProbe"}, guards: []guard{
	{
		name: "probe-address", protects: "a health endpoint is asked only where that is allowed (·202, row 52)",
		file: "probe.go", on: `guard.Transport(address)`, off: `(&http.Transport{TLSHandshakeTimeout: guard.Transport(address).TLSHandshakeTimeout})`,
	},
	{
		name: "probe-redirect", protects: "nor does it lead to another, whose health says nothing (·202, row 52)",
		file: "probe.go", on: `return http.ErrUseLastResponse`, off: `return nil`,
	},
	{
		name: "probe-words", protects: "a key in an endpoint's address is not repeated (row 63)",
		file: "probe.go", on: `err = e.Err`, off: `err = e`,
	},
}}

// variables are what a team wants of the environment.
var variables = section{pkg: "engine/local", guards: []guard{
	{
		name: "variables-at-start", protects: "a run does not start without the variables it names (row 63)",
		file: "kit.go", on: `return append(problems, unset(k.team)...)`, off: `return problems`,
		tests: []string{"TestARunWantsItsVariablesWhenItStarts", "TestARunWaitsForItsVariables"},
	},
	{
		name: "variables-not-to-read", protects: "whoever only reads needs none",
		file: "reader.go", on: `r.kits.read(`, off: `r.kits.load(`, tests: []string{"TestARunWaitsForItsVariables"},
	},
}}
