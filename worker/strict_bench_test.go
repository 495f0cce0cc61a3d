package worker

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// BenchmarkFunc is what a function's output of a kilobyte costs on its way out.
func BenchmarkFunc(b *testing.B) {
	out, err := json.Marshal(map[string]any{
		"text":  strings.Repeat("x", 900),
		"items": []map[string]any{{"key": "fee", "present": true, "quote": "The fee is USD 12,500 a year.", "start": 986, "end": 1015, "answer": "USD 12,500"}},
	})
	if err != nil {
		b.Fatal(err)
	}
	f := Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: out}, nil
	})
	task := chargehand.WorkerTask{TaskID: "t", Attempt: 1}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Do(b.Context(), task); err != nil {
			b.Fatal(err)
		}
	}
}
