package chargehand

// DefaultToolCalls is how many calls of tools an attempt may make where nothing else is said.
const DefaultToolCalls = 20

// A ToolReport is what an attempt's executor of tools saw and refused (SPEC.md ·54).
type ToolReport struct {
	Pins    []ToolPin    `json:"pins,omitempty"` // the definitions it went by
	Changed []ToolChange `json:"changed,omitempty"`
	Denied  []ToolDenial `json:"denied,omitempty"` // the first of them

	// Done are digests of the calls that did something to the world, of tools that would do it again.
	Done []string `json:"done,omitempty"`
}

// A ToolPin is the definition of a tool that a run goes by.
type ToolPin struct {
	Tool   string `json:"tool"`   // "server.tool"
	Digest string `json:"digest"` // of the definition
}

// A ToolChange is a tool that is not defined as it was.
type ToolChange struct {
	Tool   string `json:"tool"`           // "server.tool"
	Pinned string `json:"pinned"`         // digest of the definition that was granted
	Now    string `json:"now"`            // digest of what its server says now; empty: the tool is gone
	Team   bool   `json:"team,omitempty"` // the team file names the pinned one, so nobody can let the other stand
}

// A ToolDenial is a call that was not let through.
type ToolDenial struct {
	Tool  string `json:"tool"` // as the worker named it
	Cause Denied `json:"cause"`
	Why   string `json:"why"` // one sentence
}

// Denied is why a call was not let through.
type Denied string

// The reasons.
const (
	DeniedGrant      Denied = "grant"      // the attempt has no grant for the tool
	DeniedEffect     Denied = "effect"     // it does more to the world than the subtask may
	DeniedCalls      Denied = "calls"      // the attempt has made all the calls it may
	DeniedArguments  Denied = "arguments"  // they do not fit the tool's schema
	DeniedDefinition Denied = "definition" // it has changed, or cannot be used
)

// String is the change in one sentence.
func (c ToolChange) String() string {
	switch {
	case c.Now == "":
		return "the tool " + c.Tool + " is gone; its definition was " + c.Pinned
	case c.Team:
		return "the tool " + c.Tool + " is not defined as the team says: the team names " + c.Pinned + ", its server " + c.Now
	}
	return "the tool " + c.Tool + " has changed: its definition was " + c.Pinned + ", now it is " + c.Now
}
