package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// Read fills p from the forger's dice: a forger's keys are of the seed as well.
func (b *bench) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b.dice.Uint32())
	}
	return len(p), nil
}

func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

func bitOfZip(b *bench) (mark, error) {
	b.pack = b.flip(b.pack)
	return mark{loose: true}, nil
}

// sameParts proves that a forged pack has the names and contents of the true one, as an independent
// reader of zip files finds them: a pack promises those, and not how the zip file is written.
func (b *bench) sameParts() bool {
	have, err := unpack(b.pack)
	if err != nil {
		return false
	}
	want, err := unpack(b.works.pack)
	return err == nil && slices.Equal(have.order, want.order) && maps.EqualFunc(have.parts, want.parts, bytes.Equal)
}

// A parcel is a pack taken apart.
type parcel struct {
	order []string
	parts map[string][]byte
}

func unpack(b []byte) (*parcel, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	p := &parcel{parts: map[string][]byte{}}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		p.order = append(p.order, f.Name)
		if p.parts[f.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *parcel) zip() ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range p.order {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, ModifiedDate: 1<<5 | 1})
		if err == nil {
			_, err = w.Write(p.parts[name])
		}
		if err != nil {
			return nil, err
		}
	}
	return b.Bytes(), z.Close()
}

// repacked changes the pack's parts.
func (b *bench) repacked(f func(p *parcel) error) (mark, error) {
	p, err := unpack(b.pack)
	if err != nil {
		return mark{}, err
	}
	if err := f(p); err != nil {
		return mark{}, err
	}
	var out bytes.Buffer
	body, err := p.zip()
	if err == nil {
		_, err = out.Write(body)
	}
	b.pack = out.Bytes()
	return mark{}, err
}

// part is a random one; artifacts are as likely together as each other part.
func (b *bench) part(p *parcel) string { return p.order[b.dice.IntN(len(p.order))] }

func bitOfPart(b *bench) (mark, error) {
	return b.repacked(func(p *parcel) error {
		name := b.part(p)
		p.parts[name] = b.flip(p.parts[name])
		return nil
	})
}

// partRemoved takes a whole part away, or one record with its place.
func partRemoved(b *bench) (mark, error) {
	return b.repacked(func(p *parcel) error {
		if b.careful() {
			i := b.dice.IntN(len(p.order))
			p.order = slices.Delete(p.order, i, i+1)
			return nil
		}
		lines := bytes.SplitAfter(bytes.TrimSuffix(p.parts["records.ndjson"], []byte("\n")), []byte("\n"))
		i := b.dice.IntN(len(lines))
		for _, name := range []string{"records.ndjson", "leaves"} {
			l := bytes.SplitAfter(bytes.TrimSuffix(p.parts[name], []byte("\n")), []byte("\n"))
			p.parts[name] = append(bytes.TrimSuffix(bytes.Join(slices.Delete(l, i, i+1), nil), []byte("\n")), '\n')
		}
		return nil
	})
}

func linesShuffled(b *bench) (mark, error) {
	return b.repacked(func(p *parcel) error {
		name := []string{"records.ndjson", "leaves", "proof"}[b.dice.IntN(3)]
		lines := strings.SplitAfter(strings.TrimSuffix(string(p.parts[name]), "\n")+"\n", "\n")
		lines = lines[:len(lines)-1]
		i := b.dice.IntN(len(lines))
		if j := b.dice.IntN(len(lines)); j != i {
			lines[i], lines[j] = lines[j], lines[i]
		} else {
			lines = slices.Insert(lines, i, lines[i])
		}
		p.parts[name] = []byte(strings.Join(lines, ""))
		return nil
	})
}

func partAdded(b *bench) (mark, error) {
	return b.repacked(func(p *parcel) error {
		body := fmt.Appendf(nil, "something else %d", b.dice.Uint64())
		name := "artifacts/" + strings.TrimPrefix(chargehand.Hash(body), "sha256:")
		switch b.dice.IntN(4) {
		case 0:
			name = b.part(p)
			p.order = append(p.order, name)
			return nil
		case 1:
			name = "notes.txt"
		case 2:
			name = "../" + b.part(p)
		}
		p.order = append(p.order, name)
		p.parts[name] = body
		return nil
	})
}

// packOfAnotherKey signs the manifest and the checkpoint anew, and brings the key that did.
func packOfAnotherKey(b *bench) (mark, error) {
	return b.repacked(func(p *parcel) error {
		text, _, _ := strings.Cut(string(p.parts["checkpoint"]), "\n\n")
		note, err := b.key2.Sign(text + "\n")
		if err != nil {
			return err
		}
		old, key := map[string]string{}, []byte(b.key2.Public()+"\n")
		for name, body := range p.parts {
			old[name] = chargehand.Hash(body)
		}
		p.parts["checkpoint"] = note
		if b.careful() {
			p.parts["keys/log.pub"] = key
		}
		manifest := string(p.parts["manifest.json"])
		for _, name := range []string{"checkpoint", "keys/log.pub"} {
			manifest = strings.Replace(manifest, old[name], chargehand.Hash(p.parts[name]), 1)
		}
		p.parts["manifest.json"] = []byte(manifest)
		p.parts["manifest.sig"], err = b.key2.Sign("chargehand-evidence@1\n" + chargehand.Hash([]byte(manifest)) + "\n")
		return err
	})
}
