package main

// logs are checkpoints, and the files they are in.
var logs = section{pkg: "internal/audit", guards: []guard{
	{
		name: "checkpoint-bits", protects: "no bit of a checkpoint's signature may change unnoticed (row 46)",
		file: "checkpoint.go", on: `base64.StdEncoding.Strict().DecodeString(s.Base64); err != nil {`, off: `base64.StdEncoding.DecodeString(s.Base64); err != nil {`,
		tests: []string{"TestEveryBitOfASignatureCounts"},
	},
	{
		name: "checkpoint-form", protects: "what is no checkpoint is not read as one (row 46)",
		file: "checkpoint.go", on: `if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {`, off: `if err != nil {`,
		tests: []string{"TestWhatIsNoCheckpoint"},
	},
	{
		name: "key-pair", protects: "a public key is that of the private one (row 46)",
		file: "key.go", on: `if v.Name() != signer.Name() || v.KeyHash() != signer.KeyHash() {`, off: `if v == nil {`,
		tests: []string{"TestKeysThatDoNotBelongTogether"},
	},
	{
		name: "trail-owner", protects: "checkpoints that somebody else has written to are noticed (row 12)",
		file: "trail.go", on: `case info.Size() != t.size:`, off: `case false:`,
		tests: []string{"TestTrailOfSomebodyElse"},
	},
	{
		name: "trail-torn", protects: "what a crash left of a checkpoint is cut off, and no more (row 8)",
		file: "trail.go", on: `if err := f.Truncate(t.size); err != nil {`, off: `if err := f.Truncate(info.Size()); err != nil {`,
		tests: []string{"TestTrailForgetsWhatWasTorn"},
	},
	{
		name: "trail-damage", protects: "bytes that are no checkpoint are an error, not an end (row 9)",
		file: "trail.go", on: `if torn(b[at:]) {`, off: `if torn(b[at:]) || at >= 0 {`,
		tests: []string{"TestTrailThatIsDamaged"},
	},
}}

// witnesses sign what goes on from what they signed.
var witnesses = section{pkg: "internal/witness", tests: []string{"TestStatusCodes", "TestForkAndRollbackAreRefused"}, guards: []guard{
	{
		name: "witness-fork", protects: "a witness signs only what goes on from what it signed (row 46)",
		file: "witness.go", on: `if err := tlog.CheckTree(proof, c.Size, c.Root, before.Size, before.Root); err != nil {`, off: `if err := tlog.CheckTree(proof, c.Size, c.Root, before.Size, before.Root); err != nil && c.Size < 0 {`,
	},
	{
		name: "witness-last", protects: "a proof is from the checkpoint it signed last (row 46)",
		file: "witness.go", on: `if before.Size != req.old {`, off: `if false {`,
	},
	{
		name: "witness-log-key", protects: "a checkpoint is signed by its log (row 46)",
		file: "witness.go", on: `		return c, nil, refuse(http.StatusForbidden, "the checkpoint is not signed by the log's key")
	}`, off: `		n = &note.Note{Text: text + "\n"}
	}`,
	},
	{
		name: "witness-known-log", protects: "a witness signs for the logs it watches only",
		file: "witness.go", on: `return c, nil, refuse(http.StatusNotFound, "the log is not known here")`, off: "for _, any := range w.logs {\n\t\t\tv = any\n\t\t}",
	},
	{
		name: "witness-keeps-first", protects: "nothing is signed that is not on disk (row 46)",
		file: "witness.go", on: `if err := w.state.keep(c, signed); err != nil {
		return "", err
	}`, off: `_ = w.state.keep(c, signed)`,
		tests: []string{"TestNothingIsSignedThatCannotBeKept"},
	},
	{
		name: "witness-memory", protects: "it does not forget what it signed when it is started again (row 46)",
		file: "state.go", on: `s.last[strings.TrimSuffix(filepath.Base(f), ".checkpoint")] = b`, off: `_ = b`,
		tests: []string{"TestRestartKeepsWhatWasSeen", "TestKilledBeforeTheAnswer"},
	},
	{
		name: "witness-state", protects: "it notices that what it remembers was altered (row 46)",
		file: "state.go", on: `if _, ok := v.Seen(msg); !ok {`, off: `if _, ok := v.Seen(msg); !ok && hash == "" {`,
		tests: []string{"TestAlteredStateIsRefused"},
	},
	{
		name: "witness-answer", protects: "what a witness answers is its signature, or is not kept (row 46)",
		file: "key.go", on: `if at == 0 || at>>63 != 0 || !ed25519.Verify(v.public, signedText(at, text), sig[8:]) {`, off: `if at == 0 || at>>63 != 0 {`,
		tests: []string{"TestLyingWitness"},
	},
	{
		name: "witness-body", protects: "a request has a limit (row 62)",
		file: "witness.go", on: `http.MaxBytesReader(out, in.Body, maxBody)`, off: `in.Body`,
	},
}}

