package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	lockName   = "journal.lock"
	maxCommand = 512 // bytes of a command line that are kept
)

// An Owner is the process that has a data folder.
type Owner struct {
	PID     int    `json:"pid"`
	Command string `json:"command"` // its program and arguments
}

// String names the process, "process 4711 (chargehand serve)".
func (o Owner) String() string {
	switch {
	case o.PID == 0:
		return "another process"
	case o.Command == "":
		return fmt.Sprintf("process %d", o.PID)
	}
	return fmt.Sprintf("process %d (%s)", o.PID, o.Command)
}

// signature is what this process leaves in the lock file.
func signature() string {
	command := filepath.Base(os.Args[0])
	for _, arg := range os.Args[1:] {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'") {
			arg = strconv.Quote(arg)
		}
		command += " " + arg
	}
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + "…"
	}
	return fmt.Sprintf("%d\n%s\n", os.Getpid(), command)
}

// parseOwner reads a signature; earlier versions left only the number.
func parseOwner(text string) Owner {
	pid, command, _ := strings.Cut(text, "\n")
	n, err := strconv.Atoi(pid)
	if err != nil {
		return Owner{}
	}
	return Owner{n, strings.TrimSuffix(command, "\n")}
}
