package cli

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand/internal/cli/progress"
	"github.com/chargehand/chargehand/internal/cli/term"
)

const (
	completionPatience = time.Second // a shell that waits longer seems to hang
	completionLimit    = 30          // runs that are proposals
	descriptionWidth   = 60
	ordered            = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
)

// A completer offers words for an argument, as its description follows a tab. It only reads, asks
// nothing and keeps errors to itself: the shell shows words or none. given are the arguments before it.
type completer func(a *app, c *cobra.Command, given []string, begun string) (proposals, cobra.ShellCompDirective)

// completers are by the word that stands for an argument in a command's usage. Words that are not
// here name files.
var completers = map[string]completer{
	"RUN":            completeRuns,
	"REVIEW":         completeReviews,
	"WORKER":         completeWorkers,
	"TEAM|TEAM.yaml": completeTeams,
	"TEAM.yaml":      completeTeamFiles,
	"FOLDER":         completeFolders,

	"RUN|PACK.zip|FOLDER": completeRunsAndFiles,
}

// complete makes every command below c offer words for its arguments and flags.
func (a *app) complete(c *cobra.Command) {
	if c.Runnable() {
		c.ValidArgsFunction = a.argument(placeholders(c))
	}
	for flag, offer := range map[string]completer{"subtask": completeSubtasks, "team": completeTeams} {
		a.completeFlag(c, flag, offer)
	}
	for _, sub := range c.Commands() {
		a.complete(sub)
	}
}

// argument offers words for the argument that follows those given; of the last one, where it repeats,
// as often as it is wanted.
func (a *app) argument(words []string) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(words) == 0 {
			return nil, ordered
		}
		last := words[len(words)-1]
		if len(given) >= len(words) && !strings.HasSuffix(last, "...") {
			return nil, ordered
		}
		offer := completers[strings.TrimSuffix(words[min(len(given), len(words)-1)], "...")]
		if offer == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return offer.call(a, c, given, begun)
	}
}

func (a *app) completeFlag(c *cobra.Command, flag string, offer completer) {
	if c.LocalFlags().Lookup(flag) == nil {
		return
	}
	must(c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
		return offer.call(a, c, given, begun)
	}))
}

// call offers the words that go on from what is begun.
func (offer completer) call(a *app, c *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
	words, how := offer(a, c, given, begun)
	if how == cobra.ShellCompDirectiveFilterFileExt {
		return words, how
	}
	return slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, begun) }), how
}

