package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "version", Short: "Show the version", Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			version, revision := build()
			if form == "json" {
				return a.writeJSON(map[string]any{
					"schema_version": 1, "version": version, "revision": revision, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.io.Out, "chargehand %s\n", version)
			return err
		},
	}
	a.outputFlag(c, &form, "text", "json")
	return c
}

// build is the module's version and the revision it was built from, as the Go tool recorded them.
func build() (version, revision string) {
	version = "(unknown)"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, ""
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return version, revision
}
