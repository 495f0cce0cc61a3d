package provider

import (
	"time"

	"github.com/chargehand/chargehand/model"
)

// A Reply is what is answered. The zero Reply is an empty text.
type Reply struct {
	Thinking []Thought // before the text

	Text  string
	Calls []model.Call
	Stop  model.Stop   // empty means that calls are wanted if there are any, else that the answer is complete
	Usage *model.Usage // nil means an estimate: a token for every four bytes

	Model string        // that is said to have answered; empty means the one that was asked
	Chunk int           // bytes of text in each event of a stream; zero means 8
	Delay time.Duration // before the answer
	Pause time.Duration // before each event of a stream
	Gzip  bool          // the answer is squeezed, where the client takes that

	Fault Fault
}

// A Fault is what goes wrong with an answer. The zero Fault is none.
type Fault struct {
	Status     int    // of HTTP, instead of an answer; zero means none
	Type       string // of the error; empty means that which goes with Status
	Code       string // of the error, OpenAI's; empty means none
	Message    string // of the error; empty means that which goes with Status
	Param      string // that the error is about, OpenAI's
	RetryAfter string // the header, in seconds or as an HTTP date; empty means that it is not said
	Body       string // instead of the error's body; empty means that of the dialect
	Encoding   string // that Body is said to be in; empty means none

	Cut  Cut  // the connection is reset
	Hang bool // the request is executed and counted, and never answered

	Mangle      Mangle // of a stream
	ContentType string // instead of the right one; empty means the right one
	Truncate    bool   // an answer that is no stream ends in its middle
	NoUsage     bool   // what the call cost is not said
	Doubled     bool   // what the call cost is said twice in a stream
}

// A Cut is where a connection is reset.
type Cut string

// The places.
const (
	CutBefore Cut = "before" // nothing is answered
	CutAfter  Cut = "after"  // the head of the answer is sent, nothing of its body
	CutMiddle Cut = "middle" // half of the body is sent
)

// A Mangle is what is wrong with a stream.
type Mangle string

// The mangles. Those of Harmless leave the stream a valid one.
const (
	SplitRunes  Mangle = "split runes"   // each byte in a packet of its own
	MixedEnds   Mangle = "mixed ends"    // lines end in CR, LF and CR LF
	Comments    Mangle = "comments"      // ten thousand of them before each event
	SameIDs     Mangle = "same ids"      // each event has the id of the one before
	TwoLines    Mangle = "two lines"     // each event's JSON goes over two data lines
	BOM         Mangle = "bom"           // a byte order mark first
	NoSpace     Mangle = "no space"      // none after the colon
	NoBlankLine Mangle = "no blank line" // nothing between the events
	LongLine    Mangle = "long line"     // one of 64 MiB
	NoEnd       Mangle = "no end"        // the last event is missing, which of chat completions and of Anthropic's says nothing new
	EndEarly    Mangle = "end early"     // the connection ends properly, in the middle of the answer
	HalfEvent   Mangle = "half event"    // it ends in the middle of an event
	HalfJSON    Mangle = "half json"     // each event's JSON is split into two events
	BrokenRunes Mangle = "broken runes"  // text that is not UTF-8
	ErrorEvent  Mangle = "error event"   // an error in the middle of the answer
	Nulls       Mangle = "nulls"         // events whose data is null, a number, a list
	SameCalls   Mangle = "same calls"    // every call of a tool has the same id
)

// Harmless are the mangles after which a stream still says all there is to say. Of the Responses API the last
// event says it all, so NoEnd is not among them there.
var Harmless = []Mangle{SplitRunes, MixedEnds, Comments, SameIDs, TwoLines, BOM, NoSpace, NoBlankLine, NoEnd}

// Harmful are the mangles that break an answer.
var Harmful = []Mangle{LongLine, EndEarly, HalfEvent, HalfJSON, BrokenRunes, ErrorEvent, Nulls}

func (r *Reply) stop() model.Stop {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return model.StopCalls
	}
	return model.StopEnd
}

func (r *Reply) usage(q *Request) model.Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	out := len(r.Text) + len(reasoning(r.Thinking))
	for _, c := range r.Calls {
		out += len(c.Name) + len(c.Arguments)
	}
	return model.Usage{Input: int64(len(q.Body)/4 + 1), Output: int64(out/4 + 1)}
}

func (r *Reply) model(q *Request) string {
	if r.Model != "" {
		return r.Model
	}
	return q.Model
}

func (r *Reply) chunk() int {
	if r.Chunk <= 0 {
		return 8
	}
	return r.Chunk
}
