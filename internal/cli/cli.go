// Package cli is the command line. Results go to stdout, progress and questions to stderr, and the
// exit code is what the last line says (UX.md §3).
package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/worker"
)

// Parts are what the commands are made of.
type Parts struct {
	Teams    map[string]Ready
	Planners map[string]worker.Planner // functions that teams name as planner
	Workers  worker.Set                // functions that teams name as workers

	// Agents makes language models, tools and agents elsewhere. One that is an io.Closer is closed
	// when the command has ended. Nil: there are none.
	Agents worker.Maker

	// Model is the full name of a language model, "provider/model". Nil: names are taken as they are.
	Model func(name string) (string, error)

	// Own takes a data folder and supervises its runs. It returns an *chargehand.Error of
	// CodeLocked where another process has the folder already.
	Own func(ctx context.Context, dir string, how Taking) (Owned, error)

	// Look reads a data folder that nobody need own. Nil: reading takes an owner.
	Look func(ctx context.Context, dir string) (Looked, error)

	// Owner is the process that has a data folder, and whether one has it.
	Owner func(dir string) (local.Owner, bool)

	// Archive reads a data folder's records as they are stored, and Verify checks them.
	Archive func(ctx context.Context, dir string) (Archive, error)
	Verify  func(ctx context.Context, dir string, opt local.AuditOptions) (*audit.Report, error)

	LoadTeam func(path string) (*chargehand.Team, error)
	Place    func(path string, problems []chargehand.Problem) []chargehand.Problem // finds problems of a team in its file; nil leaves them
	LoadPlan func(path string, checks ...func(*chargehand.Plan) []chargehand.Problem) (*chargehand.Plan, error)
	Lint     func(*chargehand.Team) []chargehand.Problem // beyond what Team.Check finds
	Scaffold func(dir string) ([]string, error)
	Schema   func() ([]byte, error) // JSON Schema of a team file

	Demo Demo
}

// Ready is a team that comes with the program.
type Ready struct {
	Team      chargehand.Team
	Objective func(docs []chargehand.Document) chargehand.Objective
	Documents bool                                   // it needs at least one
	Check     func(docs []chargehand.Document) error // refuses documents that it cannot work on; nil takes all
	Summary   string                                 // one line of what it does
	File      string                                 // that declares it; empty where it comes with the program
	Tenants   []string                               // that may run it; empty means everyone

	// WithModels is the team with language models, beside its own workers or instead of them. Nil:
	// the team's declaration says who works.
	WithModels func(m chargehand.Models, alone bool) chargehand.Team
}

// Owned is an engine in this process.
type Owned interface {
	chargehand.Engine
	Done() <-chan struct{} // closed when the engine has stopped, by Close or because its journal can no longer be written
	Close() error          // says why it stopped
}

// A Taking says how a data folder is taken. The zero Taking supervises its runs.
type Taking struct {
	Hold  bool // only decide and control; call no worker
	Force bool // go on with runs although workers have other versions now

	Anchor         string // where checkpoints are kept too; empty: nowhere else
	Witness        local.Witness
	AcceptRollback bool // go on although the journal is not what its checkpoints say
	AcceptNewKey   bool // go on although the key that signed them is not to be had
}

// Looked is a data folder that is only read.
type Looked interface {
	chargehand.Reader
	Close() error
}

// An app is one invocation.
type app struct {
	Parts
	io    IO
	flags flags
	jq    *query // of --jq; nil where it was not given
}

// flags are those that every command has.
type flags struct {
	data     string
	registry string
	anchor   string
	witness  struct{ url, key string }
	accept   struct{ rollback, newKey bool }
	progress string
	color    string
	ascii    bool
	noInput  bool
	yes      bool
	debug    bool
}

// Main runs the command that args name and returns the code to exit with.
func Main(streams IO, parts Parts, args []string) int {
	a := &app{Parts: parts, io: streams}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	err := root.ExecuteContext(context.Background())
	if lost := a.letGo(); err == nil {
		err = lost
	}
	a.complain(err)
	return int(exit.OfError(err))
}

