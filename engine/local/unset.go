package local

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/secret"
)

// unset are a team's values that name variables of the environment which are not there: what needs
// them would fail attempt after attempt. They are looked up again when they are used.
func unset(t *chargehand.Team) []chargehand.Problem {
	var problems []chargehand.Problem
	look := func(path, text string) {
		if _, err := new(secret.Values).Expand(text); err != nil {
			problems = append(problems, chargehand.Problem{
				Path: path, Message: err.Error(), Hint: "export the variable, or write `$$` where a dollar sign is meant",
			})
		}
	}
	each := func(path string, values map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			look(path+"."+name, values[name])
		}
	}
	for i := range t.Workers {
		path, w := fmt.Sprintf("$.workers[%d]", i), &t.Workers[i]
		switch {
		case w.Kind == chargehand.KindExec && w.Exec != nil:
			each(path+".exec.env", w.Exec.Env)
		case w.Kind == chargehand.KindHTTP && w.HTTP != nil:
			each(path+".http.headers", w.HTTP.Headers)
		case w.Kind == chargehand.KindA2A && w.A2A != nil:
			each(path+".a2a.headers", w.A2A.Headers)
		}
	}
	for i := range t.Tools {
		path, s := fmt.Sprintf("$.tools[%d]", i), &t.Tools[i]
		each(path+".env", s.Env)
		each(path+".headers", s.Headers)
		if s.SignIn != nil {
			look(path+".signIn.clientSecret", s.SignIn.ClientSecret)
			look(path+".signIn.privateKey", s.SignIn.PrivateKey)
		}
	}
	return problems
}
