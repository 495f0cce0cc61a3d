package faults

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/reference"
	"github.com/chargehand/chargehand/engine/local"
)

const (
	page     = 4 << 10 // bytes
	diskSize = 8 << 20
)

// A disk is a small file system of its own.
type disk struct{ at string }

// mount makes a disk, or skips the test where that is not allowed.
func mount(t *testing.T) *disk {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("a disk of a given size is a mount that only Linux is known to make")
	}
	d := &disk{t.TempDir()}
	err := syscall.Mount("tmpfs", d.at, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize))
	if errors.Is(err, syscall.EPERM) {
		t.Skip("mounting is not allowed here")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d.at, 0); err != nil {
			t.Error(err)
		}
	})
	return d
}

// fill leaves so many pages free.
func (d *disk) fill(pages int) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.at, &s); err != nil {
		return err
	}
	n := (int64(s.Bfree)*s.Bsize)/page - int64(pages)
	if n <= 0 {
		return fmt.Errorf("the disk has no %d pages free", pages)
	}
	return os.WriteFile(filepath.Join(d.at, "filler"), make([]byte, n*page), 0o600)
}

func (d *disk) free() error { return os.Remove(filepath.Join(d.at, "filler")) }

// TestDiskFull fills the disk so that the run's first write fails, in the next round the second,
// and so on until the run needs no more than there is. Whatever could not be written is refused or
// waits; when there is space again the run goes on and comes to the result of a run that was left
// alone.
func TestDiskFull(t *testing.T) {
	want, _ := undisturbed(t, built(t, programs.victim))
	var refused, failed atomic.Int64
	most := starving(t, size(0, 24, 1), func(d *disk, s *scene, pages int) (bool, error) {
		h, err := s.starve(t, d, pages, want)
		refused.Add(int64(h.refused))
		failed.Add(int64(h.failed))
		return h == hunger{}, err
	})
	count(t, "pages a run needs", most)
	count(t, "requests refused", refused.Load())
	count(t, "writes that waited for space", failed.Load())
}

// starving calls do with a disk and more and more pages that it may leave free, until do reports
// that these were enough; it answers how many that was. Rounds mostly wait for space, so many go
// on at once.
func starving(t *testing.T, step int, do func(d *disk, s *scene, pages int) (enough bool, err error)) int {
	t.Helper()
	var most atomic.Int64
	var wg sync.WaitGroup
	rooms := make(chan struct{}, 12)
	for pages := 0; pages < 1000 && most.Load() == 0; pages += step {
		d, s := mount(t), tidy(t)
		rooms <- struct{}{}
		wg.Go(func() {
			defer func() { <-rooms }()
			enough, err := do(d, s, pages)
			if err != nil {
				t.Errorf("with %d pages free: %v", pages, err)
			} else if enough {
				for old := most.Load(); (old == 0 || int64(pages) < old) && !most.CompareAndSwap(old, int64(pages)); old = most.Load() {
				}
			}
		})
	}
	wg.Wait()
	if most.Load() == 0 {
		t.Error("there never was enough space")
	}
	return int(most.Load())
}

// A hunger is how often a run found no space.
type hunger struct{ refused, failed int }

// starve drives a run on a disk with so many pages free, which gets space once something has
// failed.
func (s *scene) starve(t *testing.T, d *disk, pages int, want expected) (h hunger, err error) {
	ctx := soon(t)
	data := filepath.Join(d.at, "data")
	log := &text{}
	opt := reference.Options(data, s.world)
	opt.Log = slog.New(slog.NewTextHandler(log, nil))
	e, err := local.Open(ctx, opt)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := d.fill(pages); err != nil {
		return h, err
	}
	full := true
	more := func() error {
		if !full {
			return nil
		}
		full = false
		return d.free()
	}
	freed := make(chan error, 1)
	watch := make(chan struct{})
	go func() { freed <- whenSaid(log, watch, more) }()
	r, err := s.world.Drive(ctx, e)
	for tries := 0; chargehand.CodeOf(err) == chargehand.CodeFull && tries < 100; tries++ {
		h.refused++
		r, err = s.world.Drive(ctx, e)
	}
	close(watch)
	if err = errors.Join(err, <-freed); err != nil {
		return h, err
	}
	h.failed = strings.Count(log.String(), "level=ERROR")
	records, err := collect(ctx, e, r.RunID)
	if err != nil {
		return h, err
	}
	return h, errors.Join(want.compare(r, found(records).doubt), e.Replay(ctx, r.RunID), s.nothingLost(records), s.nothingTwice(records), sound(data))
}

// whenSaid calls do as soon as an error was logged, or never if over comes first.
func whenSaid(log *text, over chan struct{}, do func() error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if strings.Contains(log.String(), "level=ERROR") {
				return do()
			}
		case <-over:
			return nil
		}
	}
}

// TestDiskFullAtStart has too little space for a journal to be made, in the next round for a bit
// more of it, and so on: it is refused for want of space, and made once there is some.
func TestDiskFullAtStart(t *testing.T) {
	var refused atomic.Int64
	most := starving(t, size(0, 12, 1), func(d *disk, s *scene, pages int) (enough bool, err error) {
		if err := d.fill(pages); err != nil {
			return false, err
		}
		opt := reference.Options(filepath.Join(d.at, "data"), s.world)
		e, err := local.Open(t.Context(), opt)
		if err == nil {
			return true, e.Close()
		}
		refused.Add(1)
		if chargehand.CodeOf(err) != chargehand.CodeFull {
			return false, fmt.Errorf("not said to be for want of space: %w", err)
		}
		if err := d.free(); err != nil {
			return false, err
		}
		if e, err = local.Open(t.Context(), opt); err != nil {
			return false, fmt.Errorf("with enough space: %w", err)
		}
		return false, errors.Join(e.Close(), sound(opt.Dir))
	})
	count(t, "pages a journal needs", most)
	count(t, "starts refused", refused.Load())
}
