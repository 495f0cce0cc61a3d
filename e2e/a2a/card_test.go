package a2a_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/a2aapi"
)

const wellKnown = "/.well-known/agent-card.json"

// fetch gets a document without credentials.
func fetch(t *testing.T, address string) (status int, header http.Header, body object) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &body); err != nil {
		t.Fatalf("%s: %v in %s", resp.Status, err, b)
	}
	return resp.StatusCode, resp.Header, body
}

func (s *scene) card(t *testing.T) object {
	t.Helper()
	status, _, card := fetch(t, s.server.URL+wellKnown)
	if status != 200 {
		t.Fatalf("the card is answered with %d", status)
	}
	conforms(t, "Agent Card", card)
	return card
}

func cardIsThere(t *testing.T) {
	s := stage(t, callers)
	if card := s.card(t); card["name"] != "answers" || card["description"] != "Answers questions." {
		t.Errorf("the card is %v", card)
	}
	for _, team := range []string{"answers", "others"} {
		if _, _, card := fetch(t, s.server.URL+"/a2a/"+team+wellKnown); card["name"] != team {
			t.Errorf("the card of %s is that of %v", team, card["name"])
		}
	}
	if status, _, _ := fetch(t, s.server.URL+"/a2a/nobody"+wellKnown); status != 404 {
		t.Errorf("a team that is not there has a card: %d", status)
	}
}

func interfaces(t *testing.T, card object) map[string]string {
	t.Helper()
	at := map[string]string{}
	list, _ := card["supportedInterfaces"].([]any)
	for _, x := range list {
		i := x.(object)
		if i["protocolVersion"] != "1.0" {
			t.Errorf("the interface %v speaks another version", i)
		}
		at[i["protocolBinding"].(string)] = i["url"].(string)
	}
	return at
}

func cardNamesBindings(t *testing.T) {
	at := interfaces(t, stage(t, nil).card(t))
	if len(at) != 2 || at["JSONRPC"] == "" || at["HTTP+JSON"] == "" {
		t.Errorf("the interfaces are %v, want JSONRPC and HTTP+JSON", at)
	}
}

func interfacesAreWhatTheySay(t *testing.T) {
	s := stage(t, nil)
	at := interfaces(t, s.card(t))
	rpc, rest := s.peer(t, "JSONRPC"), s.peer(t, "HTTP+JSON")
	rpc.base = strings.TrimSuffix(at["JSONRPC"], "/jsonrpc")
	rest.base = strings.TrimSuffix(at["HTTP+JSON"], "/http")
	for _, p := range []*peer{rpc, rest} {
		wantState(t, p.begin(say("Say hello")), "COMPLETED")
	}
}

func cardIsWhole(t *testing.T) {
	card := stage(t, nil).card(t)
	for _, field := range []string{
		"name", "description", "version", "supportedInterfaces", "capabilities", "defaultInputModes", "defaultOutputModes", "skills",
	} {
		if v, ok := card[field]; !ok || v == "" {
			t.Errorf("the card has no %s", field)
		}
	}
	skills, _ := card["skills"].([]any)
	if len(skills) != 1 {
		t.Fatalf("the skills are %v", skills)
	}
	for _, field := range []string{"id", "name", "description", "tags"} {
		if _, ok := skills[0].(object)[field]; !ok {
			t.Errorf("the skill has no %s", field)
		}
	}
}

func extendedCardAsksWho(t *testing.T) {
	s := stage(t, callers)
	open, _ := json.Marshal(s.card(t))
	each(t, s, func(p *peer) {
		if r := p.call("GetExtendedAgentCard", object{}); r.status != 401 {
			p.t.Errorf("without credentials it is answered with %d %s", r.status, r.body)
		}
		r := p.as("ana-token").call("GetExtendedAgentCard", object{})
		if r.ok()["name"] != "answers" || !strings.Contains(string(r.body), "JSON Schema") || strings.Contains(string(open), "JSON Schema") {
			p.t.Errorf("the extended card tells no more than the open one: %s", r.body)
		}
	})
}

func extendedCardIsThereWhereDeclared(t *testing.T) {
	for _, who := range []map[string]a2aapi.Caller{nil, callers} {
		s := stage(t, who)
		declared := s.card(t)["capabilities"].(object)["extendedAgentCard"].(bool)
		each(t, s, func(p *peer) {
			r := p.as("ana-token").call("GetExtendedAgentCard", object{})
			if got := r.err == nil; got != declared {
				p.t.Errorf("declared: %t, there: %t", declared, got)
			}
		})
	}
}

func cardIsNotSigned(t *testing.T) {
	s := stage(t, callers)
	cards := []object{s.card(t), s.peer(t, "JSONRPC").as("ana-token").call("GetExtendedAgentCard", object{}).ok()}
	for _, card := range cards {
		if sig, ok := card["signatures"]; ok {
			t.Errorf("the card is signed: %v", sig)
		}
	}
}

