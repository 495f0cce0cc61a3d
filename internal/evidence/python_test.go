package evidence

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

var script = filepath.Join("..", "..", "docs", "verify-pack.py")

// python runs the script on a pack; it reports whether the pack verifies, and what was printed.
func python(t *testing.T, pack []byte, key string) (bool, string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	path := filepath.Join(t.TempDir(), "pack.zip")
	if err := os.WriteFile(path, pack, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{script, path}
	if key != "" {
		args = append(args, key)
	}
	out, err := exec.Command("python3", args...).CombinedOutput()
	return err == nil, string(out)
}

// TestScriptIsShort counts its lines of code: without comments, blank lines and the text at its top.
func TestScriptIsShort(t *testing.T) {
	b, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(b), `"""`)
	_, code, ok := strings.Cut(code, `"""`)
	if !ok {
		t.Fatal("no text at the top")
	}
	n := 0
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			n++
		}
	}
	if n > 70 {
		t.Errorf("%d lines of code, want at most 70", n)
	}
}

type eddsa struct {
	TestGroups []struct {
		PublicKey struct{ Pk string }
		Tests     []struct {
			TcID             int
			Msg, Sig, Result string
			Comment          string
		}
	}
}

// TestEd25519Vectors puts the published signatures through both verifiers. The other vectors in the
// folder are of algorithms that nothing here is signed by.
func TestEd25519Vectors(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(data(t, "wycheproof-sig"), "ed25519_test.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v eddsa
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	n, valid := 0, 0
	var lines []string
	for _, g := range v.TestGroups {
		key, err := hex.DecodeString(g.PublicKey.Pk)
		if err != nil {
			t.Fatal(err)
		}
		verifier := verifier(t, key)
		for _, c := range g.Tests {
			msg, err1 := hex.DecodeString(c.Msg)
			sig, err2 := hex.DecodeString(c.Sig)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			n++
			if got := verifier.Verify(msg, sig); got != (c.Result == "valid") {
				t.Errorf("%d (%s): %v, want %s", c.TcID, c.Comment, got, c.Result)
			}
			if c.Result == "valid" {
				valid++
			}
			lines = append(lines, fmt.Sprintf("%s %s. %s. %t", g.PublicKey.Pk, c.Msg, c.Sig, c.Result == "valid"))
		}
	}
	t.Logf("ed25519: %d signatures, %d of them valid", n, valid)
	if n != 151 {
		t.Errorf("%d vectors, want 151", n)
	}
	inPython(t, lines)
}

func verifier(t *testing.T, key []byte) note.Verifier {
	t.Helper()
	text, err := note.NewEd25519VerifierKey("vector", key)
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// inPython runs the script's own check of signatures, which is all of it above the pack.
func inPython(t *testing.T, lines []string) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	cmd := exec.Command("python3", "-c", `
import sys
exec(open(sys.argv[1]).read().split("# The pack.")[0])
n = 0
for line in sys.stdin:
    key, msg, sig, want = line.split()
    try: got = signed(bytes.fromhex(key), bytes.fromhex(msg[:-1]), bytes.fromhex(sig[:-1]))
    except (IndexError, ValueError): got = False
    n += 1
    if got != (want == "true"): print("WRONG", line)
print(n)
`, script)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != fmt.Sprint(len(lines)) {
		t.Errorf("the script disagrees: %v\n%s", err, out)
	}
}
