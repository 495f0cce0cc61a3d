package chargehand

// Content is something that a fact names by its hash.
type Content struct {
	Kind      ContentKind
	Hash      string // "sha256:" and 64 digits
	MediaType string // of a document as its sender says, maybe nothing; text/plain of stderr and of what should be a plan and is not; else application/json
}

// A ContentKind is what a content is.
type ContentKind string

// The kinds of contents.
const (
	ContentDocument   ContentKind = "document"
	ContentTeam       ContentKind = "team"
	ContentPlan       ContentKind = "plan"
	ContentOutput     ContentKind = "output"
	ContentVerdict    ContentKind = "verdict"
	ContentTranscript ContentKind = "transcript"
	ContentStderr     ContentKind = "stderr"
	ContentAggregate  ContentKind = "aggregate"
	ContentResult     ContentKind = "result"
)

// Contents are what a fact names, in its own order. Only fields that the engine fills count: a hash
// among a worker's words names nothing.
func Contents(f Fact) []Content {
	var c contents
	switch f := f.(type) {
	case RunStarted:
		for _, d := range f.Objective.Documents {
			c.add(Content{ContentDocument, d.Hash, d.MediaType})
		}
		c.name(ContentTeam, f.TeamDigest)
		c.name(ContentPlan, f.Objective.PlanRef)
	case OutputChecked:
		c.output(f.Output, f.VerdictRef)
		c.attempt(f.Transcript, f.Stderr)
	case AttemptFailed:
		c.attempt(f.Transcript, f.Stderr)
	case AttemptStopped:
		c.attempt(f.Transcript, f.Stderr)
	case LateResult:
		c.output(f.Output, "")
		c.attempt(f.Transcript, f.Stderr)
	case PlanAsked:
		c.name(ContentPlan, f.Ref)
		c.draft(f.Draft)
	case PlanRefused:
		c.draft(f.Draft)
	case PlanProposed:
		c.name(ContentPlan, f.Ref)
	case ReviewOpened:
		c.output(f.Review.OutputRef, f.Review.VerdictRef)
		for _, p := range f.Review.Positions {
			c.output(p.OutputRef, p.VerdictRef)
		}
	case OutputSupplied:
		c.output(f.Output, f.VerdictRef)
	case ReviewDecided:
		if f.Decision.Settled == "" { // else it is the output that was supplied
			c.name(ContentPlan, f.Decision.EditRef)
		}
	case Aggregated:
		c.name(ContentAggregate, f.Ref)
	case RunEnded:
		c.name(ContentResult, f.Result)
	}
	return c
}

type contents []Content

func (c *contents) add(one Content) {
	if one.Hash != "" {
		*c = append(*c, one)
	}
}

func (c *contents) name(kind ContentKind, hash string) {
	c.add(Content{kind, hash, "application/json"})
}

// attempt is what an attempt leaves besides its output.
func (c *contents) attempt(transcript, stderr string) {
	c.name(ContentTranscript, transcript)
	c.add(Content{ContentStderr, stderr, "text/plain"})
}

func (c *contents) draft(d Draft) {
	if d.Text {
		c.add(Content{ContentPlan, d.Ref, "text/plain"})
		return
	}
	c.name(ContentPlan, d.Ref)
}

func (c *contents) output(hash, verdict string) {
	c.name(ContentOutput, hash)
	c.name(ContentVerdict, verdict)
}
