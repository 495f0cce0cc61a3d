//go:build !unix

package local

import "errors"

var errNoSpace = errors.New("no space left")
