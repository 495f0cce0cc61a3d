package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand/model"
)

const longest = 300 // bytes of a provider's words

// A Complaint is what a provider says of a request, in whichever of its forms.
type Complaint struct {
	Type, Code, Param, Message string
	Status                     int           // that it names itself; zero means none
	RetryAfter                 time.Duration // that it asks for in the body, as Gemini does
}

// Param is what an error is about, where the provider says that; it may stand in the message only.
type param struct{ name string }

func (p param) Error() string { return "about " + p.name }

// About reports whether an error complains about a parameter of the request.
func About(err error, names ...string) bool {
	e, ok := err.(*model.Error) //nolint:errorlint // wrapped ones are of other calls
	if !ok || e.Kind != model.Invalid || e.Status < 400 {
		return false
	}
	p, _ := e.Err.(param) //nolint:errorlint // set below, bare
	for _, n := range names {
		if p.name == n || strings.HasPrefix(p.name, n+".") || strings.Contains(e.Message, n) {
			return true
		}
	}
	return false
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
	if after := retryAfter(res.Header); after > 0 {
		e.RetryAfter = after
	}
	return e
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
	if said.Param != "" {
		e.Err = param{said.Param}
	}
	switch status {
	case 500, 502, 504, 408:
		e.Sent = true
	}
	return e
}

// complaint reads {"error":{…}}, {"error":"…"} and [{"error":{…}}]. It reports false for what is none of
// these, with the words of {"detail":"…"}.
func complaint(body []byte) (Complaint, bool) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct{ Error, Detail json.RawMessage }
	if json.Unmarshal(body, &outer) != nil {
		return Complaint{}, false
	}
	var text string
	if len(outer.Error) == 0 || string(outer.Error) == "null" {
		_ = json.Unmarshal(outer.Detail, &text)
		return Complaint{Message: text}, false
	}
	if json.Unmarshal(outer.Error, &text) == nil {
		return Complaint{Message: text}, true
	}
	var e struct {
		Type, Param, Message, Status, Code any
		Details                            []struct{ RetryDelay string }
	}
	if json.Unmarshal(outer.Error, &e) != nil {
		return Complaint{}, false
	}
	out := Complaint{Type: word(e.Type), Code: word(e.Code), Param: word(e.Param), Message: word(e.Message)}
	if n, err := strconv.Atoi(out.Code); err == nil && n >= 400 && n < 600 {
		out.Status = n
	}
	for _, d := range e.Details {
		if after, err := time.ParseDuration(d.RetryDelay); err == nil && after > 0 {
			out.RetryAfter = after
		}
	}
	return out, true
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
	return fmt.Sprint(v)
}

// types are what providers call their errors, where that says more than the status: in a stream there is
// no other, and a quota that is used up comes as 429.
var types = map[string]model.Kind{
	"overloaded_error": model.Overloaded, "rate_limit_error": model.Limited, "api_error": model.Unavailable, "timeout_error": model.TimedOut,
	"authentication_error": model.Denied, "permission_error": model.Denied, "invalid_request_error": model.Invalid, "not_found_error": model.Invalid,
	"request_too_large": model.Invalid, "billing_error": model.Exhausted, "insufficient_quota": model.Exhausted, "billing_hard_limit_reached": model.Exhausted,
	"server_error": model.Unavailable, "rate_limit_exceeded": model.Limited, "invalid_api_key": model.Denied, "tokens": model.Limited, "requests": model.Limited,
}

func kindOf(status int, said Complaint) model.Kind {
	for _, name := range []string{said.Code, said.Type} {
		if types[name] == model.Exhausted {
			return model.Exhausted
		}
	}
	switch {
	case status == 402, status == 400 && strings.Contains(said.Message, "credit balance is too low"):
		return model.Exhausted
	case status == 401, status == 403:
		return model.Denied
	case status == 408, status == 504, status == 524:
		return model.TimedOut
	case status == 429:
		return model.Limited
	case status == 503, status == 529:
		return model.Overloaded
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

// retryAfter is what the headers ask for: milliseconds, seconds or a date, which is compared with the
// answer's own, so that a clock that is wrong does no harm.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return held(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return held(s * float64(time.Second))
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	from, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		from = now()
	}
	return max(0, at.Sub(from))
}

// held is a duration of so many nanoseconds, no less than none and no more than a day.
func held(ns float64) time.Duration {
	if !(ns > 0) {
		return 0
	}
	return time.Duration(min(ns, float64(24*time.Hour)))
}

// clean is a provider's text as an error may show it: one line, without the key, cut short.
func (c *Client) clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if c.Secret != nil && *c.Secret != "" {
		s = strings.ReplaceAll(s, *c.Secret, "***")
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= longest {
		return s
	}
	cut := longest
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return strconv.Itoa(n>>20) + " MiB"
	}
	return strconv.Itoa(n) + " bytes"
}
