package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand/internal/cli/exit"
)

// confirm asks a question on stderr and reads the answer from stdin; anything but yes ends the
// command with nothing done.
func (a *app) confirm(question string) error {
	fmt.Fprintf(a.io.Err, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.io.In).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	if answer == "y" || answer == "yes" {
		return nil
	}
	if err != nil {
		fmt.Fprintln(a.io.Err)
	}
	fmt.Fprintln(a.io.Err, "nothing was done")
	return &exit.Error{Code: exit.Usage}
}
