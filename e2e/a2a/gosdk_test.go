package a2a_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// TestGoClient has the Go SDK's client use a team. It cannot read the details of JSON-RPC errors,
// which the specification has as a list, so of these only that they are errors is looked at.
func TestGoClient(t *testing.T) {
	s := stage(t, nil)
	ctx := t.Context()
	card, err := agentcard.DefaultResolver.Resolve(ctx, s.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, binding := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON} {
		t.Run(string(binding), func(t *testing.T) {
			c, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{binding}}))
			if err != nil {
				t.Fatal(err)
			}
			goSDKUses(t, s, c, binding)
		})
	}
}

func goSDKUses(t *testing.T, s *scene, c *a2aclient.Client, binding a2a.TransportProtocol) {
	ctx := t.Context()
	send := func(goal string, immediately bool) *a2a.Task {
		t.Helper()
		r, err := c.SendMessage(ctx, &a2a.SendMessageRequest{
			Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(goal)), Config: &a2a.SendMessageConfig{ReturnImmediately: immediately},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.(*a2a.Task)
	}
	done := send("Say hello", false)
	if out, _ := done.Artifacts[0].Parts[0].Data().(map[string]any); done.Status.State != a2a.TaskStateCompleted || out["answer"] != "Hello." {
		t.Errorf("the task is %+v", done)
	}
	got, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: done.ID})
	if err != nil || got.Status.State != a2a.TaskStateCompleted {
		t.Errorf("%+v %v", got, err)
	}
	list, err := c.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: done.ContextID})
	if err != nil || len(list.Tasks) != 1 || list.Tasks[0].ID != done.ID {
		t.Errorf("%+v %v", list, err)
	}
	held := send("wait", true)
	if got, err = c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: held.ID}); err != nil || got.Status.State != a2a.TaskStateCanceled {
		t.Errorf("%+v %v", got, err)
	}
	var last a2a.TaskState
	for e, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: send("lie", false).ID}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *a2a.Task:
			last = e.Status.State
		case *a2a.TaskStatusUpdateEvent:
			last = e.Status.State
		}
		if last == a2a.TaskStateInputRequired {
			s.decide(t, string(e.TaskInfo().TaskID), false)
		}
	}
	if last != a2a.TaskStateFailed {
		t.Errorf("the stream ends with %s", last)
	}
	_, err = c.GetTask(ctx, &a2a.GetTaskRequest{ID: "none"})
	if err == nil || binding == a2a.TransportProtocolHTTPJSON && !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("a task that is not there: %v", err)
	}
}

// goAgent is an agent made with the Go SDK. What it does is the first word of a message.
type goAgent struct{}

func (goAgent) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		moved := func(s a2a.TaskState, words string) bool {
			var m *a2a.Message
			if words != "" {
				m = a2a.NewMessageForTask(a2a.MessageRoleAgent, x, a2a.NewTextPart(words))
			}
			return yield(a2a.NewStatusUpdateEvent(x, s, m), nil)
		}
		does, _, _ := strings.Cut(x.Message.Parts[0].Text(), " ")
		if does == "reply" {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("Hello, directly.")), nil)
			return
		}
		if !yield(a2a.NewSubmittedTask(x, x.Message), nil) || !moved(a2a.TaskStateWorking, "") {
			return
		}
		switch does {
		case "ask":
			moved(a2a.TaskStateInputRequired, "Which year?")
		case "fail":
			moved(a2a.TaskStateFailed, "It cannot be done.")
		default:
			_ = yield(a2a.NewArtifactEvent(x, a2a.NewDataPart(map[string]any{"answer": "Hello."})), nil) && moved(a2a.TaskStateCompleted, "")
		}
	}
}

func (goAgent) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCanceled, nil), nil)
	}
}

// TestGoServer has the worker of kind a2a use an agent made with the Go SDK.
func TestGoServer(t *testing.T) {
	h := a2asrv.NewHandler(goAgent{})
	for binding, handler := range map[a2a.TransportProtocol]http.Handler{
		a2a.TransportProtocolJSONRPC: a2asrv.NewJSONRPCHandler(h), a2a.TransportProtocolHTTPJSON: a2asrv.NewRESTHandler(h),
	} {
		t.Run(string(binding), func(t *testing.T) {
			mux := http.NewServeMux()
			srv := httptest.NewServer(mux)
			defer srv.Close()
			mux.Handle("/agent/", http.StripPrefix("/agent", handler))
			mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(&a2a.AgentCard{
				Name: "go", SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface(srv.URL+"/agent/", binding)},
				Capabilities: a2a.AgentCapabilities{Streaming: true},
			}))
			w := remote(t, srv.URL, nil)
			for does, want := range map[string]string{
				"data": `{"answer":"Hello."}`, "reply": `"Hello, directly."`, "ask": "Which year?", "fail": "It cannot be done.",
			} {
				r, err := w.Do(t.Context(), ask(does+" it over "+string(binding)))
				said := string(r.Output) + strings.Join(r.Blockers, "")
				if err != nil {
					said = err.Error()
				}
				if !strings.Contains(said, want) || (r.Status == chargehand.StatusBlocked) != (does == "ask") || (err != nil) != (worker.KindOf(err) == worker.Refused) {
					t.Errorf("%s: %s %s", does, r.Status, said)
				}
			}
		})
	}
}
