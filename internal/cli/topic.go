package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand/internal/cli/exit"
)

// exitCodesTopic is "chargehand help exit-codes", written by the tables that decide.
func exitCodesTopic() *cobra.Command {
	var b strings.Builder
	if err := exit.Explain(&b); err != nil {
		panic("cli: a strings.Builder takes everything: " + err.Error())
	}
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: strings.TrimSuffix(b.String(), "\n")}
}
