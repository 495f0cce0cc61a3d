package lexical

// convenience looks for a way out that needs notice and no reason.
func convenience() *model {
	var (
		terminate = set("terminate, cancel, terminable, discontinue")
		end       = set("terminate, cancel, terminable, termination, cancellation, discontinue")
		contract  = set("this agreement, agreement, contract, arrangement, appointment, service, project, engagement, order, term")
		may       = set("may, right to, entitle to, can, option to, elect to, right and option, until terminate, unless terminate, unless early terminate, terminable, may be terminate, shall have the right")
		anyhow    = set("without cause, for convenience, for any reason, any or no reason, no reason, with or without cause, for its convenience, without reason, at will, convenience, without any reason, other than for cause, at its sole discretion, in its sole discretion, or without cause, any time without, at its discretion, at the discretion")
		anytime   = set("at any time, any time")
		notice    = set("notice, notification, write notice, day, day's")
		notify    = set("notice, notification")
		day       = set("day, month, days', week, calendar day")
		party     = set("either party, each party, both party, any party, party")
		fault     = set("breach, default, material, bankruptcy, insolvent, insolvency, fail, failure, violate, violation, cure, event of, remedy, bankrupt, non payment, nonpayment, liquidation, misconduct, force majeure, death, disability, cease, dissolve, if, in the event, infringement, regulatory, merger, change of control, control, illegal, delay")
		cured     = set("cure, remedy, breach, breaching, default")
		renew     = set("renewal, expiration of the initial, not to renew, nonrenewal, extend, successive, end of the initial, automatically")
		effect    = set("in the event that this agreement is terminate, upon termination, upon any termination, after termination, upon the termination, in the event of termination, follow termination, effect of termination, survive, event of any termination, upon expiration, prior to termination, date of termination")
		another   = set("or ii, or b, or 2, and ii, and b, ii, b immediately")
		title     = set("termination, term, term and termination, cancellation, convenience, termination for convenience, termination without cause")
		easy      = set("convenience, without cause")
	)
	return &model{
		category: "Termination for Convenience",
		topic:    "termination",
		lacking:  "no way to end the agreement by notice alone",
		anchors:  anchors("may terminate, terminated by, right to terminate, may be terminated, cancel*, without cause, convenience, terminable, terminate this, terminate the, until terminated, any reason, terminates this, be terminated, termination by"),
		answer:   yesNo,
		bias:     -5,
		cues: []cue{
			{2, near(terminate, contract, 12)},
			{1.5, near(may, end, 8)},
			{4, all(has(anyhow), has(end))},
			{1, near(anytime, end, 14)},
			{2, all(clean(terminate, notice, fault, 30), near(day, notice, 8))},
			{1, near(party, terminate, 6)},
			{1, topped(easy)},
			{0.5, under(title)},
			{3, all(clean(terminate, notice, fault, 30), near(day, notice, 8), clean(notify, another, fault, 6))},
			{-3, all(seq(fault, terminate, 80), not(has(anyhow)))},
			{-3, all(seq(terminate, fault, 80), not(has(anyhow)))},
			{-1, all(has(cured), not(has(anyhow)))},
			{-2.5, all(has(renew), not(has(anyhow)))},
			{-2.5, early(effect, 9)},
			{-1, has(effect)},
			{-2, has(definer)},
			{-0.5, not(has(notice))},
		},
	}
}
