package cli

import "github.com/spf13/cobra"

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of a team file, for editors",
		Long: "Print the JSON Schema (2020-12) of a team file. An editor with the YAML language server completes and checks\n" +
			"a team file whose first line names the schema, as in those of chargehand init:\n\n" +
			"  # yaml-language-server: $schema=team.schema.json",
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			b, err := a.Schema()
			if err != nil {
				return err
			}
			_, err = a.io.Out.Write(b)
			return err
		},
	}
}
