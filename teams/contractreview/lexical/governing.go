package lexical

// governingLaw looks for the law that rules the contract, not for laws to be obeyed or laws a
// company exists under.
func governingLaw() *model {
	var (
		law      = set("law, legislation, statute")
		govern   = set("govern, governed, govern by, subject to and construed")
		construe = set("construe, interpret, enforce, interpretation, construction, accordance, validity, resolve, determine")
		lawOf    = set("law of, law in, law and regulation of, law and decision of, law state of, law rule of, law and statute of")
		apply    = set("apply, subject to, control")
		conflict = set("conflict of law, conflicts of law, choice of law, conflict of laws, conflict law, conflict or choice, conflict rule")
		title    = set("govern law, applicable law, choice of law, law, jurisdiction, governing")
		instead  = set("this agreement, agreement, contract, dispute, party, provision, right and obligation, question, matter")
		exist    = set("organize, exist, incorporate, existence, incorporation, corporation organize, duly organize, form under, establish under, resident")
		obey     = set("comply, compliance, violate, violation, violation of, require by, permit by, applicable law and regulation, pursuant to applicable, security law, export, tax law, bankruptcy law")
		court    = set("arbitration rule, rule of arbitration, court")
	)
	return &model{
		category: "Governing Law",
		topic:    "law",
		lacking:  "it does not say which law governs the agreement",
		anchors:  anchors("govern*, construed, interpreted, law, laws"),
		answer:   place,
		bias:     -5,
		cues: []cue{
			{3, near(govern, law, 25)},
			{2, near(construe, law, 20)},
			{2.5, namesLaw},
			{2, near(apply, law, 8)},
			{1, has(lawOf)},
			{1, either(near(instead, govern, 30), near(instead, apply, 12))},
			{1, has(conflict)},
			{1.5, under(title)},
			{0.5, early(instead, 8)},
			{-3, near(exist, law, 10)},
			{-2.5, near(obey, law, 10)},
			{-1, all(has(court), not(has(govern)))},
			{-4, not(has(law))},
		},
	}
}

// namesLaw: a place of the gazetteer stands by the word law.
func namesLaw(v *view) bool { return byLaw(v.s.words) != "" }
