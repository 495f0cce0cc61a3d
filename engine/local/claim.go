package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// claimName is a file in a journal's folder in the anchor that says which data folder it is of. So
// the anchor notices when a data folder comes with another journal than it had.
const claimName = "folder"

// claim notes in the anchor which data folder the journal is in.
func (p *site) claim(dir string) error {
	path := filepath.Join(p.dir, claimName)
	if have, err := read(path); err != nil || have == dir {
		return err
	}
	return audit.Replace(path, []byte(dir+"\n"))
}

// claims are the journals' folders in an anchor that are of a data folder.
func claims(anchor, dir string) ([]string, error) {
	entries, err := os.ReadDir(anchor)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusableAnchor(anchor, err)
	}
	var out []string
	for _, e := range entries {
		of, err := read(filepath.Join(anchor, e.Name(), claimName))
		if err == nil && of == dir {
			out = append(out, filepath.Join(anchor, e.Name()))
		}
	}
	return out, nil
}

// usurped is what the anchor knows of other journals of the data folder, where it does not know this
// one.
func (v *vouching) usurped(anchor *site) error {
	others, err := claims(filepath.Dir(anchor.dir), v.store.dir)
	for _, other := range others {
		if other != anchor.dir {
			v.others = append(v.others, other)
			v.lost = append(v.lost, lastSeen(other))
		}
	}
	return err
}

// lastSeen is the newest checkpoint of another journal, as it stands there.
func lastSeen(dir string) chargehand.SignedState {
	s := chargehand.SignedState{Place: "anchor", Why: "it has another journal of this folder, " + filepath.Base(dir)}
	_, notes, err := audit.OpenTrail(filepath.Join(dir, "checkpoints"))
	if err != nil || len(notes) == 0 {
		return s
	}
	if c, ok := unverified(notes[len(notes)-1]); ok {
		s.Origin, s.Size, s.Root = c.Origin, c.Size, c.Root.String()
		s.Why += ", of " + strconv.FormatInt(c.Size, 10) + " records"
	}
	return s
}

// renounce lets the anchor forget that other journals were in the folder: that is on record now.
func renounce(others []string) error {
	for _, dir := range others {
		if err := os.Rename(filepath.Join(dir, claimName), filepath.Join(dir, claimName+".replaced")); err != nil {
			return unusableAnchor(dir, err)
		}
	}
	return nil
}
