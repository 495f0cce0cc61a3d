package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand/internal/retryafter"
	"github.com/chargehand/chargehand/model"
)

const longest = 300 // bytes of a provider's words

// A Complaint is what a provider says of a request, in whichever of its forms.
type Complaint struct {
	Type, Code, Param, Message string
	Status                     int           // that it names itself; zero means none
	RetryAfter                 time.Duration // that it asks for in the body, as Gemini does
}

// A refusal is what a provider said of a request, as far as the request can be put otherwise by it. The
// parameter may stand in the words only.
type refusal struct{ param, said string }

// Error is empty of the provider's words, which stand in the model.Error.
func (r *refusal) Error() string {
	if r.param == "" {
		return "a refusal"
	}
	return "about " + r.param
}

// refusalOf is all that a refusal says; empty where err is none.
func refusalOf(err error) string {
	if r := turnedDown(err); r != nil {
		return r.said
	}
	return ""
}

func turnedDown(err error) *refusal {
	e, ok := err.(*model.Error) //nolint:errorlint // wrapped ones are of other calls
	if !ok || e.Kind != model.Invalid || e.Status < 400 {
		return nil
	}
	r, _ := e.Err.(*refusal) //nolint:errorlint // set by complain, bare
	return r
}

// About reports whether a refusal speaks of one of these, whatever the case of the letters.
func About(err error, words ...string) bool {
	r := turnedDown(err)
	return r != nil && slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(strings.ToLower(r.param+" "+r.said), strings.ToLower(w))
	})
}

// names reports whether the parameter that a refusal names is one of these.
func names(err error, params ...string) bool {
	r := turnedDown(err)
	return r != nil && slices.ContainsFunc(params, func(p string) bool { return r.param == p || strings.HasPrefix(r.param, p+".") })
}

// refused names an answer that is an error.
func (c *Call) refused(res *http.Response) *model.Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	said, ok := complaint(body)
	if !ok && said.Message == "" && isJSON(res.Header) {
		said.Message = string(body)
	}
	if strings.TrimSpace(said.Message) == "" {
		said.Message = http.StatusText(res.StatusCode)
	}
	if loc := res.Header.Get("Location"); res.StatusCode < 400 && loc != "" {
		said.Message = "the address redirects elsewhere, which is not followed"
	}
	e := c.complain(res.StatusCode, said)
	if after := retryafter.Of(res.Header, now()); after > 0 && waits(e.Kind) {
		e.RetryAfter = after
	}
	return e
}

// waits reports whether a wait is of use after such an error.
func waits(k model.Kind) bool {
	return k == model.Limited || k == model.Overloaded || k == model.Unavailable || k == model.TimedOut
}

// told is the error that stands in an answer that pretends to be none; nil if there is none.
func (c *Call) told(body []byte) *model.Error {
	if !bytes.Contains(body, []byte(`"error"`)) {
		return nil
	}
	said, ok := complaint(body)
	if !ok {
		return nil
	}
	e := c.complain(said.Status, said)
	e.Sent = true // something was begun, and it may be billed
	return e
}

func (c *Call) complain(status int, said Complaint) *model.Error {
	e := &model.Error{Kind: kindOf(status, said), Provider: c.c.Provider, Status: status, Message: c.c.clean(said.Message), RetryAfter: said.RetryAfter}
	if e.Kind == model.Invalid {
		e.Err = &refusal{said.Param, c.c.scrub(said.Message)}
	}
	switch status {
	case 500, 502, 504, 408:
		e.Sent = true
	}
	return e
}

// complaint reads {"error":{…}}, {"error":"…"}, [{"error":{…}}] and {"object":"error","message":…}. It reports
// false for what is none of these, with the words of {"detail":"…"}.
func complaint(body []byte) (Complaint, bool) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct{ Error, Detail, Object, Message json.RawMessage }
	if json.Unmarshal(body, &outer) != nil {
		return Complaint{}, false
	}
	var text string
	if len(outer.Error) == 0 || string(outer.Error) == "null" {
		if string(outer.Object) == `"error"` && len(outer.Message) > 0 {
			return complaintOf(body)
		}
		if json.Unmarshal(outer.Detail, &text) != nil {
			text = string(outer.Detail)
		}
		return Complaint{Message: text}, false
	}
	if json.Unmarshal(outer.Error, &text) == nil {
		return Complaint{Message: text}, text != ""
	}
	return complaintOf(outer.Error)
}