// packs are evidence for somebody who has nothing else.
var packs = section{pkg: "internal/evidence", guards: []guard{
	{
		name: "pack-signature", protects: "a pack's manifest is signed by the log's key (·173, row 46)",
		file: "check.go", on: `case n.Text != signedText(v.body[partManifest]):`, off: `case n == nil:`,
		tests: []string{"TestTamperedPacksAreFound/the manifest"},
	},
	{
		name: "pack-parts", protects: "every part is the one the manifest lists (·173)",
		file: "check.go", on: `if chargehand.Hash(v.body[name]) != m.Files[name] {`, off: `if false {`,
		tests: []string{"TestTamperedPacksAreFound/a page"},
	},
	{
		name: "pack-key", protects: "a pack that brings another key than the one it should be is found (row 46)",
		file: "check.go", on: `if given != own {`, off: `if false {`,
		tests: []string{"TestAnotherKeyIsFound"},
	},
	{
		name: "pack-root", protects: "the records are leaves of the tree that was signed (·173)",
		file: "check.go", on: `case root != c.Root:`, off: `case false:`,
		tests: []string{"TestForgedPacksAreFound/a record's word"},
	},
	{
		name: "pack-sequence", protects: "no record is missing between the first and the last (·173)",
		file: "check.go", on: `case l.record.Seq != int64(i+1):`, off: `case false:`,
		tests: []string{"TestForgedPacksAreFound/one in the middle left out"},
	},
	{
		name: "pack-removal", protects: "what is removed is said to be, and why (·173)",
		file: "check.go", on: `if !stated[int64(i+1)] {`, off: `if false {`,
		tests: []string{"TestForgedPacksAreFound/a record removed without a word"},
	},
	{
		name: "pack-content", protects: "content is what the records name (·173)",
		file: "check.go", on: `case "sha256:"+hex.EncodeToString(sum.Sum(nil)) != a.Hash:`, off: `case "sha256:"+hex.EncodeToString(sum.Sum(nil)) == "":`,
		tests: []string{"TestTamperedPacksAreFound"},
	},
	{
		name: "pack-result", protects: "the result is the one the run ended with (·173)",
		file: "check.go", on: `if err != nil || hash != v.ended.ResultHash {`, off: `if err != nil || hash == "" {`,
		tests: []string{"TestResultHashRefusesOther"},
	},
	{
		name: "pack-proof", protects: "a proof is used whole, each hash once (row 46)",
		file: "proof.go", on: `if err == nil && len(w.known)+len(w.proof) > 0 {`, off: `if false {`,
		tests: []string{"TestForgedPacksAreFound/a proof too many"},
	},
	{
		name: "pack-bomb", protects: "a pack that claims to unpack to more than there can be is refused (row 54)",
		file: "open.go", on: `case f.CompressedSize64 > uint64(size) || f.UncompressedSize64/maxRatio > f.CompressedSize64:
		return fmt.Errorf("%s claims to be %d bytes, packed into %d", f.Name, f.UncompressedSize64, f.CompressedSize64)
	case a.bytes > maxBytes:`, off: `case a.bytes < 0:`,
		tests: []string{"TestPacksThatClaimTooMuch"},
	},
	{
		name: "pack-names", protects: "a pack holds what a pack holds, and each part once (row 53)",
		file: "open.go", on: `case to[name] != nil:`, off: `case false:`,
		tests: []string{"TestHostileArchives"},
	},
	{
		name: "redaction-reason", protects: "nothing is left out without a reason (·173)",
		file: "redact.go", on: `if strings.TrimSpace(r.Reason) == "" {`, off: `if false {`,
		tests: []string{"TestRedactionIsChecked"},
	},
}}
