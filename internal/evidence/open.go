package evidence

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// What a pack may be at most. A zip file can claim to hold far more than it is.
const (
	maxFiles = 100_000
	maxBytes = 4 << 30   // of all parts, as they are
	maxPart  = 256 << 20 // of one that is read whole
	maxRatio = 1_100     // as they are to as they are packed: more than deflate can do
)

var partNames = []string{
	partReadme, partManifest, partSignature, partReport, partRecords, partLeaves, partProof, partCheckpoint, partKey, partWitnesses,
}

var artifactName = regexp.MustCompile(`^artifacts/[0-9a-f]{64}$`)

// An archive is a pack's parts, none of which has been believed yet.
type archive struct {
	parts     map[string]*zip.File
	artifacts map[string]*zip.File // by content hash
	bytes     uint64
}

// unzip reads what a pack claims to hold, and refuses what no pack holds.
func unzip(r io.ReaderAt, size int64) (*archive, error) {
	z, err := zip.NewReader(r, size)
	switch {
	case errors.Is(err, zip.ErrInsecurePath):
		return nil, errors.New("it holds a name that leads out of it")
	case err != nil:
		return nil, fmt.Errorf("it is no zip file: %w", err)
	case len(z.File) > maxFiles:
		return nil, fmt.Errorf("it holds %d files, and a pack at most %d", len(z.File), maxFiles)
	case z.Comment != "":
		return nil, errors.New("it has a comment, which no pack has")
	}
	a := &archive{parts: map[string]*zip.File{}, artifacts: map[string]*zip.File{}}
	for _, f := range z.File {
		if err := a.add(f, size); err != nil {
			return nil, err
		}
	}
	if err := laidOut(z, r, size); err != nil {
		return nil, err
	}
	for _, name := range partNames {
		if a.parts[name] == nil && name != partWitnesses {
			return nil, fmt.Errorf("it has no %s", name)
		}
	}
	return a, nil
}

// laidOut checks that the file is its parts one after the other, and nothing else: its names and what
// is packed under them, written again as Write writes them, are the same. What another program would
// take from it, by other names than the directory's or from between the parts, is thus not there.
func laidOut(z *zip.Reader, r io.ReaderAt, size int64) error {
	same := &comparison{with: r}
	w := zip.NewWriter(same)
	for _, f := range z.File {
		if err := again(w, f); err != nil {
			return fmt.Errorf("its parts are not where its directory says: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("its parts are not where its directory says: %w", err)
	}
	if same.at != size {
		return fmt.Errorf("there is something behind its %d bytes", same.at)
	}
	return nil
}

// again writes a part's bytes as they are packed, under a header of Write's.
func again(w *zip.Writer, f *zip.File) error {
	raw, err := f.OpenRaw()
	if err != nil {
		return err
	}
	const version, sizesFollow = 20, 8
	to, err := w.CreateRaw(&zip.FileHeader{
		Name: f.Name, Method: zip.Deflate, ModifiedDate: newYear1980, CreatorVersion: version, ReaderVersion: version, Flags: sizesFollow,
		CRC32: f.CRC32, CompressedSize64: f.CompressedSize64, UncompressedSize64: f.UncompressedSize64,
	})
	if err == nil {
		_, err = io.Copy(to, raw)
	}
	return err
}

// A comparison is written what a file should be.
type comparison struct {
	with io.ReaderAt
	at   int64
}

func (c *comparison) Write(want []byte) (int, error) {
	have := make([]byte, len(want))
	if n, err := c.with.ReadAt(have, c.at); n < len(have) {
		return 0, fmt.Errorf("it ends early: %w", err)
	}
	for i := range want {
		if have[i] != want[i] {
			return i, fmt.Errorf("byte %d is %#02x, and should be %#02x", c.at+int64(i), have[i], want[i])
		}
	}
	c.at += int64(len(want))
	return len(want), nil
}

func (a *archive) add(f *zip.File, size int64) error {
	to, name := a.parts, f.Name
	if artifactName.MatchString(name) {
		to, name = a.artifacts, "sha256:"+strings.TrimPrefix(name, artifactFolder)
	} else if !known(name) {
		return fmt.Errorf("it holds %.100q, which no pack does", name)
	}
	a.bytes += f.UncompressedSize64
	switch {
	case to[name] != nil:
		return fmt.Errorf("it holds %s twice", f.Name)
	case f.Method != zip.Deflate:
		return fmt.Errorf("%s is packed by method %d", f.Name, f.Method)
	case f.CompressedSize64 > uint64(size) || f.UncompressedSize64/maxRatio > f.CompressedSize64:
		return fmt.Errorf("%s claims to be %d bytes, packed into %d", f.Name, f.UncompressedSize64, f.CompressedSize64)
	case a.bytes > maxBytes:
		return fmt.Errorf("it claims to hold more than %d bytes", int64(maxBytes))
	}
	to[name] = f
	return nil
}

func known(name string) bool {
	for _, p := range partNames {
		if p == name {
			return true
		}
	}
	return false
}

// read is a whole part.
func read(f *zip.File) (b []byte, err error) {
	if f.UncompressedSize64 > maxPart {
		return nil, fmt.Errorf("%s has %d bytes, and at most %d are read", f.Name, f.UncompressedSize64, maxPart)
	}
	rc, err := f.Open()
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(rc, maxPart+1))
		err = errors.Join(err, rc.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name, err)
	}
	return b, nil
}
