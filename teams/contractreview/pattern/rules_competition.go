package pattern

// Rules about what a party may not do beside the contract.
var competitionRules = []rule{
	{
		category: "Non-Compete",
		triggers: []string{
			`\bcompet(e|es|ing|ition|itive|itor|itors)\b`,
			`\bnon-?compet(e|ition)\b`,
			`\b(engage|engaged|participate|carry on|interested|employed) (in|by)\b`,
			`\bsimilar\b`,
			`\b(develop|manufacture|commerciali[sz]e|research)\b`,
			`\binterest in( [a-z]+){0,3} (business|enterprise|company)\b`,
		},
		accept: []test{
			{need: `\b(?:shall|will|may|agrees?|covenants?|neither|nor|undertakes?|represents and warrants|does)\b.{0,120}\b(?:not|neither|nor|refrain)\b.{0,300}\b(?:compet(?:es?|ing|itive|itors?|itive with|ition with)|in competition|non-?compet\w+)\b`},
			{need: `\b(?:neither|nor)\b.{0,200}\b(?:will|shall|may)\b.{0,120}\b(?:develop|manufacture|commerciali[sz]e|research)\b.{0,200}\b(?:any|other)\b.{0,60}\b(?:product|compound|service|technology)s?\b`, not: `\bliab|\bobligat|\bwarrant`},
			{need: `\bnot\b[^;]{0,120}\b(?:engage in|participate in|carry on|(?:be|become) (?:engaged|involved|interested|employed) (?:in|by)|own,? (?:manage|operate))\b[^;]{0,160}\b(?:business|development|project|enterprise|activit(?:y|ies)|venture)\b`, not: `^upon any termination|\btransaction\b|\bcommit any acts|\b(?:illegal|unlawful|improper|deceptive|unethical|fraud|conduct)\w*\b|\bdisparag`},
			{need: `\bnon-?compet(?:e|ition) (?:period|covenant|restriction|obligation)`},
			{need: `\b(?:neither|no) \w+(?: \w+){0,8} (?:shall|will|may)\b.{0,300}\b(?:compet(?:es?|ing|itive|itors?)|in competition)\b`},
			{need: `\bnot\b[^;]{0,120}\b(?:own|operate|have (?:any|an) (?:\w+ )?interest in)\b[^;]{0,80}\b(?:any|another) (?:other|similar) (?:[\w-]+ ){0,3}(?:business|compan|enterprise|franchise|store|restaurant)`},
			{need: `\bnot\b[^;]{0,120}\b(?:develop|market|sell|manufacture|distribute|promote|licen[sc]e|produce|handle|offer|endorse)\b[^;]{0,160}\bsimilar to\b[^;]{0,60}\b(?:products?|software|services?|licensed|goods|systems?)\b`, not: `\b(?:marks?|trademarks?|names?|logos?|domain)\b`},
			{need: `\bnot\b[^;]{0,60}\b(?:render|perform|provide) (?:any )?similar services\b`},
		},
		veto: `\bcompetitive (?:analysis|bid|price|rate|pricing|advantage|position|market|disadvantage|basis|wages)|\bunfair competition\b|\bassign (?:this|its)\b|\bconfidential information\b|\bdisclose\b|\binsurance\b|\bcompeting (?:claims?|bids?|proposals?)\b|` +
			`\b(?:nothing|not)\b[^;]{0,60}\b(?:prevent|prohibit|preclude|restrict|limit|restrain|be construed)\b|\bantitrust\b|\bright to (?:assign|inspect)|\bwarrants? that (?:the|its) (?:product|service)`,
		why:   "The passage mentions competition, but keeps no party from competing.",
		trust: 0.71,
	},
	{
		category: "Exclusivity",
		triggers: []string{
			`\b(exclusive|exclusively|exclusivity)\b`,
			`\bsole (and exclusive )?(right|supplier|distributor|provider|source|agent|vendor|licensee)\b`,
			`\b(all|entire)( of)?( [a-z\']+){0,3} requirements\b`,
			`\bnot( [a-z]+){0,6} (sell|supply|license|appoint|grant|purchase|provide|distribute|promote|market|engage|offer|enter into|endorse|perform|use|carry|display)\b`,
			`\b(only|solely) (from|through|to|distributor|supplier|dealer|licensee|provider|agent|reseller|sponsor)\b`,
			`\bno other (distributor|dealer|reseller|supplier|licensee|agent|sponsor|person|party|company)\b`,
			`\bany other brands?\b`,
		},
		accept: []test{
			{need: `\b(?:grants?|granted|appoints?|engages?|designates?|has|have|be|as|an|be the|agrees?)\b[^;]{0,120}\b(?:exclusive|sole)(?: and exclusive| \([^)]{0,80}\))?(?:,?(?: and)? [a-z-]+(?: \([^)]{0,80}\))?){0,9} (?:rights?|(?:sub-?)?licen[sc]es?|distributors?|agents?|agenc(?:y|ies)|suppliers?|providers?|dealers?|resellers?|sponsors?|manufacturers?|vendors?|sources?|representatives?|partners?|licensees?)\b`, not: notExclusive},
			{need: `\b(?:shall|will|must|agrees? to)\b[^;]{0,160}\bexclusively\b[^;]{0,100}\b(?:from|through|to|with|by|for|in)\b`, not: notExclusive + `|\b(?:govern|constru|settled|resolved|arbitrat|court)`},
			{need: `\b(?:shall|will|agrees?|covenants?|undertakes?|may) (?:\w+ ){0,3}not (?:to )?(?:[\w-]+,? ){0,6}(?:sell|supply|licen[sc]e|appoint|grant|purchase|provide|distribute|promote|market|engage|offer|enter into|endorse|perform)\b[^;]{0,200}\b(?:to any (?:other|third)|any other (?:party|person|company|entity|distributor|supplier|third|compan(?:y|ies))|with any other|anyone (?:other|else)|other than (?:the )?(?:company|distributor|licensee|customer|products|through|to)|any third part(?:y|ies)|another|except by sale)\b`, not: notExclusive + `|\bconfidential|\bdisclos|\bassign|\bemploy|\bsub-?licen|\bmodif|\bdecompil|\breverse|\bsolicit|\bliab|\bindemn|\bwarrant|\bunless the third|\bany rights? (?:of|in)\b`},
			{need: `\b(?:purchase|obtain|procure|buy|source|order)\b[^;]{0,80}\b(?:all|entire|100%|exclusively|solely)\b[^;]{0,60}\b(?:requirements|needs)\b`},
			{need: `\bexclusivity\b[^;]{0,120}\b(?:shall|will|period|term|right)`, not: notExclusive},
			{need: `\b(?:shall|will|must|agrees? to)\b[^;]{0,60}\b(?:purchase|obtain|buy|order|procure|source|sell|supply)\b[^;]{0,60}\b(?:only|solely) (?:from|through)\b`, not: notExclusive},
			{need: `\b(?:licen[sc]es?|rights?|services|appointment|engagement|distributorship)\b[^;]{0,80}\b(?:shall be|is|are|will be|become)(?: \w+)? exclusive\b`, not: notExclusive},
			{need: `\bonly (?:distributor|supplier|dealer|licensee|provider|agent|reseller|sponsor)\b`, not: notExclusive + `|\bnot\b`},
			{need: `\bno other (?:distributor|dealer|reseller|supplier|licensee|agent|sponsor)s?\b[^;]{0,80}\b(?:appoint|shall|will|be)`},
			{need: `\b(?:shall|will) not (?:carry|display|accept|run|feature)\b[^;]{0,120}\b(?:any|of any) other\b`, not: notExclusive},
			{need: `\b(?:sold|supplied|purchased|distributed|marketed)\b[^;]{0,60}\b(?:only|solely|exclusively) (?:through|by|from)\b`, not: notExclusive},
			{need: `\bnot (?:\w+ )?(?:stock|carry|sell|offer|promote|serve|use|display)\b[^;]{0,40}\bany other brand`},
		},
		veto:  `^(?:recitals:? )?whereas\b|\bwish(?:es)? to\b|\bdesires? to\b|\bdesirous\b`,
		why:   "The passage uses the words, but binds no party to deal with the other alone.",
		trust: 0.83,
	},
	{
		category: "No-Solicit of Customers",
		triggers: []string{
			`\b(solicit|solicits|soliciting|divert|entice|induce|interfere|contact|approach|circumvent)\b[^.;]{0,200}\b(customers?|clients?|accounts?|suppliers?|vendors?|partners?|subscribers?|distributors?)\b`,
			`\bnon-?solicitation\b`,
		},
		accept: []test{
			{need: `\b(?:not|neither|nor|refrain)\b[^;]{0,300}\b(?:solicit|divert|entice|induce|call on|interfere|contact|approach|circumvent|do business|contract with)\w*\b[^;]{0,120}\b(?:customers?|clients?|accounts|subscribers|suppliers?|vendors?|partners|patients|distributors?)\b`},
		},
		veto:  `\bnot (?:be )?(?:prohibit|prevent|preclud|restrict)|\bnothing\b|\bpermission to\b|\bconsent of (?:the )?(?:customer|client)|\bsolicit the services\b|\bsolicit orders\b|\boutside the territory\b[^;]{0,80}\borders\b`,
		why:   "The passage mentions customers, but keeps no party from approaching the other's.",
		trust: 0.5,
	},
	{
		category: "Competitive Restriction Exception",
		triggers: []string{
			`\b(notwithstanding|except|provided|however|nothing|foregoing|other than)\b[^.;]{0,300}\b(compet(e|es|ing|ition|itive|itor|itors)|exclusive|exclusivity|solicit|non-?competition)\b`,
			`\b(compet(e|es|ing|ition|itive|itors?)|exclusive|exclusivity|solicit|non-?competition)\b[^.;]{0,400}\b(except|provided|notwithstanding|however|shall not (apply|prevent|restrict|prohibit))\b`,
			`\b(foregoing|restrictions?|nothing)\b[^.;]{0,160}\b(not|nothing)( [a-z]+){0,4} (restrict|prevent|prohibit|preclude|apply)\b`,
			`\bnotwithstanding the (above|foregoing)\b`,
		},
		accept: []test{
			{need: `\b(?:foregoing|nothing|restrictions?|section|above)\b[^;]{0,200}\b(?:restrict|prevent|prohibit|preclude|limit|bar)\b[^;]{0,250}\b(?:compet|solicit|advertis|hir|market|sell|distribut|engag|similar|other (?:part|compan|person|business|vendor))`, not: `\binjunct|\bequitable|\bdisclos|\bconfidential|\bliab|\bindemn|\bremed`},
			{need: `\b(?:exclusive|exclusivity)\b[^;]*\b(?:except(?:ion)?|provided,? (?:however|that)|notwithstanding|save|other than)\b[^;]*\b(?:may|right|shall|reserv|retain|exist|customer|sell|permit)`, not: `\bnon-?exclusive\b|\bright, title|\bjurisdiction\b|\bremed|\bsave for rights reserved`},
			{need: `\b(?:not|agree)\b[^;]*\bcompet(?:e|ing|itive|itor)[^;]*(?:[;,] ?)?(?:provided|except|other than|however|unless)\b`, not: `\bdisclos|\bconfidential`},
			{need: `\bnotwithstanding\b[^;]{0,160}\b(?:exclusiv|non-?compet|restriction|foregoing|above)[^;]{0,120}\b(?:may|permitted|entitled|free|right)\b[^;]{0,200}\b(?:sell|market|distribut|develop|evaluat|promot|licen|engag|compet|advertis|provide)`, not: `\bassign|\bdisclos|\bterminat|\bconsent`},
			{need: `^notwithstanding the (?:above|foregoing)[^;]{0,80}\b(?:may|shall be permitted|shall be free|shall be entitled)\b[^;]{0,160}\b(?:sell|market|distribut|develop|evaluat|promot|engag|compet|own|advertis)`, not: `\bassign|\bdisclos|\bterminat|\bconsent`},
		},
		why:   "The passage speaks of competition or exclusivity, but carves nothing out of a restriction.",
		trust: 0.44,
	},
	{
		category: "No-Solicit of Employees",
		triggers: []string{
			`\b(solicit|solicits|soliciting|hire|hires|hiring|recruit|entice|induce|employs)\b`,
			`\b(engage|employ|divert)\b[^.;]{0,120}\b(employees?|personnel|staff|employed)\b`,
			`\bnon-?solicitation\b`,
		},
		accept: []test{
			{need: `\b(?:not|neither|nor|refrain|without)\b[^;]{0,300}\b(?:solicit|hire|recruit|entice|induce|divert|employ)\w*\b[^;]{0,160}\b(?:employees?|personnel|staff|consultants?|contractors?|person (?:who is |then )?employed|individual)\b`, not: `\b(?:not|never) (?:be )?(?:an? |deemed |considered )?(?:employee|agent)|\bwithhold|\bemployee benefit|\bworkers|\bproprietary information\b`},
			{need: `\b(?:event|if)\b[^;]{0,160}\b(?:hires?|employs?|solicits?|recruits?)\b[^;]{0,120}\b(?:employee|personnel)s?\b[^;]{0,160}\b(?:pay|fee|damages|compensat)`},
		},
		veto:  `\bdiscriminat|\bprincipal-agent\b|\bemployer-employee\b|\bindependent contractor|\baffirmative action`,
		why:   "The passage mentions personnel, but keeps no party from hiring the other's.",
		trust: 0.86,
	},
	{
		category: "Non-Disparagement",
		triggers: []string{
			`\b(dis|de)parag(e|es|ed|ing|ement|ements)\b`,
			`\b(disparage|disparages|disparaging|disparagement|derogatory|defamatory|defame|denigrate|disrepute|ridicule)\b`,
			`\b(reputation|good name|goodwill|public image)\b`,
			`\b(unfavou?rably|negatively|negative|adversely)\b`,
			`\btarnish(es)?\b`,
		},
		accept: []test{
			{need: `\b(?:not|never|nor|neither|refrain|no)\b[^;]{0,250}\b(?:disparag|derogat|defam|denigrat|disrepute|ridicule)`},
			{need: `\b(?:disparag|derogat|denigrat|disrepute)[^;]{0,200}\b(?:prohibited|terminate|immediately)\b`},
			{need: `\b(?:not|refrain|neither|nor|never)\b[^;]{0,160}\b(?:reflect|speak|comment|portray|statements?)\w*\b[^;]{0,60}\b(?:unfavou?rabl|negativ|adversely)`},
			{need: `\b(?:not|neither|nor|refrain)\b[^;]{0,120}\b(?:injure|damage|damaging|harm|tarnish|diminish|detract|detrimental)\w*\b[^;]{0,60}\b(?:reputation|good name|goodwill|image)\b`, not: `\bliab|\bdamages\b|\bconfidential|\binfring|\btrademarks?\b`},
			{need: `\bdetrimental to\b[^;]{0,60}\b(?:image|reputation)\b`},
		},
		veto:  `\b(?:obscene|libel|slander|pornograph|threatening|unlawful)\w*|\bderogation\b|\bin derogat`,
		why:   "The passage uses such words, but keeps no party from disparaging the other.",
		trust: 0.5,
	},
}

// notExclusive marks the word in its other uses: what is owned, owed or decided by one alone.
const notExclusive = `\bnon-? ?exclusive\b|\bnot (?:be )?(?:an )?exclusive\b|\bexclusive(?:ly)? (?:property|owner|owned|remed|jurisdiction|venue|forum|liab|warrant|obligation|responsib|control|of)\b|\b(?:sole and )?exclusive (?:right|authority|option|discretion|control)s? (?:and \w+ )?(?:to|of|over) (?:institute|enforce|determine|approve|control|negotiate|prosecute|terminate|defend|settle|file|bring|decide|ownership|select|establish|set|manage)|\b(?:sole|exclusive) right to,? .{0,40}\b(?:commence|prosecute|file|defend)\b|\bvenue\b|\bjurisdiction\b|\bright, title|\bexclusive rights? of ownership|\bmutually exclusive|\bsole and exclusive remed|\b(?:exclusively|solely) (?:with|on) (?:\w+ ){0,2}(?:relationship|subject|matter|question|topic|behalf)`
