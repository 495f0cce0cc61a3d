package main

import (
	"bufio"
	"fmt"
	"io"
)

// print writes r for people, at most 120 columns wide but for the misses, which come last, one line
// each.
func (r report) print(out io.Writer, misses bool) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%d contracts. With the gate %.1f s, all runs at once; without %.1f s, one call after the other.\n\n",
		r.Contracts, float64(r.SupervisedMS)/1000, float64(r.PlainMS)/1000)
	r.printCategories(w)
	r.printSecond(w)
	if misses {
		r.printMisses(w)
	}
	return w.Flush()
}

func (r report) printCategories(w io.Writer) {
	fmt.Fprintf(w, "%-34s | %-38s | %-38s |\n", "", "with the gate", "without: the workers' first words")
	fmt.Fprintf(w, "%-34s | %-11s | %-11s | %-7s  | %-11s | %-11s | %-7s  |\n", "category",
		"quotes", "contracts", "answers", "quotes", "contracts", "answers")
	fmt.Fprintf(w, "%-34s | %-5s %-5s | %-5s %-5s | %-8s | %-5s %-5s | %-5s %-5s | %-8s |\n", "",
		"P", "R", "P", "R", "right", "P", "R", "P", "R", "right")
	for i, l := range r.With.Categories {
		fmt.Fprintf(w, "%-34s | %s | %s |\n", l.Category, l, r.Without.Categories[i])
	}
	name := fmt.Sprintf("macro of %d with %d contracts up", r.With.Averaged, fewest)
	fmt.Fprintf(w, "%-34s | %s | %s |\n", name, r.With, r.Without)
}

// String is "span P R | contract P R | right answers".
func (l line) String() string { return cells(l.Span, l.Contract, l.RightAnswers, l.Answers) }

// String is the same for the averages.
func (f figures) String() string {
	return cells(f.MacroSpan, f.MacroContract, f.RightAnswers, f.Answers)
}

func cells(span, contract rate, right, answers int) string {
	return fmt.Sprintf("%s | %s | %-8s", span, contract, fmt.Sprintf("%d/%d", right, answers))
}

func (r rate) String() string { return fmt.Sprintf("%-5.2f %-5.2f", r.Precision, r.Recall) }

func (r report) printSecond(w io.Writer) {
	fmt.Fprintf(w, "\nThe second reader alone, and errors of the two by contract: presence or answer\n"+
		"told wrongly. Told are the conflicts that the runs record, exposed those where the first reader is wrong.\n\n")
	fmt.Fprintf(w, "%-34s | %-11s | %-11s | %-8s | %-5s | %-5s %-6s %-4s | %-5s %-7s |\n", "category",
		"quotes P R", "contr. P R", "answers", "phi", "first", "second", "both", "told", "exposed")
	var sum correlation
	for i, l := range r.Second.Categories {
		c := r.Correlations[i]
		phi := "-"
		if c.Phi != nil {
			phi = fmt.Sprintf("%.2f", *c.Phi)
		}
		fmt.Fprintf(w, "%-34s | %s | %-5s | %s |\n", l.Category, l, phi, c)
		sum.First, sum.Second, sum.Both = sum.First+c.First, sum.Second+c.Second, sum.Both+c.Both
		sum.Conflicts, sum.Exposed = sum.Conflicts+c.Conflicts, sum.Exposed+c.Exposed
	}
	fmt.Fprintf(w, "%-34s | %s | %-5s | %s |\n", "macro and sums", r.Second, "", sum)
	fmt.Fprintf(w, "\nThe recorded conflicts expose %d of the first reader's %d errors in these categories.\n", sum.Exposed, sum.First)
}

// String is "first second both | conflicts told, first errors exposed".
func (c correlation) String() string {
	return fmt.Sprintf("%-5d %-6d %-4d | %-5d %-7d", c.First, c.Second, c.Both, c.Conflicts, c.Exposed)
}

func (r report) printMisses(w io.Writer) {
	fmt.Fprintf(w, "\n%d misses with the gate:\n", len(r.Misses))
	for _, m := range r.Misses {
		if m.Annotated != "" {
			fmt.Fprintf(w, "not found | %s | %s | %s\n", m.Category, m.File, m.Annotated)
		} else {
			fmt.Fprintf(w, "no clause | %s | %s | %s\n", m.Category, m.File, m.Quoted)
		}
	}
}
