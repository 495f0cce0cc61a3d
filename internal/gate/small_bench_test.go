package gate

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// smallContract is what a team declares of a small output: a schema, one rule, one aspect and one
// grounded quote.
func smallContract() chargehand.Contract {
	return chargehand.Contract{
		Schema: json.RawMessage(`{"type":"object","required":["items","text"],"properties":{
			"text":{"type":"string","minLength":1},
			"items":{"type":"array","items":{"type":"object","required":["key","quote"]}}}}`),
		Items: &chargehand.ItemRule{Path: "/items"},
		Rules: []chargehand.Rule{{ID: "some", CEL: `size(output.items) > 0`, Message: "There must be an item."}},
	}
}

// small is an output of about a kilobyte over a document of the same size.
func small() Submission {
	doc := strings.Repeat("The supplier delivers what was ordered, and nothing else. ", 17) + "The fee is USD 12,500 a year."
	quote := "The fee is USD 12,500 a year."
	at := strings.Index(doc, quote)
	return submit(asked(doc, "fee"), object{
		"text":  strings.Repeat("x", 900),
		"items": []object{{"key": "fee", "present": true, "quote": quote, "start": at, "end": at + len(quote), "answer": "USD 12,500"}},
	})
}

func BenchmarkCheckSmall(b *testing.B) {
	g, s := gateOf(b, smallContract()), small()
	if v := g.Check(s); v.Recommendation != chargehand.Accept || v.Score != 1 {
		b.Fatalf("%s: %v", v.Recommendation, v.Issues)
	}
	b.ReportMetric(float64(len(s.Result.Output)), "output-bytes")
	loop(b, g, s)
}

// loop checks s again and again. CPU time is reported beside wall time, which a busy machine
// stretches.
func loop(b *testing.B, g *Gate, s Submission) {
	b.ReportAllocs()
	begun := cpuTime(b)
	for b.Loop() {
		g.Check(s)
	}
	b.ReportMetric(float64(cpuTime(b)-begun)/float64(b.N), "cpu-ns/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
