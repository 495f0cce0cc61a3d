package lexical

// changeOfControl looks for what follows when a party is sold: a right to leave, a consent, a
// notice, or an assignment by fiction.
func changeOfControl() *model {
	var (
		change   = set("change of control, change in control, change in effective control, change in ownership, change of ownership, control of either party, effective control, change of effective control, control interest, controlling interest, change in the control, ownership change")
		sale     = set("merger, merge, consolidation, consolidate, reorganization, substantially all, sale of stock, voting stock, acquire, acquisition, stock sale, sale of all, voting security, voting capital, voting share, majority of, amalgamation, takeover")
		end      = set("terminate, termination, cease, cancel")
		right    = set("may, right, shall, option, upon, entitle, event, automatically, require")
		consent  = set("consent, approval, notify, notice, approve")
		deemed   = set("deem, constitute, consider, shall be an assignment, include, regard, treat as")
		assign   = set("assignment, assign, transfer")
		law      = set("operation of law, by merger, change of control, change in control")
		barred   = set("may not, shall not, will not, neither party, not be assign, nor, no party")
		free     = set("without consent, without such consent, without the consent, without the prior, may assign, not require, no consent, except, may freely, except that, without prior, provided that")
		undeemed = set("not")
		relief   = set("except, provided, however, notwithstanding, unless, but")
		name     = set("mean, definition, shall mean")
		title    = set("change of control, change in control, assignment, termination, merger")
		entire   = set("entire agreement, entire understanding, supersede, merge into, merged")
		affil    = set("affiliate mean, under common control, control by, affiliate")
		receiver = set("insolvent, bankruptcy, creditor, receiver, liquidation")
	)
	return &model{
		category: "Change of Control",
		topic:    "a sale, merger or change of control",
		lacking:  "no termination, consent or notice follows from it",
		anchors:  anchors("change of control, change in control, in control, control of, controlling interest, merge*, consolidat*, substantially all, acquisition of, voting, change of ownership, change in ownership, operation of law"),
		answer:   yesNo,
		bias:     -5,
		cues: []cue{
			{3, has(change)},
			{1.5, has(sale)},
			{2, all(has(change), has(right), either(has(end), has(consent)))},
			{3.5, all(has(sale), near(end, right, 10))},
			{3.5, all(either(has(sale), has(change)), near(deemed, assign, 10))},
			{-3, near(undeemed, deemed, 4)},
			{1.5, all(has(law), has(barred), has(assign), has(consent))},
			{1.5, all(has(sale), has(barred), has(consent))},
			{3, clean(barred, sale, relief, 25)},
			{0.5, under(title)},
			{-2, has(name)},
			{-2.5, all(has(free), not(has(change)))},
			{-4, has(entire)},
			{-1, all(has(affil), not(has(change)))},
			{-0.5, all(has(receiver), not(has(change)))},
		},
	}
}
