package chargehand

// ToolsUsed says what an attempt's executor of tools saw and refused, before what came of the
// attempt (SPEC.md ·54). Pins are those the run did not have yet: from here on it goes by them.
type ToolsUsed struct {
	AttemptRef
	Pins    []ToolPin    `json:"pins,omitempty"`
	Changed []ToolChange `json:"changed,omitempty"`
	Denied  []ToolDenial `json:"denied,omitempty"`
	Done    []string     `json:"done,omitempty"` // digests of calls that did something to the world
}

// ToolsAllowed says that a person let changed tools be used as they are now: the run goes by these
// pins from here on.
type ToolsAllowed struct {
	AttemptRef           // that was blocked
	By         string    `json:"by"`
	Pins       []ToolPin `json:"pins"`
}

func (ToolsUsed) fact()    {}
func (ToolsAllowed) fact() {}
