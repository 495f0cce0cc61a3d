package lexical

// exclusivity looks for a party that may deal with one counterparty only, or is given what nobody
// else gets; not for exclusive courts, remedies or ownership.
func exclusivity() *model {
	var (
		exclusive = set("exclusive, exclusively, exclusivity, sole, solely, sole and exclusive")
		plain     = set("exclusive, exclusively, exclusivity")
		non       = set("exclusive of, non exclusive, nonexclusive, non exclusively, not exclusive, non sole")
		right     = set("right, license, distributor, supplier, provider, agent, basis, appoint, reseller, distribution, representative, sponsor, partner, vendor, manufacturer, territory, licensee, dealer, source, marketing, promotion, period")
		give      = set("grant, appoint, have the, hereby, give, shall be, designate, engage, retain, agree, purchase")
		barred    = set("shall not, will not, not to, may not, agree not, covenant not, not itself, nor shall, must not, nor will, covenant not, shall refrain")
		deal      = set("sell, license, purchase, distribute, grant, market, supply, appoint, engage, enter, provide, manufacture, promote, offer, authorize, permit, buy, contract, sponsor, endorse, negotiate, solicit, work, perform, represent, endorse, procure")
		trade     = set("sell, purchase, distribute, grant, market, supply, appoint, promote, offer, license, endorse, sponsor, buy, procure, manufacture, represent")
		buy       = set("purchase, buy, sell, market, supply, deal, distribute, use, obtain, source, procure, provide")
		only      = set("only distributor, only supplier, no other distributor, no other person shall, not to appoint, only authorized distributor, only reseller, no other reseller, only provider, only agent, no other supplier")
		paper     = set("agreement, govern, term sheet, contract")
		behalf    = set("on behalf of, in the name of, authority to, bind, third party beneficiary, confer, partnership, publicity, press release")
		others    = set("any third party who, any other, additional, other on line, anyone else, same or similar, except by, except through, other person, third party, anyone other, other than, any person, other entity, any entity, other party, other company, competitor, another, any competitive, other supplier")
		rivals    = set("any other, other than, another, anyone other, anyone else, competitor, competitive, other person, other entity, other party, other company, other supplier, except by, except through")
		consent   = set("consent, approval, permission")
		sole      = set("sole")
		needs     = set("all of its requirement, requirement for, entire requirement, all its requirement, exclusively from, solely from, only from, exclusively through, exclusively with, exclusively by, exclusively to, all requirement")
		court     = set("jurisdiction, venue, court, arbitration, forum")
		remedy    = set("remedy, property of, belong, vest, owner, ownership, own, not exclusive, discretion, cost, expense, responsibility, responsible, liability, exclusive of, purpose, property, cumulative, risk, control, judgment, option, obligation, benefit, title and interest, proprietary, determine")
		secret    = set("confidential, confidentiality, disclose, disclosure, assign, transfer, sublicense, warranty, indemnify, insurance")
		title     = set("exclusivity, exclusive, exclusive right, non compete, exclusive dealing, appointment, sole")
		recital   = set("whereas, desire, wish")
		topical   = set("relationship, subject, matter, question, topic, behalf")
		legal     = set("institute, infringement, legal action, defend, prosecute, enforce, control, decide, determine")
	)
	return &model{
		category: "Exclusivity",
		topic:    "exclusive or restricted dealing",
		lacking:  "nobody is bound to deal with one party only",
		anchors:  anchors("exclusiv*, sole, competitor*, competing, competitive, any other, third party, third parties, only distributor, no other, not to appoint, anyone other, another, all of its requirements, solely from, only from"),
		answer:   yesNo,
		bias:     -4,
		cues: []cue{
			{2.5, all(near(plain, right, 4), not(has(non)))},
			{1.5, near(give, plain, 8)},
			{2, all(near(exclusive, right, 6), has(give))},
			{2, chain(barred, trade, rivals, 12)},
			{-1, all(has(consent), not(has(plain)))},
			{2.5, chain(barred, deal, others, 16)},
			{2.5, near(plain, buy, 3)},
			{2.5, all(near(sole, right, 2), has(give))},
			{4, has(only)},
			{-5, seq(plain, paper, 3)},
			{-3, has(behalf)},
			{4.2, has(needs)},
			{2, topped(title)},
			{1, all(has(plain), not(has(non)))},
			{-3, has(non)},
			{-4, near(exclusive, court, 4)},
			{-3, near(exclusive, remedy, 4)},
			{-3, all(has(secret), not(has(plain)))},
			{-4, has(recital)},
			{-2.5, near(plain, legal, 8)},
			{-4, near(set("exclusively, solely"), topical, 4)}, // "deals exclusively with the subject", "exclusively on your behalf"
			{-2, has(definer)},
			{0.5, follows},
		},
	}
}
