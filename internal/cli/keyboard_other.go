//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package cli

import (
	"context"
	"errors"
	"os"
)

// canType is false: what was typed ahead could not be told from an answer, so nothing is asked.
const canType = false

func typed(context.Context, *os.File, func(), func() error) (string, error) {
	return "", errors.ErrUnsupported
}
