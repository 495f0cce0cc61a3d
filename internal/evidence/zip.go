package evidence

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A member is a file in a zip file.
type member struct {
	name         string
	flags        uint16
	method       uint16
	sum          uint32 // CRC-32
	packed, size int64
	at           int64 // first packed byte
}

// The parts of a zip file (APPNOTE 4.3), and what is used of their flags.
const (
	headSize, entrySize, endSize, followSize = 30, 46, 22, 16
	headMark, entryMark, endMark, followMark = 0x04034b50, 0x02014b50, 0x06054b50, 0x08074b50

	stored, deflated = 0, 8
	sumsFollow       = 1 << 3                     // of a flag: checksum and sizes stand behind the member
	harmless         = sumsFollow | 3<<1 | 1<<11  // the compressor's level, and that names are UTF-8
	longestName      = len(artifactFolder) + 2*32 // of a member
)

var (
	errNoZip  = errors.New("it is no zip file, or there is something behind it")
	errPlaces = errors.New("its members do not lie one after the other, from its first byte to its directory")
)

// directory reads the members of a zip file of the one form that a pack has: nothing stands before, between
// or behind them, each header says what the directory says, and there are no comments and no extra
// fields. What another program would take from the file, by other names than the directory's or from
// between the members, is thus not there. Order, compression, dates and attributes are not looked at.
// docs/verify-pack.py does the same.
func directory(r io.ReaderAt, size int64) ([]*member, error) {
	end := make([]byte, endSize)
	if size < endSize || readAt(r, end, size-endSize) != nil || u32(end) != endMark {
		return nil, errNoZip
	}
	n, length, start := int(u16(end[10:])), int64(u32(end[12:])), int64(u32(end[16:]))
	switch {
	case u16(end[20:]) != 0:
		return nil, errNoZip
	case u32(end[4:]) != 0 || int(u16(end[8:])) != n:
		return nil, errors.New("it is a part of a larger zip file")
	case n > maxMembers:
		return nil, fmt.Errorf("it holds %d files, and a pack at most %d", n, maxMembers)
	case start+length != size-endSize:
		return nil, errPlaces
	case length > int64(n*(entrySize+longestName)):
		return nil, errors.New("its directory is longer than that of a pack")
	}
	list := make([]byte, length)
	if err := readAt(r, list, start); err != nil {
		return nil, err
	}
	members := make([]*member, n)
	at := int64(0)
	for i := range members {
		var err error
		if members[i], list, err = entry(list, at); err != nil {
			return nil, err
		}
		if at, err = members[i].place(r, at); err != nil {
			return nil, err
		}
	}
	if at != start || len(list) > 0 {
		return nil, errPlaces
	}
	return members, nil
}

// entry reads the directory's next entry, of a member that begins at a byte of the file.
func entry(list []byte, at int64) (*member, []byte, error) {
	if len(list) < entrySize || u32(list) != entryMark {
		return nil, nil, errPlaces
	}
	n := int(u16(list[28:]))
	if len(list) < entrySize+n {
		return nil, nil, errPlaces
	}
	m := &member{
		name: string(list[entrySize : entrySize+n]), flags: u16(list[8:]), method: u16(list[10:]), sum: u32(list[16:]),
		packed: int64(u32(list[20:])), size: int64(u32(list[24:])),
	}
	switch {
	case int64(u32(list[42:])) != at || u16(list[34:]) != 0:
		return nil, nil, errPlaces
	case u32(list[30:]) != 0:
		return nil, nil, fmt.Errorf("%.100q has a comment or an extra field", m.name)
	case m.flags&^harmless != 0 || m.method != stored && m.method != deflated || m.method == stored && m.packed != m.size:
		return nil, nil, fmt.Errorf("%.100q is packed by method %d with flags %#x", m.name, m.method, m.flags)
	}
	return m, list[entrySize+n:], nil
}

// place finds the member in the file, where its header must say the same, and answers where it ends.
func (m *member) place(r io.ReaderAt, at int64) (end int64, err error) {
	head := make([]byte, headSize+len(m.name))
	if err := readAt(r, head, at); err != nil || u32(head) != headMark || u16(head[28:]) != 0 || int(u16(head[26:])) != len(m.name) {
		return 0, errPlaces
	}
	m.at = at + int64(len(head))
	end = m.at + m.packed
	sums := m.sums()
	said := bytes.Equal(head[14:26], sums)
	if m.flags&sumsFollow != 0 {
		follow := make([]byte, followSize)
		if readAt(r, follow, end) != nil || u32(follow) != followMark || !bytes.Equal(follow[4:], sums) {
			return 0, errPlaces
		}
		end += followSize
		said = said || bytes.Equal(head[14:26], make([]byte, 12))
	}
	if !said || u16(head[6:]) != m.flags || u16(head[8:]) != m.method || string(head[headSize:]) != m.name {
		return 0, fmt.Errorf("the header of %.100q and the directory differ", m.name)
	}
	return end, nil
}

// sums are the checksum and the sizes as a header has them.
func (m *member) sums() []byte {
	b := binary.LittleEndian.AppendUint32(nil, m.sum)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.packed))
	return binary.LittleEndian.AppendUint32(b, uint32(m.size))
}

// copy unpacks a member, without holding it. It is one whole stream of as many bytes as it says.
func (a *archive) copy(m *member, to io.Writer) error {
	packed := bufio.NewReader(io.NewSectionReader(a.file, m.at, m.packed))
	body := io.Reader(packed)
	if m.method == deflated {
		body = flate.NewReader(packed)
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(body, m.size+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", m.name, err)
	}
	if _, err := packed.ReadByte(); err != io.EOF || n != m.size || sum.Sum32() != m.sum {
		return fmt.Errorf("%s is not the %d bytes that it says", m.name, m.size)
	}
	return nil
}

func readAt(r io.ReaderAt, b []byte, at int64) error {
	if n, err := r.ReadAt(b, at); n < len(b) {
		return fmt.Errorf("it ends early: %w", err)
	}
	return nil
}

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
