package audit

import "time"

// A Report says what a verification found, what each check proves, and what it does not.
type Report struct {
	Folder string `json:"folder,omitempty"`
	Anchor string `json:"anchor,omitempty"` // the second place; empty: there was none
	Origin string `json:"origin,omitempty"` // of the newest checkpoint; what the journal says where there is none

	Records int64 `json:"records"` // leaves that are there
	Runs    int   `json:"runs"`
	Root    Hash  `json:"root"` // of all leaves, as the records hash now

	Newest *Seen  `json:"newest,omitempty"` // the newest checkpoint of any place
	Places []Seen `json:"places,omitempty"` // the newest of each

	Checks   []Check   `json:"checks"`
	Findings []Finding `json:"findings,omitempty"` // what is wrong, by leaf; those without one last
	Tail     *Tail     `json:"tail,omitempty"`     // records that no checkpoint covers
	Verdict  Verdict   `json:"verdict"`
}

// A Seen is a checkpoint as a place has it.
type Seen struct {
	Place string `json:"place"` // folder, anchor, or the file or witness it comes from
	Checkpoint
	Notes int    `json:"notes,omitempty"` // signed checkpoints that the place has
	Key   string `json:"key,omitempty"`   // the verifier key it was opened with
}

// A Verdict is what a verification comes to.
type Verdict string

// The verdicts.
const (
	Intact  Verdict = "intact"  // nothing is wrong, as far as the checks reach
	Damaged Verdict = "damaged" // something is; Findings say what
)

// A Check is one thing that was looked at.
type Check struct {
	Name      string `json:"name"`
	Status    Status `json:"status"`
	Count     int64  `json:"count,omitempty"` // of what it looked at
	Proved    string `json:"proved,omitempty"`
	NotProved string `json:"notProved,omitempty"`
}

// A Status is how a check came out.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Warned  Status = "warned"  // nothing is wrong, but less is proved than could be
	Failed  Status = "failed"  // see Findings
	Skipped Status = "skipped" // it could not be made
)

// A Finding is something that is wrong.
type Finding struct {
	Kind  Kind      `json:"kind"`
	Check string    `json:"check"`
	What  string    `json:"what"`
	Leaf  int64     `json:"leaf"` // index; -1: none
	Run   string    `json:"run,omitempty"`
	Seq   int64     `json:"seq,omitempty"`
	At    time.Time `json:"at,omitzero"`
	Place string    `json:"place,omitempty"`
}

// A Kind is what sort of thing is wrong.
type Kind string

// The kinds.
const (
	KindDatabase  Kind = "database"    // the file is no sound database
	KindAltered   Kind = "altered"     // a record is not the one that was hashed
	KindOrder     Kind = "order"       // records are missing, doubled, or in another order
	KindTile      Kind = "tile"        // the stored hashes do not agree with each other
	KindRollback  Kind = "rollback"    // there are fewer records than a checkpoint says
	KindFork      Kind = "fork"        // the records are others than a checkpoint says
	KindReplay    Kind = "replay"      // a place holds an older checkpoint than it must
	KindSignature Kind = "signature"   // a checkpoint is not signed by the key, or damaged
	KindKey       Kind = "key"         // a key is missing, or another than it was
	KindContent   Kind = "content"     // content that a record names is missing or another
	KindDerived   Kind = "derived"     // a table does not say what the records say
	KindNoCheck   Kind = "unprotected" // there is no checkpoint at all
)

// A Tail is the records above the newest checkpoint: nothing outside the database speaks for them.
type Tail struct {
	First   int64     `json:"first"` // leaf
	Records int64     `json:"records"`
	Streams []Stretch `json:"streams"`
}

// A Stretch is neighbouring records of a stream.
type Stretch struct {
	Run   string    `json:"run"`
	First int64     `json:"first"` // sequence numbers
	Last  int64     `json:"last"`
	At    time.Time `json:"at"` // of the first
}

// Fail notes something that is wrong with what a check looked at.
func (r *Report) Fail(f Finding) {
	r.Findings = append(r.Findings, f)
}

// Add notes a check. One that has findings has failed.
func (r *Report) Add(c Check) {
	for _, f := range r.Findings {
		if f.Check == c.Name {
			c.Status, c.Proved = Failed, ""
		}
	}
	r.Checks = append(r.Checks, c)
}
