package lexical

// licenseGrant looks for a party giving its counterparty a licence or a right to use something of
// its own; not for denials, stock or security interests.
func licenseGrant() *model {
	var (
		grant    = set("grant, is granted, are granted, be granted, hereby granted, agree to license, hereby license, is license to, is hereby license, is hereunder license, license to licensee, give, convey")
		license  = set("license, sublicense, right, privilege, permission")
		strictly = set("license, sublicense, licensing right")
		scope    = set("non exclusive, nonexclusive, exclusive, unlimited, royalty free, worldwide, perpetual, irrevocable, limited, nontransferable, non transferable, transferable, sublicensable, revocable, fully pay, pay up, non assignable")
		use      = set("use, distribute, reproduce, market, sell, display, exhibit, publish, make, manufacture, copy, modify, perform, promote, exploit, practice, access, transmit, import, commercialize, sublicense, develop, install, resell, advertise, broadcast, operate, create")
		thing    = set("mark, trademark, software, patent, content, technology, logo, name, intellectual property, know how, material, copyright, brand, documentation, data, likeness, image, title, program, service mark, trade name, invention")
		haveTo   = set("have the right, have a right, have the non exclusive right, have the nonexclusive right, have the exclusive right, have the limited right, have a license, have a non exclusive, have a nonexclusive, with the right to use, and the right to use, have the sole right, have permission, have the sole and exclusive right, have a limited")
		hereby   = set("hereby grant, hereby license, shall grant, agree to grant, is granted, is hereby granted, hereby granted, agree to license, will grant, also grant, hereby give, grant to, are granted, do grant, does hereby grant, grant and agree")
		allow    = set("hereby authorize, is hereby authorize, hereby permit, hereby consent to the use")
		deny     = set("no license, not to grant, not to license, no right, nothing, not grant, no other right, not expressly, not be construe, no express, not have the right, no other license, not a license, no implied, reserve, not hereby grant, no party, no title")
		nobody   = set("neither, no, nothing, nor")
		other    = set("security interest, reference, option to purchase, stock, share, consent, extension, refusal, waiver, relief, injunction, power of attorney, court, lien, audit, inspect, terminate, approval, first negotiation, bonus, equity, warrant, easement, claim, refund, credit, vacation, permit, authority, third party, another, other party, restrict stock, option")
		past     = set("license granted, right granted, granted hereunder, granted herein, granted in, granted by, granted under, granted pursuant, has granted, have granted, have been granted, previously granted, granted to, sublicense granted, license grant, right grant, foregoing grant, grant hereunder, above grant")
		recital  = set("whereas, desire, wish, recital, want")
		ifs      = set("if, in the event, upon, when, prior to, before")
		boss     = set("represent, warrant, acknowledge, indemnify, warranty, breach, infringe, terminate, termination, expiration, liability")
		title    = set("grant, license, license grant, grant of license, grant of right, trademark license, intellectual property, use of mark, right, trademark")
		appoint  = set("appoint, appointment, exclusive distributor")
		govt     = set("government, governmental, permit, authority, regulatory, authorization")
	)
	return &model{
		category: "License Grant",
		topic:    "a licence or the grant of a right",
		lacking:  "no party gives the other a right to use something of its own",
		anchors:  anchors("grant*, license to, licence to, licenses to, licences to, licensed to, right to use, right to, rights to, permission to use, hereby authoriz*"),
		answer:   yesNo,
		bias:     -5,
		cues: []cue{
			{2.5, near(grant, license, 25)},
			{1.5, near(grant, strictly, 25)},
			{1.5, has(hereby)},
			{1.5, all(has(grant), near(scope, license, 14))},
			{1.5, seq(license, use, 18)},
			{1, near(use, thing, 14)},
			{3.5, all(seq(haveTo, use, 8), near(use, thing, 10))},
			{1, early(grant, 7)},
			{4.5, all(has(allow), near(use, thing, 14))},
			{0.5, topped(title)},
			{-4, has(deny)},
			{-2, early(nobody, 6)},
			{-2, near(grant, other, 8)},
			{-1.5, near(license, other, 3)},
			{-2.5, all(has(past), not(has(hereby)))},
			{-4, all(has(recital), not(has(hereby)))},
			{-1.5, all(early(ifs, 3), not(has(hereby)))},
			{-2, early(boss, 8)},
			{-1, has(boss)},
			{-1.5, all(has(appoint), not(near(grant, strictly, 25)))},
			{-2, has(definer)},
			{-1, near(govt, strictly, 6)},
		},
	}
}
