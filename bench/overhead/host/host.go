// Package host tells what this process and the machine under it use: time, memory, disk.
package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Meter reads what this process, and the machine, have used since it was started.
type Meter struct {
	at      time.Time
	cpu     time.Duration
	machine ticks
}

// Start is a meter that begins now.
func Start() Meter { return Meter{time.Now(), CPU(), machineTicks()} }

// A Reading is what was used between two moments.
type Reading struct {
	Wall, CPU time.Duration
	Noise     float64 // share of the machine that others used, 0..1
}

// Read is what was used since the start.
func (m Meter) Read() Reading {
	r := Reading{Wall: time.Since(m.at), CPU: CPU() - m.cpu}
	now := machineTicks()
	if all := now.all - m.machine.all; all > 0 {
		others := float64(now.busy-m.machine.busy) - r.CPU.Seconds()*ticksPerSecond
		r.Noise = max(0, others/float64(all))
	}
	return r
}

// PeakRSS is the most memory that this process has had resident, in MB; zero where it cannot be
// told. Getrusage would answer that of the parent if it had more.
func PeakRSS() float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(b), "VmHWM:")
	kb, err := strconv.ParseFloat(strings.TrimSpace(strings.Split(after, "kB")[0]), 64)
	if err != nil {
		return 0
	}
	return kb / 1024
}

const ticksPerSecond = 100 // of /proc/stat

// ticks are what all CPUs of the machine spent, and what of it not idle.
type ticks struct{ busy, all int64 }

func machineTicks() ticks {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ticks{}
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := strings.Fields(string(line))
	var t ticks
	for i, f := range fields[min(1, len(fields)):min(9, len(fields))] { // guest time is in user's already
		n, _ := strconv.ParseInt(f, 10, 64)
		t.all += n
		if i != 3 && i != 4 { // idle and iowait
			t.busy += n
		}
	}
	return t
}

// Size is how many bytes the files of a folder have.
func Size(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a journal's side file, just removed
		}
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

// onDisk says why a folder is not on a disk: what it keeps would not be durable, and its figures
// not comparable.
func onDisk(dir string) error {
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return nil // this is no Linux, and its temporary folders are on disk
	}
	longest, kind := "", ""
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if len(f) < 3 || len(f[1]) < len(longest) {
			continue
		}
		if rel, err := filepath.Rel(f[1], dir); err == nil && filepath.IsLocal(rel) {
			longest, kind = f[1], f[2]
		}
	}
	if kind == "tmpfs" || kind == "ramfs" {
		return fmt.Errorf("%s is on %s, which is memory: name a folder on a disk in BENCH_DB_DIR", dir, kind)
	}
	return nil
}

// Folder makes a folder on a disk, in that of BENCH_DB_DIR or else the one for temporary files. Its
// name begins with prefix.
func Folder(prefix string) (string, error) {
	dir, err := os.MkdirTemp(os.Getenv("BENCH_DB_DIR"), prefix+"-")
	if err != nil {
		return "", fmt.Errorf("make a folder to measure in: %w", err)
	}
	if dir, err = filepath.Abs(dir); err == nil {
		err = onDisk(dir)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// Quiet waits until other processes use less than a tenth of the machine for half a second, or
// until patience is over.
func Quiet(ctx context.Context, patience time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ctx.Err() == nil {
		m := Start()
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return
		}
		if m.Read().Noise < 0.1 {
			return
		}
	}
}
