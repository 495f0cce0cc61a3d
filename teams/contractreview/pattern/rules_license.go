package pattern

// exploit is what a license allows.
const exploit = `\b(?:use|distribut|reproduc|sell|market|publish|copy|exploit|sub-?licen|display|exhibit|manufactur|make|promot|advertis|perform|broadcast|access|install|develop|import|practice)`

// intangible is what is licensed rather than sold.
const intangible = `\b(?:marks?|trademarks?|trade names?|names?|logos?|software|content|materials?|likeness|image|programs?|technology|works?|intellectual|attributes|patents?|know-how|data|identification|endorsement)\b`

// denied marks sentences that deny a grant.
const denied = `\b(?:nothing|not|no|nor|neither)\b[^;,]{0,80}\b(?:grant(?:s|ed|ing)?|gives?|confers?|construed|implied)\b|\bneither\b.{0,300}\bgrant`

// noGrant marks those too, and sentences about a grant that may come or came elsewhere.
const noGrant = denied + `|\bnothing (?:herein|contained|in this)\b|\bto the extent that any\b|^(?:in the event|if|whereas|when|should)\b|\bgrants? (?:to )?(?:another|any other|others)\b|\bany (?:license|right)s? granted\b`

// Rules about what may be used, by whom and how long.
var licenseRules = []rule{
	{
		category: "License Grant",
		triggers: []string{
			`\bgrants?\b`,
			`\bgranted\b`,
			`\b(sub-?)?licen[sc](e|es|ed)\b`,
			`\b(right|rights|permission|authority|privilege)( [a-z,]+){0,6} to\b`,
			`\b(may|entitled to|authori[sz]ed to|permitted to) use\b`,
			`\bmay( [a-z]+)? (install|copy|reproduce|display|exhibit|publish)\b`,
			`\b(gives|authori[sz]es|permits|consents to)\b`,
			`\boption to\b`,
		},
		accept: []test{
			{need: `\bhereby\b[^;]{0,60}\bgrants?\b.{0,400}\b(?:sub-?)?licen[sc]es?\b`, not: denied},
			{need: `\b(?:hereby|also|further|additionally|agrees to|does|shall|will)\b[^;]{0,40}\bgrants?\b.{0,400}\b(?:sub-?)?licen[sc]es?\b`, not: noGrant},
			{need: `\b(?:hereby|also|further|agrees to|does)\b[^;]{0,40}\bgrants?\b.{0,300}\b(?:rights?|authority|permission|privilege)\b.{0,250}` + exploit + `.*` + intangible, not: noGrant},
			{need: `\bgrants? (?:to |unto )?[^;]{0,160}\b(?:a|an|the|its|such|certain|all)\b.{0,200}\b(?:licen[sc]es?\b|rights? (?:to|of|and)\b.*` + intangible + `)`, not: noGrant + `|\b(?:security interest|option|first refusal|first negotiation)\b|\b(?:shall|will|may|can|to) (?:\w+ )?grant\b`},
			{need: `\bgrants? (?:to |unto )?[^;:]{1,60}:(?:$| \()`, not: noGrant},
			{need: `\b(?:is|are) (?:hereby )?granted (?:by [^;]{1,40} )?(?:an?|the)\b.{0,200}\b(?:licen[sc]e|right to)`, not: denied},
			{need: `\b(?:licen[sc]es?|rights?)\b[^;]{0,60}\b(?:is|are) hereby granted\b`, not: noGrant},
			{need: `\bhereby licen[sc]es\b|\bagrees? to licen[sc]e (?:to|such|the|its)\b`},
			{need: `\b(?:has|have|having|entitled to)\b[^;]{0,80}\b(?:rights?|licen[sc]es?|permission)(?:,? (?:and|or|licen[sc]e|authority|permission|only|hereunder|privilege|during|the|term|its|sole|discretion)){0,6} to(?: [a-z,]+){0,3} (?:use|utilize|distribute|reproduce|publish|copy|exploit|display|exhibit)\b.{0,250}` + intangible, not: noGrant + `|\b(?:represents?|warrants?|reserves?|authori[sz]e others|revoke)\b|^(?:upon|after) (?:the )?(?:termination|expiration)`},
			{need: `\b(?:may|entitled to|authori[sz]ed to|permitted to) use (?:the |its |such |any |[\w-]+'s? ){0,3}(?:\w+ ){0,3}(?:marks?|trademarks?|trade names?|names?|logos?|likeness|image|software|technology|patents?|identification)\b`, not: noGrant + `|\bconfidential|\bonly (?:in accordance|as)`},
			{need: `\b(?:shall|will) have an? (?:[\w-]+,? (?:and )?){0,14}licen[sc]e\b`, not: noGrant},
			{need: `\b(?:authori[sz]es|permits|gives|consents to|agrees that)\b[^;]{0,80}\b(?:(?:to|may) use|the use of|right to use|use by)\b[^;]{0,120}` + intangible, not: noGrant + `|\bconfidential`},
			{need: `\bappoints? .{0,200}\blicen[sc]ee\b`, not: noGrant},
			{need: `\b(?:is|are)(?: \w+){0,2} licen[sc]ed to (?:use|market|sell|resell|distribute|promote|reproduce|copy|exploit|display|make|practice|install)\b`, not: denied},
			{need: `\bmay (?:only |also |freely )?(?:install|copy|reproduce|display|exhibit|publish|sub-?licen[sc]e)\b[^;]{0,120}` + intangible, not: noGrant + `|\bconfidential`},
			{need: `\bgrants?\b[^;]{0,160}\brights?\b[^;]{0,60}\bto (?:[\w-]+(?:, | and | or |, and |, or ))*(?:market|promote|distribute|sell|resell|solicit)\b`, not: noGrant + `|\bsecurities\b`},
			{need: `\b(?:retains?|reserves?|subject to)\b[^;]{0,100}\b(?:rights?|licen[sc]e)(?: \w+){0,4} to (?:use|practice|make)\b[^;]{0,160}\b(?:patents?|technology|inventions?|know-how|improvements|software|methods?)\b`, not: denied},
			{need: `\b(?:may|right to|entitled to|authority to) (?:also |further |freely )?(?:grant )?sub-?licen[sc]es?\b`, not: noGrant},
			{need: `\boption to (?:obtain|acquire|receive|negotiate|enter into)\b[^;]{0,80}\blicen[sc]e\b`, not: denied},
			{need: `\bprovides?\b[^;]{0,80}\b(?:the|a) right to use\b`, not: noGrant},
			{need: `\bhereby grants?\b[^;]{0,160}\brights? to (?:access|use)\b`, not: denied},
		},
		veto: `\b(?:stock|share|warrant|incentive) (?:option|appreciation|grant|award)|\bgrants? (?:\w+ ){0,6}(?:security interest|lien|option to purchase)|` +
			`\b(?:represents?|warrants?)\b[^;]{0,160}\b(?:right|authority|power)[^;]{0,60}\bto grant\b|^(?:the|all|any|each|these) (?:\w+ ){0,6}(?:licen[sc]es?|rights?) (?:\w+ ){0,2}granted\b|\bright of (?:first|reference)\b|\bright to enforce\b|\bgrants? (?:\w+ ){0,4}(?:injunctive|equitable|an injunction|relief)\b|\blicen[sc]es?,? (?:permits|approvals|consents)|\bhas been granted\b|\b(?:wish(?:es)?|desires?) to (?:\w+ ){0,3}(?:grant|obtain|acquire|licen[sc]e|use|receive)|^(?:\w+ )?whereas\b|^in consideration of the (?:\w+ )?(?:rights|licen)`,
		why:   "The passage speaks of a grant or a right, but grants no license.",
		trust: 0.91,
	},
	{
		category: "Non-Transferable License",
		triggers: []string{
			`\bnon-?\s?(transfer+able|assignable|sub-?licen[sc]e?able)\b`,
			`\bsub-?licen[sc](e|es|ed|able|ing)\b`,
			`\btransfer(able|rable|red)?\b`,
			`\bnot permit\b`,
		},
		accept: []test{
			{need: `\bnon-? ?(?:transfer+able|assignable|sub-?licen[sc]e?able)\b[^;]{0,250}\b(?:licen[sc]e|right)\b`},
			{need: `\b(?:licen[sc]es?|rights?)\b[^;]{0,250}\b(?:non-? ?(?:transfer+able|assignable|sub-?licen[sc]e?able)|not (?:be )?(?:transfer+able|assignable|sub-?licen[sc]e?able|transfer+ed|sub-?licen[sc]ed))\b`},
			{need: `\blicen[sc]e\b[^;]{0,250}\b(?:without|no) (?:the )?rights?(?: \w+){0,2} to (?:grant )?(?:sub-?licen[sc]es?|assign|transfer)`},
			{need: `\b(?:not|neither|nor)\b[^;]{0,80}\b(?:sub-?licen[sc]e|transfer|assign)\b[^;]{0,120}\b(?:licen[sc]e|rights? granted|software|marks?|licensed)\b`, not: `\bthis agreement may not be assigned\b|\bneither party (?:may|shall|will) assign|\bconsent of\b[^;]{0,40}\brequired`},
			{need: `\b(?:usage|use|licen[sc]e|rights granted)\b[^;]{0,40}\bmay not be (?:sold|assigned|transferred)`},
			{need: `\b(?:licen[sc]es?|rights?)\b[^;]{0,120}\b(?:not include|no)\b[^;]{0,40}\bsub-?licen`},
			{need: `\bnot permit\b[^;]{0,40}\b(?:third part|other person|anyone)\w*\b[^;]{0,40}\b(?:use|access)\b[^;]{0,80}\b(?:marks?|software|licensed|technology|materials)\b`},
		},
		veto:  `^(?:recitals:? )?whereas\b|^recitals\b|\bno such consent\b`,
		why:   "The passage speaks of licenses or transfers, but does not tie a license to its holder.",
		trust: 0.95,
	},
	{
		category: "Affiliate License-Licensor",
		triggers: []string{
			`\b(its|their|licensor's|any)( [a-z']+){0,2} (affiliates?|subsidiar(y|ies))\b`,
			`\baffiliates'`,
		},
		accept: []test{
			{need: `\b(?:on behalf of|itself|cause|shall cause|and)\b[^;]{0,30}\b(?:its|their) (?:affiliates|subsidiaries)\b[^;]{0,40}\b(?:to )?(?:hereby )?(?:grants?|licen[sc]es?)\b`},
			{need: `\bgrants?\b[^;]{0,400}\blicen[sc]e\b[^;]{0,300}\b(?:owned|controlled|own|owns|control|controls|held|licensable|possess\w*)\b[^;]{0,50}\baffiliates?\b`},
			{need: `\bgrants?\b[^;]{0,300}\blicen[sc]e\b[^;]{0,200}\b(?:licensor|licensor's|supplier|company)\b[^;]{0,20}\b(?:and|or)(?: any of)? its (?:affiliates'?|subsidiaries)(?: |')`},
			{need: `\bgrants?\b.{0,400}\blicen[sc]e\b.{0,300}\baffiliates? (?:may )?(?:own|owns|control|controls|have|hold|possess)\b`},
			{need: `\bgrants?\b[^;]{0,300}\b(?:affiliates'|affiliate's|subsidiaries') [^;]{0,60}\b(?:patent|mark|trademark|technology|intellectual|know-how|software|content|rights)`},
		},
		veto:  denied,
		why:   "The passage mentions affiliates, but licenses nothing of the licensor's.",
		trust: 0.67,
	},
	{
		category: "Affiliate License-Licensee",
		triggers: []string{
			`\b(affiliates?|subsidiar(y|ies))\b`,
		},
		accept: []test{
			{need: `\bgrants?\b[^;]{0,80}\b(?:to )?[^;]{0,60}\b(?:and|or|,)(?: to)?(?: each of)?(?: its| their| the| [\w-]+'s)?(?: current| wholly[ -]owned| future| respective)* (?:affiliates?|subsidiaries)\b[^;]{0,200}\b(?:licen[sc]e|right)`},
			{need: `\bgrants?\b[^;]{0,300}\b(?:licen[sc]e|right)\b[^;]{0,300}\b(?:sub-?licen[sc]e\w*)\b[^;]{0,60}\bto (?:any of )?(?:(?:its|their|such) )?(?:\w+ )?(?:affiliates|subsidiaries)\b`},
			{need: `\b(?:licensee|customer|company|distributor|recipient)\b[^;]{0,120}\b(?:may|shall have the right to|right to|shall be entitled to)\b[^;]{0,40}\b(?:sub-?licen[sc]e|extend)\b[^;]{0,80}\b(?:affiliates|subsidiaries)\b`},
			{need: `\b(?:licen[sc]es?|rights?)\b[^;]{0,120}\b(?:extend|available|apply|granted|include)\w*\b[^;]{0,40}\b(?:affiliates|subsidiaries)\b`, not: `\bon behalf of itself\b|\bnot\b`},
			{need: `\b(?:permit|allow)\b[^;]{0,40}\b(?:affiliates|subsidiaries)\b[^;]{0,40}\bto use\b`, not: `\bnot (?:permit|allow)`},
			{need: `\bused by\b[^;]{0,60}\b(?:affiliates|subsidiaries)\b`, not: `\bnot be used\b`},
			{need: `\b(?:licensee|customer|sublicensee)"?\b[^;]{0,40}\b(?:includes?|means)\b[^;]{0,80}\b(?:affiliates|subsidiaries)\b`},
		},
		veto:  `\b(?:not|no) (?:\w+ ){0,3}(?:sublicen[sc]e|grant)|\bnon-?sublicens`,
		why:   "The passage mentions affiliates, but gives the licensee's no license.",
		trust: 0.71,
	},
	{
		category: "Unlimited/All-You-Can-Eat-License",
		triggers: []string{
			`\b(enterprise|site|corporate)[ -]wide licen[sc]e\b`,
			`\benterprise licen[sc]e\b`,
			`\bunlimited\b`,
			`\ball[ -]you[ -]can[ -]eat\b`,
			`\bwithout (limit|limitation|restriction)( [a-z]+){0,5} (number|use|copies|users)\b`,
			`\bas many (copies|times|users)\b`,
		},
		accept: []test{
			{need: `\b(?:licen[sc]e|grants?|right|permitted|entitled|may)\b[^;]{0,300}\b(?:unlimited|enterprise|all[ -]you[ -]can[ -]eat|without (?:limit|restriction)|as many)\b`},
			{need: `\b(?:unlimited|enterprise|all[ -]you[ -]can[ -]eat)\b[^;]{0,200}\b(?:licen[sc]e|rights?|permitted|use)\b`},
		},
		veto:  `\bunlimited (?:right|ability) to sub-?licen|\bunlimited liab|\benterprise license agreement\b|\bincluding,? (?:but not limited to|without limitation)[^;]{0,20}$`,
		why:   "The passage uses the words, but grants no license without a bound on use.",
		trust: 0.67,
	},
	{
		category: "Irrevocable or Perpetual License",
		triggers: []string{
			`\b(irrevocable|irrevocably|perpetual|perpetually|in perpetuity)\b`,
			`\b(licen[sc]e|right)\b[^.;]{0,160}\b(forever|indefinite|never expire)\b`,
		},
		accept: []test{
			{need: `\b(?:irrevocabl[ey]|perpetual(?:ly)?)\b[^;]{0,250}\b(?:licen[sc]es?|sub-?licen[sc]e|right)\b`},
			{need: `\b(?:licen[sc]es?|grants?|rights?|use)\b[^;]{0,400}\b(?:irrevocable|perpetual|in perpetuity|forever)\b`},
		},
		veto:  `\b(?:irrevocably|hereby irrevocable) (?:appoint|consent|submit|waive|agree|designat|authori|assign|constitut|transfer)\w*|\birrevocable (?:letter|proxy|election|offer|power|instruction|payment|order|consent|undertaking|commitment)|\bcoupled with an interest\b|\bnot (?:be )?(?:perpetual|irrevocable)\b|\bnon-perpetual license term\b`,
		why:   "The passage speaks of something perpetual or irrevocable, but not of a license.",
		trust: 0.94,
	},
}
