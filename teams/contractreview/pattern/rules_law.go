package pattern

// Rules about whose law applies and who may rely on the contract.
var lawRules = []rule{
	{
		category: "Governing Law",
		triggers: []string{
			`\bgovern(s|ed|ing)?\b`,
			`\blaws?\b`,
		},
		accept: []test{
			{need: `\bgoverned\b[^;]{0,160}\blaws?\b[^;]{0,40}\b(?:of|in|for)\b`},
			{need: `\bgoverned\b[^;]{0,60}\b[a-z]+ law\b`},
			{need: `\b(?:agreement|contract|hereof|hereto|hereunder|same)\b[^;]{0,160}\b(?:construed|interpreted|enforced|determined|decided|subject to|construction)\b[^;]{0,120}\blaws?\b(?:,? [a-z]+){0,4} (?:of|in force in) (?:the )?(?:[a-z]+ )?[a-z]`, not: `\bapplicable laws?\b|\bcontrary to law`},
			{need: `\blaws? of\b[^;]{0,120}\b(?:shall|will|to) (?:govern|apply|control)\b`},
			{need: `\b(?:dispute|controvers|arbitrat)[^;]{0,80}\bin accordance with the (?:substantive )?laws? of the (?:state|commonwealth|province|republic|people|kingdom)`},
			{need: `\bcontract (?:made |entered into |executed )?under the laws? of`},
			{need: `\b[a-z]+ law (?:shall|will) (?:govern|control|apply)\b`, not: `\b(?:applicable|local|such|this|that|any|common|federal) law\b`},
			{need: `\bcontrolled by\b[^;]{0,60}\blaws? of\b`},
			{need: `\blaws? of\b[^;]{0,80}\b(?:apply|applies|governs?|controls?)\b[^;]{0,60}\b(?:agreement|contract|disputes?|construction|interpretation)\b`},
			{need: `^(?:the )?(?:state|commonwealth|province|laws?) of\b[^;]{0,60}\bwithout\b[^;]{0,60}\bconflicts?\b`},
			{need: `\b(?:agreement|contract|validity|rights)\b[^;]{0,120}\b(?:interpreted|construed|determined|enforced|decided)\b[^;]{0,40}\b(?:under|by|with|to) (?:the )?[a-z]+ law\b`, not: `\b(?:applicable|local|such|this|that|any|common|federal|of|required by) law\b`},
		},
		veto: `\b(?:organized|incorporated|existing|established|formed|registered) (?:and existing )?(?:under|pursuant to|in accordance with)\b|` +
			`\b(?:transferred|disposed of|exported|performed|conducted|manufactured|licensed to)\b[^;]{0,60}\bin accordance with\b[^;]{0,40}\blaws?\b|` +
			`\b(?:bankruptcy|securities|tax|export|privacy|employment|labor|applicable) laws? (?:of|govern)|` +
			`\bnotwithstanding the governing law\b|\bcomply with\b|\blaws? governing (?:the )?(?:bankruptcy|export)`,
		why:    "The passage speaks of law, but does not choose the law that governs the contract.",
		trust:  0.98,
		answer: placeAnswer,
	},
	{
		category: "Third Party Beneficiary",
		triggers: []string{
			`\bbeneficiar(y|ies)\b`,
			`\bconfers?\b`,
			`\b(enforce|enforceable)\b`,
		},
		accept: []test{
			{need: `\b(?:is|are|be|being|as|become)\b[^;]{0,40}\b(?:intended|express|direct|third[ -]party)\b[^;]{0,25}\bbeneficiar`, not: `\bno(?:t|r|thing)?\b[^;]{0,160}\bbeneficiar|\bnone\b`},
			{need: `\b(?:except|other than|unless|save)\b[^;]{0,200}\b(?:no|not)\b[^;]{0,120}\bbeneficiar`},
			{need: `\bbeneficiar[^;]{0,200}\b(?:except|other than|unless)\b`},
			{need: `\bbeneficiar[^;]{0,120}\b(?:entitled to|may|right to|shall have the right to) enforce\b`, not: `\bno(?:t|r)?\b[^;]{0,160}\bbeneficiar`},
			{need: `\bbut (?:is|are|shall be)\b[^;]{0,80}\bbeneficiar`},
			{need: `^(?:except|other than|save)\b[^;]{0,200}\b(?:nothing|no|not|none)\b[^;]{0,80}\bconfers?\b[^;]{0,120}\b(?:third|person|other)\b`, not: `^except as (?:otherwise )?expressly (?:provided|set forth|stated) (?:herein|in this agreement),`},
			{need: `\b(?:entitled to|may|right to) enforce\b[^;]{0,80}\bas (?:if|though)\b`},
		},
		veto:  `\binsur|\bpolic(?:y|ies)\b`,
		why:   "The passage mentions beneficiaries, but gives no one outside the contract a right under it.",
		trust: 0.67,
	},
}
