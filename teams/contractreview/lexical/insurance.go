package lexical

// insurance looks for cover that a party must keep, and for the terms of that cover; not for the
// insurance business or employees' benefits.
func insurance() *model {
	var (
		insure   = set("insurance, insure, insured, insurer, self insure, reinsurance")
		cover    = set("policy, coverage, certificate, premium, additional insured, deductible, underwriter, carrier, endorsement")
		keep     = set("maintain, carry, obtain, procure, keep, provide, purchase, secure, effect, take out, furnish, have, cover, arrange")
		kind     = set("general liability, product liability, liability insurance, commercial general, workers compensation, worker compensation, workmen compensation, workers' compensation, automobile, umbrella, professional liability, error and omission, property insurance, fire, excess liability, casualty, public liability, comprehensive, employer liability, cargo, motor vehicle, malpractice, cyber, all risk")
		limit    = set("per occurrence, each occurrence, aggregate, not less than, minimum, combine single limit, limit, million, at least, occurrence")
		naming   = set("additional insured, name insured, additionally insured, loss payee, named as, add as, name as an, name as")
		proof    = set("certificate of insurance, certificate, evidence, proof, copy of, endorsement, best rating, a.m")
		cancel   = set("cancel, cancellation, non renewal, reduction, material change, primary, waiver of subrogation, subrogation, contributory, lapse, expire, modify, noncontributory")
		title    = set("insurance, coverage, insure")
		benefits = set("health insurance, life insurance, medical insurance, disability insurance, dental, benefit plan, unemployment insurance, employee benefit, social security, unemployment, fringe, vacation, medical, pension")
		business = set("insurance product, insurance company law, insurance agent, insurance commissioner, insurance business, insurance license, title insurance, policyholder, insurance contract, insurance regulator, insurance department, reinsure, insurance proceeds, insurance agency, deposit insurance, insurance law, variable insurance, insurance policy sell")
		force    = set("force majeure, act of god, strike, war")
		price    = set("freight, shipping, duty, custom, price, tax, net sale, deduct, cif, cip")
		ensured  = set("indemnify, indemnification, hold harmless")
	)
	return &model{
		category: "Insurance",
		topic:    "insurance",
		lacking:  "no party has to keep cover",
		anchors:  anchors("insur*, coverage*, per occurrence, policies"),
		answer:   yesNo,
		bias:     -4,
		cues: []cue{
			{1, has(insure)},
			{2.5, all(near(keep, insure, 16), has(modal))},
			{2, all(has(insure), has(kind))},
			{3, all(near(keep, cover, 20), has(kind), has(modal))},
			{1, near(insure, cover, 12)},
			{1.5, all(has(limit), either(has(insure), has(cover)))},
			{2, has(naming)},
			{2, all(has(insure), has(proof))},
			{2, all(has(cancel), either(has(insure), has(cover)))},
			{3, under(title)},
			{1.5, follows},
			{-3, has(benefits)},
			{-3.5, has(business)},
			{-3, has(force)},
			{-2, all(has(price), not(has(kind)), not(has(naming)))},
			{-1.5, all(has(ensured), not(near(keep, insure, 16)))},
			{-2, has(definer)},
		},
	}
}
