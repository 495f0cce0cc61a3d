package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/scripted"
)

func say(text string) model.Request {
	return model.Request{Messages: []model.Message{{Role: model.User, Text: text}}}
}

func Example() {
	m := scripted.New(
		scripted.Calls(model.Call{Name: "clock", Arguments: "{}"}),
		scripted.Text("It is noon."),
	)
	r := say("What time is it?")
	first, _ := m.Complete(context.Background(), r)
	fmt.Println(first.Stop, first.Calls[0].Name)

	r.Messages = append(r.Messages,
		model.Message{Role: model.Assistant, Calls: first.Calls},
		model.Message{Role: model.User, Results: []model.Result{{ID: first.Calls[0].ID, Text: "12:00"}}})
	second, _ := m.Complete(context.Background(), r)
	fmt.Println(second.Text)

	_, err := m.Complete(context.Background(), say("And now?"))
	fmt.Println(err)
	// Output:
	// calls clock
	// It is noon.
	// scripted: invalid: the script has 2 answers, and this is request 3: message 1, user: "And now?"
}

func ExampleFunc() {
	m := scripted.Func(func(n int, r model.Request) scripted.Reply {
		return scripted.Text(fmt.Sprintf("%d: %s", n, strings.ToUpper(r.Messages[0].Text)))
	})
	res, _ := m.Complete(context.Background(), say("hello"))
	fmt.Println(res.Text)
	// Output: 1: HELLO
}

func TestStream(t *testing.T) {
	m := scripted.New(scripted.Text(strings.Repeat("ä€😀", 20)), scripted.Text(strings.Repeat("x", 100)))
	r, heard := say("x"), []string{}
	r.Stream = func(s string) error { heard = append(heard, s); return nil }
	res, err := m.Complete(t.Context(), r)
	if err != nil || len(heard) < 5 || strings.Join(heard, "") != res.Text || strings.ContainsRune(res.Text, '\ufffd') {
		t.Errorf("%q, %v", heard, err)
	}
	enough := errors.New("enough")
	r.Stream = func(string) error { return enough }
	if res, err = m.Complete(t.Context(), r); !errors.Is(err, enough) || len(res.Text) != 16 {
		t.Errorf("%q, %v", res.Text, err)
	}
	if m.Done(2) != nil || m.Done(3) == nil {
		t.Error("the requests are not counted")
	}
}

func TestErrors(t *testing.T) {
	m := scripted.New(scripted.Fail(model.Limited))
	if _, err := m.Complete(t.Context(), say("x")); model.KindOf(err) != model.Limited {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Complete(ctx, say("x")); model.KindOf(err) != model.TimedOut || len(m.Requests()) != 1 {
		t.Errorf("after its end: %v", err)
	}
}
