package lexical

// Words of liability, shared by the two categories about it.
var (
	strictly   = set("liable, liability")
	notLiable  = set("no event, not be liable, no liability, neither party, not liable, no party, event shall, not have liability, not have any liability, no circumstance, nor be liable, not be responsible, neither, no case, under no, no responsibility")
	remote     = set("consequential, indirect, incidental, punitive, exemplary, special, lose profit, loss of profit, loss profit, lost profit, loss of business, loss of revenue, lost revenue, prospective profit, anticipate profit, loss of use, loss of data, business interruption, loss of goodwill")
	damage     = set("damage, loss, profit, cost, expense, compensation, expenditure")
	waive      = set("waive, disclaim, release, forego, exclude, limit")
	exceed     = set("exceed, in excess of, be limit to, is limit to, are limit to, limit solely to, expressly limit to, limit exclusively to, no more than, maximum, cap at, up to, not be great than, not be greater than, greater of, lesser of, sole liability, not be more than, confine to")
	total      = set("aggregate, total, cumulative, maximum, entire, overall")
	sum        = set("amount, sum, fee, price, payment, dollar, receive, pay, percent, cost, value, royalty, remuneration, month, us, usd, eur, consideration, compensation, charge, refund")
	limitation = set("limitation of liability, limit of liability, limitation on liability, liability limitation, disclaimer of consequential, consequential damage, limitation of damage, exclusion of damage, limited liability, limit liability, liability, limitation of remedy, limitation")
)

// capOnLiability looks for a ceiling on recovery, kinds of damage nobody owes, and a time after
// which no claim may be brought.
func capOnLiability() *model {
	var (
		action  = set("action, claim, suit, proceeding, cause of action, lawsuit, arbitration")
		bring   = set("bring, commence, file, assert, institute, maintain, initiate, make, waive, bar, present")
		time    = set("year, month, day")
		since   = set("after, follow, within, later than, more than, from the date, unless")
		accrue  = set("accrue, cause of action, arise, aris, occur, occurrence, event give rise, discover, discovery, aware, knowledge of, action accrue")
		remedy  = set("sole remedy, exclusive remedy, sole and exclusive remedy, only remedy, exclusive liability, sole obligation, entire liability, sole and exclusive liability, sole liability, entire obligation")
		ceiling = set("cumulative maximum, aggregate maximum, maximum amount, maximum aggregate, maximum total, maximum cumulative")
		borne   = set("liable, liability, responsible, recover, recovery")
		payable = set("payable, owe, amount, pay")
		unowed  = set("not be entitle, not recover, no right to recover, not entitle, not be recoverable, nor be entitle, not seek")
		refund  = set("replace, replacement, refund, repair, credit, return, purchase price, terminate, infringement")
		direct  = set("other than direct, only direct, direct damage, actual damage, only for actual, actual and direct")
		insured = set("insurance, policy, coverage, premium, insured, insure")
		indem   = set("indemnify, hold harmless, indemnification")
		carve   = set("nothing in this, not apply, not limit, shall not be limit, no limitation")
		late    = set("terminate, expiration, termination, non renewal, nonrenewal")
	)
	return &model{
		category: "Cap on Liability",
		topic:    "liability or damages",
		lacking:  "no ceiling, excluded damages or time limit for claims near the word",
		anchors:  anchors("liab*, damages, cause of action, sole remedy, exclusive remedy, not exceed, responsible for, claim*, amount payable, waive*, maximum, obligation, indemnif*"),
		answer:   yesNo,
		bias:     -4,
		cues: []cue{
			{2, all(has(notLiable), near(strictly, damage, 40))},
			{2.5, all(has(remote), has(damage), either(has(notLiable), has(waive)))},
			{1, near(remote, damage, 14)},
			{1, all(has(waive), near(remote, damage, 14), not(has(notLiable)))},
			{1, near(strictly, remote, 60)},
			{3, near(strictly, exceed, 30)},
			{2, all(has(strictly), seq(exceed, sum, 14))},
			{1, near(total, strictly, 8)},
			{1.5, under(limitation)},
			{4.2, all(chain(bring, since, accrue, 14), has(action), has(time))},
			{2, all(has(action), near(accrue, time, 14), has(negation), near(bring, action, 8))},
			{2.5, all(has(strictly), has(direct), has(negation))},
			{4.2, all(has(remedy), has(refund))},
			{1, follows},
			{2.5, all(follows, has(total))},
			{4.2, all(has(indem), near(exceed, sum, 12))},
			{4.2, all(has(notLiable), chain(total, payable, exceed, 12))},
			{3.2, near(unowed, remote, 12)},
			{5, near(ceiling, borne, 14)},
			{-3, all(has(insured), not(has(notLiable)), not(has(remote)))},
			{-2, all(has(indem), not(has(remote)), not(has(exceed)))},
			{-2, all(has(carve), not(has(remote)), not(has(exceed)))},
			{1.5, all(near(notLiable, late, 40), near(notLiable, strictly, 20))},
			{-2, has(definer)},
		},
	}
}

// uncappedLiability looks for what a limit of liability leaves out.
func uncappedLiability() *model {
	var (
		grave   = set("gross negligence, wilful misconduct, willful misconduct, fraud, indemnification, indemnify, indemnity, confidentiality, confidential, infringement, death, bodily injury, personal injury, intentional, wilful, willful, breach of section, breach of its obligation, breach of article, misappropriation, indemnification obligation, section, misconduct, article, paragraph, breach of confidentiality, obligation under")
		carve   = set("except, other than, not apply, exclude, with the exception, excluding, save, shall not limit, not be limit, not limit, exclusive of, notwithstanding, nothing, no limitation, in no way limit")
		limits  = set("limitation, limit, exclusion, foregoing, liability, liable, section, cap")
		nothing = set("nothing in, nothing contain, nothing herein, not limit or exclude, not exclude or limit, shall exclude, not be limit, not apply, shall limit, unlimited, without limit, not limit")
		remoteX = set("consequential, punitive, exemplary")
		full    = set("unlimited, without limit, full liability, fully liable, no limit, uncapped")
		capped  = set("limitation of liability, limitation and exclusion, limit liability, limitation, limitation on liability")
		policy  = set("insurance, policy, coverage")
	)
	return &model{
		category: "Uncapped Liability",
		topic:    "liability",
		lacking:  "no kind of breach is left out of a limit",
		anchors:  anchors("liab*, limitation*, unlimited, not limit, not apply, damages"),
		answer:   yesNo,
		bias:     -5,
		cues: []cue{
			{3, all(near(carve, grave, 14), has(strictly), either(near(strictly, exceed, 30), all(has(notLiable), has(remoteX))))},
			{2, near(carve, grave, 10)},
			{1.5, all(has(strictly), has(notLiable), has(remoteX))},
			{2.5, near(nothing, limits, 10)},
			{1.5, either(under(limitation), has(capped))},
			{1, near(strictly, grave, 20)},
			{3, near(full, strictly, 8)},
			{-2, has(policy)},
			{-2.5, not(has(grave))},
			{-2, not(has(carve))},
			{-2, not(either(has(strictly), under(limitation), has(capped)))},
		},
	}
}
