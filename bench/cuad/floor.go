package main

import (
	"errors"
	"fmt"
)

// A floor is the least that is promised of a category, over all 40 contracts and with the gate.
type floor struct {
	category       string
	contract, span rate // F1 is not looked at
}

// floors are promises: a change may raise them and must not break them.
var floors = []floor{
	{"Governing Law", promised, promised},
	{"Anti-Assignment", promised, promised},
	{"Cap on Liability", promised, promised},
	{"License Grant", promised, promised},
	{"Insurance", promised, promised},
}

var promised = rate{Precision: 0.90, Recall: 0.85}

// allContracts is how many contracts the floors are about.
const allContracts = 40

// belowFloor lists every broken promise, nil when there is none.
func (r report) belowFloor() error {
	if r.Contracts != allContracts {
		return fmt.Errorf("the floors are about %d contracts; %d were read", allContracts, r.Contracts)
	}
	var broken []error
	for _, f := range floors {
		for _, l := range r.With.Categories {
			if l.Category == f.category {
				broken = append(broken, below(l.Category, "contracts", l.Contract, f.contract),
					below(l.Category, "quotes", l.Span, f.span))
			}
		}
	}
	return errors.Join(broken...)
}

func below(category, level string, got, least rate) error {
	if got.Precision >= least.Precision && got.Recall >= least.Recall {
		return nil
	}
	return fmt.Errorf("%s, %s: precision %.3f and recall %.3f, promised %.2f and %.2f", category, level,
		got.Precision, got.Recall, least.Precision, least.Recall)
}