// signaturesProveNothing shows that a card that has changed in a run is refused, however it is
// signed: by no key at all, so by none that has expired either.
func signaturesProveNothing(t *testing.T) {
	s := stage(t, nil)
	signed := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		card := s.card(t)
		card["signatures"] = []object{{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6Im9sZCJ9", "signature": "QQ"}}
		if signed++; signed > 1 {
			card["description"] = "Somebody else's."
		}
		_ = json.NewEncoder(w).Encode(card)
	}))
	defer srv.Close()
	w := remote(t, srv.URL, nil)
	if _, err := w.Do(t.Context(), ask("Say hello")); err == nil || !strings.Contains(err.Error(), "another place") {
		t.Errorf("the first card: %v", err)
	}
	r, err := w.Do(t.Context(), ask("Say hello"))
	if err != nil || r.Status != chargehand.StatusBlocked || !strings.Contains(r.Blockers[0], "has changed") {
		t.Errorf("the second card: %+v %v", r, err)
	}
}

func cardCanBeCached(t *testing.T) {
	s := stage(t, nil)
	_, header, _ := fetch(t, s.server.URL+wellKnown)
	tag := header.Get("ETag")
	if tag == "" || !strings.Contains(header.Get("Cache-Control"), "max-age=") {
		t.Fatalf("the headers are %v", header)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+wellKnown, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", tag)
	again, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Body.Close()
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("a card that is known is answered with %s", again.Status)
	}
}

func nothingInTheClear(t *testing.T) {
	for base, fine := range map[string]bool{
		"https://agents.example/x": true, "http://127.0.0.1:8080": true, "http://[::1]:1": true,
		"http://agents.example": false, "http://10.0.0.1": false, "ftp://127.0.0.1": false, "agents.example": false,
	} {
		_, err := a2aapi.Handler(nil, a2aapi.Options{Teams: []chargehand.Team{{Name: "a"}}, BaseURL: base})
		if (err == nil) != fine {
			t.Errorf("%s: %v", base, err)
		}
	}
	s := stage(t, callers)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+wellKnown, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "agents.example"
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var card object
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil {
		t.Fatal(err)
	}
	for binding, at := range interfaces(t, card) {
		if !strings.HasPrefix(at, "https://agents.example/") {
			t.Errorf("beyond this machine %s is spoken at %s", binding, at)
		}
	}
}

func noGRPC(t *testing.T) {
	s := stage(t, nil)
	if at := interfaces(t, s.card(t)); at["GRPC"] != "" {
		t.Errorf("gRPC is declared at %s", at["GRPC"])
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for _, path := range []string{"/lf.a2a.v1.A2AService/SendMessage", "/a2a.v1.A2AService/GetTask"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+path, strings.NewReader("\x00\x00\x00\x00\x00"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/grpc")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s is answered with %s", path, resp.Status)
		}
	}
}

func streamingIsDeclared(t *testing.T) {
	s := stage(t, nil)
	if s.card(t)["capabilities"].(object)["streaming"] != true {
		t.Fatal("streaming is not declared")
	}
	each(t, s, func(p *peer) {
		if all := p.stream("SendStreamingMessage", say("Say hello")).rest(); len(all) < 2 {
			p.t.Errorf("the stream is %v", all)
		}
	})
}

func noExtendedCardWithoutCallers(t *testing.T) {
	s := stage(t, nil)
	if s.card(t)["capabilities"].(object)["extendedAgentCard"] != false {
		t.Fatal("an extended card is declared")
	}
	each(t, s, func(p *peer) { p.call("GetExtendedAgentCard", object{}).fails(unsupported) })
}

func noExtensionIsRequired(t *testing.T) {
	s := stage(t, nil)
	if ext, ok := s.card(t)["capabilities"].(object)["extensions"]; ok {
		t.Fatalf("extensions are declared: %v", ext)
	}
	each(t, s, func(p *peer) {
		for _, header := range []string{"", "https://extension.example/v1"} {
			wantState(p.t, p.with("A2A-Extensions", header).begin(say("Say hello")), "COMPLETED")
		}
	})
}

func noPush(t *testing.T) {
	s := stage(t, nil)
	if s.card(t)["capabilities"].(object)["pushNotifications"] != false {
		t.Fatal("push notifications are declared")
	}
	hook := object{"url": "https://hook.example", "id": "hook"}
	each(t, s, func(p *peer) {
		id := idOf(p.begin(say("Say hello")))
		for _, op := range []string{
			"CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig",
		} {
			p.call(op, object{"taskId": id, "id": "hook", "url": "https://hook.example"}).fails(pushNotSupported)
		}
		before := s.runs(p.t)
		q := say("Say hello")
		q["configuration"] = object{"taskPushNotificationConfig": hook}
		p.call("SendMessage", q).fails(pushNotSupported)
		if after := s.runs(p.t); !slices.Equal(before, after) {
			p.t.Error("a message that was refused has begun a run")
		}
	})
}

// runs are the ids of every run there is.
func (s *scene) runs(t *testing.T) []string {
	t.Helper()
	all, err := s.engine.Runs(t.Context(), chargehand.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.RunID)
	}
	return ids
}
