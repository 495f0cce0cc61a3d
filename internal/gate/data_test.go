package gate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/chargehand/chargehand"
)

// dataPath is a file or folder of the public data sets; the test is skipped where it is not there.
func dataPath(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("CHARGEHAND_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("public data set is not there: %v", err)
	}
	return path
}

func readData(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(dataPath(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decodeData(t testing.TB, into any, parts ...string) {
	t.Helper()
	if err := json.Unmarshal(readData(t, parts...), into); err != nil {
		t.Fatal(err)
	}
}

// cuadContract is one contract with its lawyers' annotations.
type cuadContract struct {
	File    string `json:"file"`
	Clauses map[string]struct {
		Spans []struct {
			Text  string `json:"text"`
			Start int    `json:"byte_start"`
		} `json:"spans"`
		Answer string `json:"answer"`
	} `json:"clauses"`
}

func cuad(t testing.TB) ([]cuadContract, func(file string) string) {
	t.Helper()
	var all []cuadContract
	decodeData(t, &all, "cuad", "truth.json")
	return all, func(file string) string { return string(readData(t, "cuad", "contracts", file)) }
}

// gateOf compiles a team of one contract called "c", or fails the test.
func gateOf(t testing.TB, c chargehand.Contract) *Gate {
	t.Helper()
	c.Name = "c"
	g, problems := Compile(&chargehand.Team{Name: "t", Contracts: []chargehand.Contract{c}})
	if len(problems) > 0 {
		t.Fatalf("Compile: %v", problems)
	}
	return g
}

// asked is a task about one document.
func asked(text string, aspects ...string) chargehand.WorkerTask {
	return chargehand.WorkerTask{
		RequiredAspects: aspects,
		InputRefs:       []chargehand.InputRef{{Hash: chargehand.Hash([]byte(text)), Name: "doc", Size: int64(len(text)), Text: text}},
	}
}

func submit(task chargehand.WorkerTask, output any) Submission {
	raw, ok := output.(string)
	if !ok {
		b, err := json.Marshal(output)
		if err != nil {
			panic(err)
		}
		raw = string(b)
	}
	return Submission{Contract: "c", Task: task, Result: chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: json.RawMessage(raw)}}
}

// about is a finding in short: layer, rule and severity.
func about(fs []chargehand.Finding) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, string(f.Layer)+" "+f.Rule+" "+string(f.Severity)+" "+f.Path)
	}
	return out
}
