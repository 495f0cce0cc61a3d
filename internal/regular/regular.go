// Package regular opens files that a person names. What is no regular file is refused: opening a FIFO
// or a device can wait for ever, and reading a device need not end.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file to read. The error of any other says what it is.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := refuse(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO may have taken its place
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = refuse(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read is the content of a regular file. One of more than limit bytes is an error, and is not kept.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return b, err
}

func refuse(path string, info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: ErrFolder}
	case mode&fs.ModeNamedPipe != 0:
		what = "it is a FIFO"
	case mode&fs.ModeSocket != 0:
		what = "it is a socket"
	case mode&fs.ModeDevice != 0:
		what = "it is a device"
	default:
		what = "it is no regular file"
	}
	return &fs.PathError{Op: "open", Path: path, Err: errors.New(what + ", and only regular files are read: copy what it holds into a file")}
}

// ErrFolder is beneath the error for a folder.
var ErrFolder = errors.New("it is a folder")
