package chargehand

// AuditBegan says under which name the records are checkpointed from here on, and by which key
// (SPEC.md ·171). It is the first record of a journal that has been audited from its beginning.
type AuditBegan struct {
	Origin string `json:"origin"` // of checkpoints
	Key    string `json:"key"`    // a verifier key, as C2SP signed-note writes it
}

// RollbackAccepted says that a person let a journal go on that is not what a checkpoint says it
// was: records are missing, or are others. What follows is checkpointed under a new name.
type RollbackAccepted struct {
	By     string        `json:"by"`
	Lost   []SignedState `json:"lost"`   // what checkpoints said, with which this journal does not agree
	Size   int64         `json:"size"`   // leaves that are there
	Root   string        `json:"root"`   // of them; base64
	Origin string        `json:"origin"` // from here on
}

// A SignedState is what a checkpoint says a journal was.
type SignedState struct {
	Place  string `json:"place"` // where the checkpoint is kept
	Origin string `json:"origin,omitempty"`
	Size   int64  `json:"size,omitempty"`
	Root   string `json:"root,omitempty"` // base64
	Why    string `json:"why,omitempty"`  // where no checkpoint could be read: what was wrong
}

// KeyReplaced says that a person let checkpoints be signed by another key from here on.
type KeyReplaced struct {
	By  string `json:"by"`
	Old string `json:"old"` // verifier keys
	New string `json:"new"`

	Origin string `json:"origin"` // of checkpoints from here on
}

func (AuditBegan) fact()       {}
func (RollbackAccepted) fact() {}
func (KeyReplaced) fact()      {}
