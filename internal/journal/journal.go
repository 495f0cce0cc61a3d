// Package journal turns records into lines and lines into records. It holds what a journal may
// contain, its format and its limits; where the lines are kept is the engine's affair.
package journal

import (
	"bytes"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// Format is the newest format of records that Decode reads.
const Format = 2

// MaxPayload is the most a record's data may take, in bytes of JSON (SPEC.md ·3). What is larger
// goes by reference.
const MaxPayload = 16 << 10

// Encode is AppendRecord to an empty slice.
func Encode(r chargehand.Record) ([]byte, error) { return AppendRecord(nil, r) }

// AppendRecord appends the record as one line of JSON, without a line break, to dst. It refuses a
// record that would not come back as it went in, and one above MaxPayload; dst is then returned
// as it was.
func AppendRecord(dst []byte, r chargehand.Record) ([]byte, error) {
	if err := check(r); err != nil {
		return dst, err
	}
	line, err := r.AppendJSON(dst)
	if err != nil {
		return dst, err
	}
	if n := payload(line[len(dst):]); n > MaxPayload {
		return dst, &chargehand.Error{
			Code: chargehand.CodeInternal,
			What: fmt.Sprintf("record %d (%s) of run %q cannot be kept", r.Seq, r.Type(), r.Run),
			Why:  fmt.Sprintf("its payload is %d bytes, and a record holds at most %d", n, MaxPayload),
		}
	}
	return line, nil
}

func check(r chargehand.Record) error {
	switch {
	case r.Run == "":
		return fmt.Errorf("record %d (%s) names no run", r.Seq, r.Type())
	case r.Seq < 1:
		return fmt.Errorf("record %d (%s) of run %q: sequence numbers begin at 1", r.Seq, r.Type(), r.Run)
	case !r.At.Equal(r.At.Truncate(time.Microsecond)):
		return fmt.Errorf("record %d (%s) of run %q: its time is finer than a microsecond", r.Seq, r.Type(), r.Run)
	}
	return nil
}

// payload is the length of a line's data. The first `"data":` is the record's own key: what
// precedes it is a run's id, in which a quotation mark would be escaped.
func payload(line []byte) int {
	key := []byte(`"data":`)
	return len(line) - bytes.Index(line, key) - len(key) - len("}")
}

// Decode reads one line. A type or a format that is not known is an *chargehand.Error of
// CodeFormat.
func Decode(line []byte) (chargehand.Record, error) {
	var r chargehand.Record
	if err := r.UnmarshalJSON(line); err != nil {
		return chargehand.Record{}, err
	}
	if f, ok := r.Fact.(chargehand.RunStarted); ok && f.Format > Format {
		return chargehand.Record{}, NewerFormat(fmt.Sprintf("run %q", r.Run), f.Format)
	}
	return r, nil
}

// NewerFormat is the error for something written in a format this program does not know.
func NewerFormat(what string, format int) error {
	return &chargehand.Error{
		Code: chargehand.CodeFormat,
		What: what + " cannot be read",
		Why:  fmt.Sprintf("it was written in format %d, and this version of chargehand reads up to %d", format, Format),
		Next: "use the version of chargehand that wrote it, or a newer one",
	}
}
