package provider

import (
	"fmt"
	"regexp"
	"strings"
)

// broken leaves out what a fault takes from a stream, and reports whether the connection is then reset.
func broken(all []event, f Fault) ([]event, bool) {
	switch {
	case f.Cut == CutAfter:
		return nil, true
	case f.Cut == CutMiddle:
		return all[:len(all)/2], true
	case f.Mangle == NoEnd:
		return all[:len(all)-1], false
	case f.Mangle == EndEarly:
		return all[:len(all)/2], false
	case f.Mangle == HalfEvent:
		return all[:len(all)/2+1], false
	case f.Mangle == ErrorEvent:
		mid := len(all) / 2
		e := event{data: `{"error":{"message":"The server had an error while processing your request","type":"server_error","param":null,"code":null}}`}
		if all[0].name != "" && all[0].name != "response.created" {
			e = event{"error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}
		}
		return append(append([]event{}, all[:mid]...), e), false
	case f.Mangle == SameCalls:
		return sameCalls(all), false
	}
	return all, false
}

// sameCalls gives every call the id of the first.
func sameCalls(all []event) []event {
	out, id := append([]event{}, all...), ""
	for i, e := range out {
		for _, mark := range []string{`"id":"call`, `"id":"toolu`, `"call_id":"call`} {
			at := strings.Index(e.data, mark)
			if at < 0 {
				continue
			}
			head := mark[:strings.LastIndexByte(mark, '"')+1]
			own := e.data[at : at+len(head)+strings.IndexByte(e.data[at+len(head):], '"')+1]
			if id == "" {
				id = own
			}
			out[i].data = regexp.MustCompile(regexp.QuoteMeta(mark)+`[^"]*"`).ReplaceAllString(e.data, id)
		}
	}
	return out
}

// mangled is the stream as it goes over the wire, an event an entry.
func mangled(all []event, m Mangle) []string {
	var out []string
	for i, e := range all {
		out = append(out, mangledEvent(e, i, len(all), m))
	}
	if m == BOM && len(out) > 0 {
		out[0] = "\ufeff" + out[0]
	}
	return out
}

func mangledEvent(e event, i, n int, m Mangle) string {
	raw := e.raw()
	switch m {
	case MixedEnds:
		return strings.ReplaceAll(raw, "\n", []string{"\r\n", "\r", "\n"}[i%3])
	case Comments:
		return strings.Repeat(": OPENROUTER PROCESSING\n\n", 10_000) + raw
	case SameIDs:
		return "id: 1\nretry: 10\n" + raw
	case TwoLines:
		return strings.Replace(raw, `,"`, ",\ndata: \"", 1)
	case NoSpace:
		return strings.ReplaceAll(strings.ReplaceAll(raw, "data: ", "data:"), "event: ", "event:")
	case NoBlankLine:
		return strings.TrimSuffix(raw, "\n")
	case BrokenRunes:
		return strings.NewReplacer(`"text":"`, "\"text\":\"\xe2\x82", `"content":"`, "\"content\":\"\xe2\x82").Replace(raw)
	case HalfJSON:
		half := len(e.data) / 2
		return event{e.name, e.data[:half]}.raw() + event{e.name, e.data[half:]}.raw()
	}
	if m == HalfEvent && i == n-1 {
		return strings.TrimSuffix(raw, raw[len(raw)/2:])
	}
	if i != n/2 {
		return raw
	}
	switch m {
	case LongLine:
		return "data: " + strings.Repeat("x", 64<<20) + "\n\n" + raw
	case Nulls:
		return event{e.name, "null"}.raw() + event{e.name, "17"}.raw() + event{e.name, "[]"}.raw() + raw
	}
	return raw
}

func (e event) raw() string {
	if e.name == "" {
		return fmt.Sprintf("data: %s\n\n", e.data)
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", e.name, e.data)
}