// letGo ends what the command's agents have started, whichever way the command ended: every engine
// that they worked for is closed by now. Signals wait for it, a few seconds at most.
func (a *app) letGo() error {
	c, ok := a.Agents.(io.Closer)
	if !ok {
		return nil
	}
	defer onSignal(func(os.Signal) {})()
	return c.Close()
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "chargehand",
		Short: "Supervise teams of workers: plan, hand out, check, correct, put together",
		Long: "Chargehand plans a piece of work, hands its parts to workers, checks every answer, tries again\n" +
			"or asks a person where one is not good enough, and says what is missing from the result.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          showHelp,
	}
	root.SuggestionsMinimumDistance = 2
	f := root.PersistentFlags()
	f.StringVar(&a.flags.data, "data", "", "data folder (default $CHARGEHAND_DATA_DIR, then the user's data folder)")
	f.StringVar(&a.flags.registry, "registry", "", "folder of team files, which commands then know by name (default $CHARGEHAND_REGISTRY, then the folder registry if there is one)")
	f.StringVar(&a.flags.anchor, "anchor", "", "folder outside the data folder for signed checkpoints (default $CHARGEHAND_ANCHOR, then the user's state folder, but none with --data)")
	f.BoolVar(&a.flags.accept.rollback, "accept-rollback", false, "go on although the journal is not what its checkpoints say; it is put on record")
	f.BoolVar(&a.flags.accept.newKey, "accept-new-key", false, "go on although the key that signed the checkpoints is not there; it is put on record")
	f.StringVar(&a.flags.witness.url, "witness", "", "address of a witness that signs checkpoints too (default $CHARGEHAND_WITNESS, then none)")
	f.StringVar(&a.flags.witness.key, "witness-key", "", "its public key, or a file with it (default $CHARGEHAND_WITNESS_KEY)")
	for _, rare := range []string{"accept-rollback", "accept-new-key"} {
		f.Lookup(rare).Hidden = true // the error that asks for one names it
	}
	f.StringVar(&a.flags.progress, "progress", "", "how to show progress: auto, tty, plain, jsonl or quiet (default $CHARGEHAND_PROGRESS, then auto)")
	f.StringVar(&a.flags.color, "color", "auto", "colours: auto, always or never")
	f.BoolVar(&a.flags.ascii, "ascii", false, "show ASCII only")
	f.BoolVar(&a.flags.noInput, "no-input", false, "never ask and never wait for a person")
	f.BoolVarP(&a.flags.yes, "yes", "y", false, "answer yes where a command asks whether to go on")
	f.BoolVar(&a.flags.debug, "debug", false, "show the chain of causes of an error")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return misused(c, err) })
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return a.flags.check() }
	root.AddCommand(
		a.demoCommand(), a.initCommand(), a.runCommand(), a.runsCommand(), a.reviewCommand(), a.planCommand(),
		a.policyCommand(), a.workersCommand(), a.toolsCommand(), a.registryCommand(), a.auditCommand(), a.witnessCommand(), a.simCommand(), a.doctorCommand(),
		a.serveCommand(), a.schemaCommand(), a.versionCommand(), exitCodesTopic(),
	)
	exemplify(root)
	choices(root, "progress", progressModes...)
	choices(root, "color", colorModes...)
	a.complete(root)
	return root
}

func (f *flags) check() error {
	if err := oneOf("--color", f.color, colorModes...); err != nil {
		return err
	}
	if f.progress == "" {
		return nil
	}
	return oneOf("--progress", f.progress, progressModes...)
}

var (
	colorModes    = []string{"auto", "always", "never"}
	progressModes = []string{"auto", "tty", "plain", "jsonl", "quiet"}
)

// group is a command that only has commands below it.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: unknownCommand, RunE: showHelp, SuggestionsMinimumDistance: 2}
	c.AddCommand(children...)
	return c
}

func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// ctx is the context of a command that a signal may end.
func (a *app) ctx(c *cobra.Command) (context.Context, context.CancelFunc) {
	return untilSignal(c.Context())
}

// untilSignal is ctx until a signal comes.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := onSignal(func(sig os.Signal) { cancel(signalled(sig)) })
	return ctx, func() { stop(); cancel(nil) }
}

// cause is why a context ended, where that is why a command did.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); err != nil && c != nil && errors.Is(err, context.Canceled) {
		return c
	}
	return err
}
