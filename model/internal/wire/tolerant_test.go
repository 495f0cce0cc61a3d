package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTolerantTypes(t *testing.T) {
	type whole struct {
		Word   Word
		Words  Words
		Argued Argued
		Count  Count
		List   List[struct{ A Word }]
	}
	type element = struct{ A Word }
	for in, want := range map[string]whole{
		`{}`: {},
		`{"word":null,"words":null,"argued":null,"count":null,"list":null}`: {},
		`{"word":17,"count":1.2}`:                   {Word: "17", Count: 2},
		`{"word":1234567890123456789,"count":"12"}`: {Word: "1234567890123456789", Count: 12},
		`{"word":true,"count":"NaN"}`:               {Word: "true", Count: -1},
		`{"word":{"a":1},"count":-5}`:               {Count: -1},
		`{"word":[],"count":1e300}`:                 {Count: Most},
		`{"count":{}}`:                              {Count: -1},
		`{"argued":"{\"a\":1}"}`:                    {Argued: `{"a":1}`},
		`{"argued":{"a": [1, 2]}}`:                  {Argued: `{"a":[1,2]}`},
		`{"words":"x"}`:                             {Words: Words{Text: "x"}},
		`{"words":["x",{"type":"text","text":"y"},7,null,{"type":"image_url"}]}`:                              {Words: Words{Text: "xy"}},
		`{"words":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"x"}]}`: {Words: Words{Text: "x", Thought: "hm"}},
		`{"words":[{"type":"reasoning","reasoning":"hm"},{"type":"output_text","text":"x"}]}`:                 {Words: Words{Text: "x", Thought: "hm"}},
		`{"words":[[[[[["deep"]]]]]]}`:          {},
		`{"list":[{"a":1},null,"x",{"a":"b"}]}`: {List: List[element]{{"1"}, {"b"}}},
		`{"list":{"a":1}}`:                      {List: List[element]{{"1"}}},
		`{"list":"x"}`:                          {},
	} {
		var got whole
		if err := json.Unmarshal([]byte(in), &got); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", in, d)
		}
	}
}
