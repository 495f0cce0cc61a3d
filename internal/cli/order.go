package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/registry"
)

// An orderForm is what the flags say about the runs to start.
type orderForm struct {
	budget   string
	deadline string
	title    string
	goal     string
	plan     string
	tenant   string
	inputs   []string
}

// team is the ready-made team of that name, the one that the registry has, or the one in the file.
func (a *app) team(name string) (Ready, error) {
	if r, ok := a.Teams[name]; ok {
		return r, nil
	}
	if !strings.ContainsAny(name, "/\\") && !registry.IsFile(name) {
		if r, asked, err := a.registered(name); asked {
			return r, err
		}
	}
	if !strings.ContainsAny(name, "./\\") {
		known := slices.Sorted(maps.Keys(a.Teams))
		return Ready{}, &chargehand.Error{
			Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no team %q", name),
			Why:  "the ready-made teams are " + strings.Join(known, ", "),
			Next: "name one of them, a team file such as team.yaml, or a folder of team files with --registry",
		}
	}
	t, err := a.LoadTeam(name)
	if err != nil {
		return Ready{}, err
	}
	return declaredIn(name, t), nil
}

// declaredIn is a team that a file declares.
func declaredIn(file string, t *chargehand.Team) Ready {
	return Ready{Team: *t, File: file, Objective: func(docs []chargehand.Document) chargehand.Objective {
		return chargehand.Objective{Goal: t.Description, Documents: docs}
	}}
}

// orders makes one order for each document, or a single one where there are none.
func (a *app) orders(r Ready, f orderForm, docs []chargehand.Document) ([]chargehand.Order, error) {
	if r.Documents && len(docs) == 0 {
		return nil, usage("the team "+r.Team.Name+" needs a document", "name one or more files, or - for standard input")
	}
	common, err := a.order(r, f)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return []chargehand.Order{f.fill(common, r, nil)}, f.complete(r)
	}
	for _, d := range docs {
		if err := r.check(d); err != nil {
			return nil, err
		}
	}
	orders := make([]chargehand.Order, len(docs))
	for i, d := range docs {
		orders[i] = f.fill(common, r, []chargehand.Document{d})
	}
	return orders, f.complete(r)
}

// order is what all orders have in common.
func (a *app) order(r Ready, f orderForm) (o chargehand.Order, err error) {
	o = chargehand.Order{Team: r.Team, StartedBy: me(), Tenant: f.tenant}
	if o.Budget.USD, err = money("--budget", f.budget); err != nil {
		return o, err
	}
	if o.Deadline, err = duration("--deadline", f.deadline); err != nil {
		return o, err
	}
	if o.Objective.Input, err = input(f.inputs); err != nil {
		return o, err
	}
	if f.plan != "" {
		o.Objective.Plan, err = a.LoadPlan(f.plan, r.Team.CheckPlan)
	}
	return o, err
}

func (r *Ready) check(d chargehand.Document) error {
	if r.Check == nil {
		return nil
	}
	return r.Check([]chargehand.Document{d})
}

func (f orderForm) fill(o chargehand.Order, r Ready, docs []chargehand.Document) chargehand.Order {
	obj := r.Objective(docs)
	if f.goal != "" {
		obj.Goal = f.goal
	}
	if o.Objective.Input != nil {
		obj.Input = o.Objective.Input
	}
	if o.Objective.Plan != nil {
		obj.Plan = o.Objective.Plan
	}
	switch {
	case f.title != "":
		obj.Title = f.title
	case obj.Title == "" && len(docs) > 0:
		obj.Title = docs[0].Name
	case obj.Title == "":
		obj.Title = r.Team.Name
	}
	o.Objective = obj
	return o
}

func (f orderForm) complete(r Ready) error {
	if f.goal == "" && strings.TrimSpace(r.Objective(nil).Goal) == "" {
		return usage("the run has no goal", "say what it should do with --goal, or in the team's description")
	}
	return nil
}

func money(flag, text string) (chargehand.Micros, error) {
	if text == "" {
		return 0, nil
	}
	m, err := chargehand.ParseMicros(strings.TrimPrefix(text, "$"))
	if err != nil || m <= 0 {
		return 0, usage(fmt.Sprintf("%s cannot be %q", flag, text), "give dollars as a decimal above zero, such as "+flag+" 0.50")
	}
	return m, nil
}

func duration(flag, text string) (chargehand.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, usage(fmt.Sprintf("%s cannot be %q", flag, text), "give a length of time with its unit, such as "+flag+" 30m")
	}
	return chargehand.Duration(d), nil
}

// input makes an object of key=value pairs. A value that is JSON is taken as such, so that 3, true
// and ["a"] are what they look like; all others are text.
func input(pairs []string) (json.RawMessage, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	object := map[string]any{}
	for _, p := range pairs {
		key, value, ok := strings.Cut(p, "=")
		if !ok || key == "" {
			return nil, usage(fmt.Sprintf("--input cannot be %q", p), "give it as key=value")
		}
		if _, twice := object[key]; twice {
			return nil, usage(fmt.Sprintf("--input %s is given twice", key), "give each key once")
		}
		object[key] = value
		if json.Valid([]byte(value)) {
			object[key] = json.RawMessage(value)
		}
	}
	return json.Marshal(object)
}