// complaintOf reads the error itself. It reports false where that says nothing.
func complaintOf(body []byte) (Complaint, bool) {
	var e struct {
		Type, Param, Message, Status, Code any
		Details                            []struct{ RetryDelay string }
		Metadata                           struct{ Raw any }
	}
	if json.Unmarshal(body, &e) != nil {
		return Complaint{}, false
	}
	out := Complaint{Type: word(e.Type), Code: word(e.Code), Param: word(e.Param), Message: word(e.Message)}
	if raw := word(e.Metadata.Raw); raw != "" { // OpenRouter's: what the provider behind it said
		out.Message += ": " + raw
	}
	if n, err := strconv.Atoi(out.Code); err == nil && n >= 400 && n < 600 {
		out.Status = n
	}
	for _, d := range e.Details {
		if after, err := time.ParseDuration(d.RetryDelay); err == nil && after > 0 {
			out.RetryAfter = after
		}
	}
	return out, out.Type+out.Code+out.Message != ""
}

func word(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	b, _ := json.Marshal(v) // it came from JSON
	return string(b)
}

// types are what providers call their errors, where that says more than the status: in a stream there is
// no other, and a quota that is used up comes as 429.
var types = map[string]model.Kind{
	"overloaded_error": model.Overloaded, "rate_limit_error": model.Limited, "api_error": model.Unavailable, "timeout_error": model.TimedOut,
	"authentication_error": model.Denied, "permission_error": model.Denied, "invalid_request_error": model.Invalid, "not_found_error": model.Invalid,
	"request_too_large": model.Invalid, "billing_error": model.Exhausted, "insufficient_quota": model.Exhausted, "billing_hard_limit_reached": model.Exhausted,
	"context_length_exceeded": model.Invalid, "exceed_context_size_error": model.Invalid, "string_above_max_length": model.Invalid, "model_not_found": model.Invalid,
	"content_policy_violation": model.Invalid, "content_filter": model.Invalid, "invalid_prompt": model.Invalid, "invalid_image": model.Invalid,
	"server_error": model.Unavailable, "rate_limit_exceeded": model.Limited, "invalid_api_key": model.Denied, "tokens": model.Limited, "requests": model.Limited,
}

// never are words of refusals that come as errors which pass, and do not: a request that is too large stays so.
var never = []string{"request too large", "context size", "context length", "context window", "maximum context"}

func kindOf(status int, said Complaint) model.Kind {
	for _, name := range []string{said.Code, said.Type} {
		if k := types[name]; k == model.Exhausted || k == model.Invalid && status >= 500 {
			return k
		}
	}
	message := strings.ToLower(said.Message)
	switch {
	case status == 402, status == 400 && strings.Contains(message, "credit balance is too low"):
		return model.Exhausted
	case status == 401, status == 403:
		return model.Denied
	case status != 408 && slices.ContainsFunc(never, func(w string) bool { return strings.Contains(message, w) }):
		return model.Invalid
	case status == 408, status == 504, status == 524:
		return model.TimedOut
	case status == 429:
		return model.Limited
	case status == 503, status == 529:
		return model.Overloaded
	case status == 501:
		return model.Invalid
	case status == 409, status == 425, status >= 500:
		return model.Unavailable
	case status >= 300:
		return model.Invalid
	}
	for _, name := range []string{said.Code, said.Type} {
		if k, ok := types[name]; ok {
			return k
		}
	}
	return model.Unavailable
}

// clean is a provider's text as an error may show it: one line, without the key, cut short.
func (c *Client) clean(s string) string {
	s = c.scrub(s)
	if len(s) <= longest {
		return s
	}
	cut := longest
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// scrub is a provider's text on one line and without the key.
func (c *Client) scrub(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if c.Secret != nil && *c.Secret != "" {
		s = strings.ReplaceAll(s, *c.Secret, "***")
	}
	return strings.Join(strings.Fields(s), " ")
}

func size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return strconv.Itoa(n>>20) + " MiB"
	}
	return strconv.Itoa(n) + " bytes"
}