// choices makes a flag offer its values.
func choices(c *cobra.Command, flag string, values ...string) {
	must(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

func must(err error) {
	if err != nil {
		panic("cli: " + err.Error())
	}
}

// placeholders are the words that stand for a command's arguments in its usage.
func placeholders(c *cobra.Command) []string {
	words := strings.Fields(strings.ReplaceAll(c.Use, " | ", "|"))[1:]
	for i, w := range words {
		words[i] = strings.TrimSuffix(strings.Trim(w, "[]"), "|-")
	}
	return words
}

// peek looks at the data folder for words, where there is one. It owns nothing and makes nothing.
func (a *app) peek(c *cobra.Command, do func(context.Context, *session)) {
	dir, err := a.dataDir()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(c.Context(), completionPatience)
	defer cancel()
	if s, err := a.glance(ctx, dir); err == nil {
		do(ctx, s)
		_ = s.close()
	}
}

func completeRuns(a *app, c *cobra.Command, given []string, _ string) (words proposals, _ cobra.ShellCompDirective) {
	a.peek(c, func(ctx context.Context, s *session) {
		runs, _ := s.list(ctx, listForm{states: controllable[c.Name()], limit: completionLimit})
		for i := range runs {
			r := &runs[i]
			if slices.Contains(given, r.RunID) {
				continue
			}
			words.add(r.RunID, r.Title, r.sign.Label, term.Span(time.Since(r.StartedAt))+" ago")
		}
	})
	return words, ordered
}

func completeRunsAndFiles(a *app, c *cobra.Command, given []string, begun string) (proposals, cobra.ShellCompDirective) {
	words, _ := completeRuns(a, c, given, begun)
	return words, cobra.ShellCompDirectiveKeepOrder
}

// controllable are the states of the runs that a command is for; of a command that is not here, all.
var controllable = map[string][]string{
	"pause":  {"pending", "running"},
	"resume": {"pending", "running", "paused"},
	"cancel": {"pending", "running", "paused", "human_control"},
}

func completeReviews(a *app, c *cobra.Command, _ []string, _ string) (words proposals, _ cobra.ShellCompDirective) {
	a.peek(c, func(ctx context.Context, s *session) {
		reviews, _ := s.Reviews(ctx)
		for i := range reviews {
			r := &reviews[i]
			words.add(r.ID, "due in "+term.Span(time.Until(r.Due())), r.Description)
		}
	})
	return words, ordered
}

// completeSubtasks offers those of the run that the command is about.
func completeSubtasks(a *app, c *cobra.Command, given []string, _ string) (words proposals, _ cobra.ShellCompDirective) {
	if len(given) == 0 {
		return nil, ordered
	}
	a.peek(c, func(ctx context.Context, s *session) {
		v, err := find(ctx, s, given[0])
		if err != nil {
			return
		}
		for _, row := range v.Rows {
			label := row.Label
			if label == row.ID {
				label = ""
			}
			words.add(row.ID, label, progress.RowSign(v, row, !s.supervised).Label)
		}
	})
	return words, ordered
}

// completeWorkers offers those of the team that the command names, or else of the data folder's fleet.
func completeWorkers(a *app, c *cobra.Command, given []string, _ string) (words proposals, _ cobra.ShellCompDirective) {
	team := ""
	if f := c.Flags().Lookup("team"); f != nil {
		team = f.Value.String()
	} else if len(given) > 0 {
		team = given[0]
	}
	if team != "" {
		r, err := a.team(team)
		if err != nil {
			return nil, ordered
		}
		for i := range r.Team.Workers {
			w := &r.Team.Workers[i]
			words.add(w.WorkerID, kind(w), strings.Join(w.Capabilities, " "))
		}
		return words, ordered
	}
	a.peek(c, func(ctx context.Context, s *session) {
		workers, _ := s.Fleet(ctx)
		for i := range workers {
			w := &workers[i]
			words.add(w.Worker, health(w), term.Count(int(w.Calls), "call"))
		}
	})
	return words, ordered
}

// completeTeams offers the ready-made teams and the team files at hand; for others the shell offers files.
func completeTeams(a *app, _ *cobra.Command, _ []string, begun string) (proposals, cobra.ShellCompDirective) {
	var words proposals
	for _, name := range slices.Sorted(maps.Keys(a.Teams)) {
		words.add(name, a.Teams[name].Summary)
	}
	for _, file := range teamFiles(begun) {
		words.add(file)
	}
	return words, cobra.ShellCompDirectiveKeepOrder
}

// teamFiles are the files named as teams are, in the folder of what is begun and one below.
func teamFiles(begun string) []string {
	var found []string
	folder, _ := filepath.Split(begun)
	files := os.DirFS(cmp.Or(folder, "."))
	for _, pattern := range []string{"*.yaml", "*.yml", "*/team.yaml"} {
		names, _ := fs.Glob(files, pattern)
		for _, name := range names {
			if info, err := fs.Stat(files, name); err == nil && info.Mode().IsRegular() {
				found = append(found, folder+name)
			}
		}
	}
	return found
}

func completeTeamFiles(*app, *cobra.Command, []string, string) (proposals, cobra.ShellCompDirective) {
	return proposals{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

func completeFolders(*app, *cobra.Command, []string, string) (proposals, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// An proposals is words for a shell.
type proposals []string

// add offers a word, and what it stands for on a line. A word that could not be typed as it is shown is left out.
func (p *proposals) add(word string, about ...string) {
	if term.Line(word) != word || strings.ContainsAny(word, " \t") {
		return
	}
	about = slices.DeleteFunc(about, func(s string) bool { return s == "" })
	if len(about) > 0 {
		word += "\t" + term.Clip(term.Line(strings.Join(about, ", ")), descriptionWidth, false)
	}
	*p = append(*p, word)
}
