package gate

import (
	"encoding/json"

	"github.com/chargehand/chargehand"
)

// Schema compiles a JSON Schema 2020-12 that stands outside any contract, such as one that a client asks
// an answer to satisfy. The function it returns says in sentences what is wrong with a value, within
// the budget of the schema's layer; none means that the value satisfies the schema.
func Schema(raw json.RawMessage) (func(value json.RawMessage) []string, error) {
	s, err := compileSchema(raw)
	if err != nil {
		return nil, err
	}
	return func(value json.RawMessage) []string {
		d := decoder{data: value, copy: string(value)}
		v, bad := d.whole()
		if bad != nil {
			return []string{"The output is not sound JSON: " + bad.message + "."}
		}
		faults, enough := s.check(v, d.values)
		if !enough {
			return []string{gaveUp(chargehand.LayerSchema, schemaBudget(d.values))}
		}
		var all []string
		for _, f := range faults {
			all = append(all, f.sentence("The output"))
		}
		return all
	}, nil
}
