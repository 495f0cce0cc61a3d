package witness

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// A request is the body of add-checkpoint.
type request struct {
	old   int64
	proof []tlog.Hash
	note  []byte
}

func parseRequest(body []byte) (request, error) {
	var r request
	head, msg, ok := bytes.Cut(body, []byte("\n\n"))
	if !ok {
		return r, refuse(http.StatusBadRequest, "there is no empty line before the checkpoint")
	}
	lines := strings.Split(string(head), "\n")
	old, ok := strings.CutPrefix(lines[0], "old ")
	size, err := strconv.ParseInt(old, 10, 64)
	if !ok || err != nil || size < 0 || strconv.FormatInt(size, 10) != old {
		return r, refuse(http.StatusBadRequest, "the first line is not an old size")
	}
	if len(lines)-1 > maxProof {
		return r, refuse(http.StatusBadRequest, "the proof has more than %d hashes", maxProof)
	}
	for _, line := range lines[1:] {
		b, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(b) != tlog.HashSize {
			return r, refuse(http.StatusBadRequest, "the proof holds something that is no hash")
		}
		r.proof = append(r.proof, tlog.Hash(b))
	}
	r.old, r.note = size, msg
	return r, nil
}

// body writes a request.
func (r request) body() []byte {
	b := fmt.Appendf(nil, "old %d\n", r.old)
	for _, h := range r.proof {
		b = append(base64.StdEncoding.AppendEncode(b, h[:]), '\n')
	}
	return append(append(b, '\n'), r.note...)
}
