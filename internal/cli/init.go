package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init [FOLDER]", Short: "Write a first team that runs at once", Args: args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			dir := "."
			if len(given) == 1 {
				dir = given[0]
			}
			files, err := a.Scaffold(dir)
			if err != nil {
				return err
			}
			for _, f := range files {
				fmt.Fprintln(a.io.Out, term.Line(filepath.Join(dir, f)))
			}
			fmt.Fprintln(a.io.Err, "read the first file, then try: chargehand plan lint TEAM.yaml, and chargehand run TEAM.yaml FILE")
			return nil
		},
	}
}
