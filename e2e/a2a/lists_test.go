package a2a_test

import (
	"slices"
	"testing"
	"time"
)

func listed(r *reply) []object {
	r.t.Helper()
	var all []object
	for _, x := range r.ok()["tasks"].([]any) {
		all = append(all, x.(object))
	}
	return all
}

func changed(t *testing.T, task object) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, task["status"].(object)["timestamp"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func listsGoPageByPage(t *testing.T) {
	s := stage(t, callers)
	each(t, s, func(p *peer) {
		p = p.as(map[string]string{"JSONRPC": "ana-token", "HTTP+JSON": "ben-token"}[p.binding])
		if r := p.call("ListTasks", object{}).ok(); r["nextPageToken"] != "" || r["totalSize"] != 0.0 || r["pageSize"] != 50.0 {
			p.t.Errorf("an empty list is %v", r)
		}
		var want []string
		for range 7 {
			want = append(want, idOf(p.begin(say("Say hello"))))
		}
		slices.Reverse(want)
		var got []string
		token := ""
		for page := 0; page == 0 || token != ""; page++ {
			r := p.call("ListTasks", object{"pageSize": 3, "pageToken": token})
			for _, task := range listed(r) {
				got = append(got, idOf(task))
			}
			next, there := r.result["nextPageToken"].(string)
			if !there || r.result["totalSize"] != float64(7+page) || r.result["pageSize"] != 3.0 {
				p.t.Fatalf("page %d is %v", page, r.result)
			}
			token = next
			p.begin(say("Say hello")) // what begins meanwhile shifts nothing
		}
		if !slices.Equal(got, want) {
			p.t.Errorf("the pages hold\n%v, want\n%v", got, want)
		}
		for _, bad := range []object{{"pageSize": 0}, {"pageSize": 101}, {"pageToken": "nonsense"}, {"status": "TASK_STATE_ODD"}} {
			p.call("ListTasks", bad).fails(invalidParams)
		}
	})
}

func listsAreNewestFirst(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		waits := idOf(p.begin(say("lie")))
		p.begin(say("Say hello"))
		s.decide(p.t, waits, false) // it changes last
		s.ended(p.t, waits)
		held := idOf(p.begin(now(say("wait"))))
		all := listed(p.call("ListTasks", object{}))
		at := slices.IndexFunc(all, func(o object) bool { return idOf(o) == waits })
		if at < 0 || at > 1 {
			p.t.Errorf("the task that changed last but %s stands at %d", held, at)
		}
		for i := 1; i < len(all); i++ {
			if changed(p.t, all[i]).After(changed(p.t, all[i-1])) {
				p.t.Errorf("task %d changed after the one before it", i)
			}
		}
		since := changed(p.t, all[at])
		newer := listed(p.call("ListTasks", object{"statusTimestampAfter": since.Format(time.RFC3339Nano)}))
		if len(newer) != at+1 {
			p.t.Errorf("since then %d have changed, want %d", len(newer), at+1)
		}
		for _, task := range listed(p.call("ListTasks", object{"status": "TASK_STATE_FAILED"})) {
			wantState(p.t, task, "FAILED")
		}
		p.call("CancelTask", object{"id": held}).ok()
	})
}

func listsLeaveArtifactsOut(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		id := idOf(p.begin(say("Say hello")))
		for _, with := range []bool{false, true} {
			q := object{}
			if with {
				q["includeArtifacts"] = true
			}
			task := listed(p.call("ListTasks", q))[0]
			if _, has := task["artifacts"]; has != with || idOf(task) != id {
				p.t.Errorf("includeArtifacts %t: artifacts there: %t", with, has)
			}
		}
	})
}
