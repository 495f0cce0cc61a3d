package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/registry"
)

// usualRegistry is the folder that is a registry where none is named.
const usualRegistry = "registry"

// registryDir is --registry, $CHARGEHAND_REGISTRY, or the folder registry; empty: there is none.
func (a *app) registryDir() string {
	if a.flags.registry != "" {
		return a.flags.registry
	}
	if dir := os.Getenv("CHARGEHAND_REGISTRY"); dir != "" {
		return dir
	}
	if info, err := os.Stat(usualRegistry); err == nil && info.IsDir() {
		return usualRegistry
	}
	return ""
}

// registered is the team of the registry that a name stands for, NAME or NAME@VERSION. It reports
// whether there is a registry to ask.
func (a *app) registered(ref string) (Ready, bool, error) {
	dir := a.registryDir()
	if dir == "" {
		return Ready{}, false, nil
	}
	reg, err := registry.Open(dir, a.LoadTeam)
	if err != nil {
		return Ready{}, true, err
	}
	f, err := reg.Find(ref)
	if err != nil {
		return Ready{}, true, err
	}
	r := declaredIn(f.Path, f.Team)
	r.Tenants = reg.Tenants(f.Team.Name)
	return r, true, nil
}

// enabled refuses a team that is not for a tenant; empty is no tenant.
func (r *Ready) enabled(tenant string) error {
	if len(r.Tenants) == 0 || slices.Contains(r.Tenants, tenant) {
		return nil
	}
	e := &chargehand.Error{
		Code: chargehand.CodeNotAllowed, What: fmt.Sprintf("the team %q is not enabled for the tenant %q", r.Team.Name, tenant),
		Why: "the registry enables it for " + strings.Join(r.Tenants, ", "), Next: "add the tenant to teams." + r.Team.Name + ".tenants in " + registry.IndexName,
	}
	if tenant == "" {
		e.What, e.Next = fmt.Sprintf("the team %q is not enabled without a tenant", r.Team.Name), "name one with chargehand run --tenant"
	}
	return e
}

func (a *app) registryCommand() *cobra.Command {
	return group("registry", "Look at a folder of team files", a.registryListCommand())
}

func (a *app) registryListCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "list", Short: "List the teams of the registry: versions, which is active, for whom, and which files are broken",
		Long: "List the files of the registry. Commands know its teams by NAME, which is the active version, or NAME@VERSION.\n" +
			"What registry.yaml in the folder says of a team:\n\n" +
			"  teams:\n    contracts: {active: \"2.1\", tenants: [acme]}",
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return a.listRegistry(form) },
	}
	a.outputFlag(c, &form, "table", "wide", "json", "jsonl", "yaml", "name")
	return c
}

// A listedFile is a file of the registry.
type listedFile struct {
	File     string               `json:"file"`
	Team     string               `json:"team,omitempty"` // empty where the file is broken
	Version  string               `json:"version,omitempty"`
	Active   bool                 `json:"active"`
	Tenants  []string             `json:"tenants"` // empty means everyone
	Digest   string               `json:"digest,omitempty"`
	State    string               `json:"state"` // good or broken
	Why      string               `json:"why,omitempty"`
	Problems []chargehand.Problem `json:"problems,omitempty"`
}

func (a *app) listRegistry(form string) error {
	dir := a.registryDir()
	if dir == "" {
		return usage("there is no registry", "name a folder of team files with --registry, or make the folder "+usualRegistry)
	}
	reg, err := registry.Open(dir, a.LoadTeam)
	if err != nil {
		return err
	}
	var all []listedFile
	var lines []any
	var refs []string
	for i := range reg.Files {
		l := listedAs(reg, &reg.Files[i])
		all, lines = append(all, l), append(lines, l)
		if l.Team != "" {
			refs = append(refs, l.Team+"@"+l.Version)
		}
	}
	return a.show(form, page{
		value: map[string]any{"schema_version": 1, "files": nonNil(all)}, lines: lines, names: refs,
		text: func() error { return a.tabulateRegistry(all, dir, form) },
	})
}

func listedAs(reg *registry.Registry, f *registry.File) listedFile {
	l := listedFile{File: f.Path, State: "good", Tenants: []string{}}
	if f.Team == nil {
		l.State, l.Why = "broken", f.Problem.Error()
		if e, ok := errors.AsType[*chargehand.Error](f.Problem); ok {
			l.Why, l.Problems = e.Why, e.Problems
		}
		return l
	}
	l.Team, l.Version, l.Digest = f.Team.Name, f.Version(), f.Team.Digest()
	l.Active = reg.Active(l.Team) == l.Version
	l.Tenants = append(l.Tenants, reg.Tenants(l.Team)...)
	return l
}

func (a *app) tabulateRegistry(all []listedFile, dir, form string) error {
	if len(all) == 0 {
		fmt.Fprintf(a.io.Err, "the registry %s has no team files\n", term.Line(dir))
		return nil
	}
	t := term.Table{Head: []string{"TEAM", "VERSION", "ACTIVE", "TENANTS", "STATE", "DIGEST", "FILE"}}
	for i := range all {
		l := &all[i]
		active, tenants := "no", "everyone"
		if l.Active {
			active = "yes"
		}
		if len(l.Tenants) > 0 {
			tenants = strings.Join(l.Tenants, ", ")
		}
		if l.Team == "" {
			t.Add("unknown", "unknown", "no", "unknown", l.State, "", l.File)
			continue
		}
		t.Add(l.Team, l.Version, active, tenants, l.State, l.Digest, l.File)
	}
	if err := a.writeTable(form, &t, "DIGEST"); err != nil {
		return err
	}
	for i := range all {
		l := &all[i]
		if l.State == "good" {
			continue
		}
		fmt.Fprintf(a.io.Err, "warning: %s cannot be used: %s\n", term.Line(l.File), term.Line(l.Why))
		for _, p := range l.Problems {
			fmt.Fprintf(a.io.Err, "  %s\n", term.Line(p.String()))
		}
	}
	return nil
}
