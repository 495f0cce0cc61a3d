package pattern

// Rules about who may hold, transfer or look into the contract.
var controlRules = []rule{
	{
		category: "ROFR/ROFO/ROFN",
		triggers: []string{
			`\b(right|rights|option|opportunity)( [a-z]+){0,3} of (first|last) [a-z]+\b`,
			`\bfirst (right|option|opportunity|refusal|offer|offering|negotiation|consideration)\b`,
			`\brights? of (first )?refusal\b`,
			`\bpre-?emptive rights?\b`,
			`\b(to|right to)( first)? match\b`,
			`\bopportunity to\b`,
		},
		accept: []test{
			{need: `\bfirst\b[^;]{0,40}\b(?:refusal|offer|offering|negotiation|opportunity|option|right|consideration|look)\b`, not: `^the first offer\b`},
			{need: `\bpre-?emptive right|\bright to match\b|\brights? of refusal\b`},
			{need: `\bmatch\b[^;]{0,60}\boffers?\b`},
			{need: `\b(?:before|prior to)\b[^;]{0,80}\b(?:third part|another|others|other part)\w*[^;]{0,80}\b(?:shall|will|must)\b[^;]{0,60}\bopportunity to\b`},
		},
		veto:  `\b(?:without|free (?:of|from)|no|not subject to|any)\b[^;]{0,60}\b(?:rights? of first|pre-?emptive)`,
		more:  `\b(?:refusal|first (?:offer|negotiation)|offer notice|rofr|rofn|rofo|negotiation period|negotiate in good faith)\b`,
		why:   "The passage uses the words, but gives no party a first right.",
		trust: 0.82,
	},
	{
		category: "Change of Control",
		triggers: []string{
			`\bchange (in|of)( [a-z]+){0,3} (control|ownership)\b`,
			`\b(merger|merge|merges|consolidation|acquired|acquires|acquisition)\b`,
			`\b(all or )?substantially all( [a-z]+){0,6} (assets|stock|business|property)\b`,
			`\bby operation of law\b`,
			`\b(control|controlling interest|majority)\b[^.;]{0,80}\b(pass|passes|transferred|acquired|sold|transfer|sale)\b`,
			`\bvoting (stock|securities|shares|power|interests?|capital)\b`,
		},
		accept: []test{
			{need: `\bterminat[^;]*\b(?:change (?:in|of) (?:\w+ ){0,2}(?:control|ownership)|merge[sr]?\b|acquired by|substantially all|controlling interest|majority of (?:the|its))`, not: `\bassign[^;]{0,200}\bwithout\b[^;]{0,40}\bconsent`},
			{need: `\b(?:change (?:in|of) (?:\w+ ){0,2}(?:control|ownership)|merger|acquired by|substantially all|controlling interest)\b[^;]*\b(?:terminat|consent|deemed (?:to be )?(?:an? )?(?:assignment|transfer)|notify|notice)`, not: `\b(?:may|right to) assign|\bwithout (?:the )?(?:prior )?(?:written )?(?:consent|approval)|\bmeans\b`},
			{need: `\bdeemed\b[^;]{0,40}\b(?:assignment|transfer)\b[^;]*\b(?:merger|control|ownership|stock|shares)`},
			{need: `\b(?:not|neither|nor|no party)\b[^;]{0,160}\b(?:assign|transfer)[^;]*\b(?:change (?:in|of) control|merger|sale of (?:stock|assets))\b[^;]*\bconsent\b`, not: `\bexcept\b|\bprovided\b|\bnotwithstanding\b`},
			{need: `\bif\b[^;]{0,60}\bcontrol of\b[^;]{0,120}\b(?:pass|transfer|chang)`},
			{need: `\b(?:stock|shares|securities)\b[^;]{0,120}\bchange (?:in|of) (?:\w+ )?control\b`},
			{need: `\b(?:terminat|right to terminate).*\bsubject to a(?:ny)? (?:change of control|sale)|\bterminate\b.*\b(?:change (?:of|in) (?:\w+ )?control|all or substantially all of its (?:assets|business))`, not: `\bassign[^;]{0,200}\bwithout\b[^;]{0,40}\bconsent`},
		},
		veto:  `\b"?change (?:in|of) control"? (?:means|shall mean)|\bconsolidated\b`,
		why:   "The passage mentions a merger, sale or change of control, but ties no right or duty to one.",
		trust: 0.89,
	},
	{
		category: "Anti-Assignment",
		triggers: []string{
			`\b(non-?|un|re)?assign(s|ed|ing|able|ability|ment|ments)?\b`,
			`\b(non-?)?transfer(s|red|able|rable|ring)?\b`,
			`\bdelegat(e|es|ed|ion|ing)\b`,
			`\bsub-?licen[sc](e|es|ed|ing)\b`,
			`\bsub-?contract(s|ed|ing|or|ors)?\b`,
		},
		accept: []test{
			{need: `\b(?:not|neither|nor|no party|none)\b[^;]{0,250}\bassign(?:ed|able)?\b[^;]{0,300}\b(?:agreement|contract|rights?|obligations?|duties|interests?|hereunder|appointment|benefits?)\b`, not: ofWorks},
			{need: `\b(?:not|neither|nor|no party)\b[^;]{0,160}\b(?:transfer|delegate|sell|sub-?contract)(?:red|d)? (?:or \w+ |,? \w+,? )*(?:all|this|the|its|any|his|her|their|such|all or any)(?: (?:of|part|portion))*(?: (?:its|the|his|their|this))* (?:\w+ )?(?:agreement|contract|rights?|interests?|obligations?|duties|performance)\b`},
			{need: `\b(?:agreement|contract|rights?|obligations?|duties|interests?|licen[sc]es?|appointment|benefits?)\b[^;]{0,200}\b(?:(?:may|shall|is|are|can|will) not|neither|nor)\b[^;]{0,80}\b(?:assign|transfer|delegat)(?:e|ed|red|able|rable)?\b`, not: ofWorks},
			{need: `\b(?:non-?assignable|non-?transferable|unassignable)\b`, not: `\blicen[sc]e`},
			{need: `\b(?:assignments?|transfer|delegation|assign|sublicen[sc]e)\b[^;]*\b(?:null|void|invalid|ineffective|no (?:force|legal effect|effect)|unenforceable)\b`},
			{need: `\bassign(?:ed|able|ment)?\b[^;]{0,300}\b(?:without|with|upon|unless|subject to|only (?:with|upon)|prior)\b[^;]{0,80}\b(?:consent|approval|permission)\b`, not: mayAssign},
			{need: `\bassign\b[^;]{0,300}\b(?:upon|with|by giving|subject to|provided)\b[^;]{0,60}\bnotice\b`, not: `\bterminat|\bwithout (?:\w+ )?notice`},
			{need: `\b(?:without|with|unless)\b[^;]{0,80}\b(?:consent|approval|permission)\b[^;]{0,160}\bassign(?:ed|able|ment)?\b`, not: mayAssign},
			{need: `\b(?:consent|approval)\b[^;]{0,40}\b(?:to|of|for|required)\b[^;]{0,40}\bassign(?:ment)?\b`},
			{need: `\b(?:deemed|constitute|considered)\b[^;]{0,30}\b(?:an )?assignment\b`},
			{need: `\bno (?:\w+ )?(?:assignment|transfer|delegation)\b[^;]{0,120}\b(?:valid|effective|binding|permitted|made without|unless)\b`, not: ofWorks},
			{need: `\bnot\b[^;]{0,60}\bsub-?licen[sc]e\b[^;]{0,200}\bwithout\b[^;]{0,60}\b(?:consent|approval|permission)\b`},
			{need: `\b(?:not|neither|nor)\b[^;]{0,60}\bsub-?contract\b[^;]{0,160}\b(?:without|unless|except)\b[^;]{0,60}\b(?:consent|approval|permission)\b`},
			{need: `\b(?:sale|transfer|change)\b[^;]{0,160}\b(?:control|controlling|majority|substantially all)\b[^;]{0,300}\bunless\b[^;]{0,200}\b(?:consent|approv)`},
		},
		veto: `^notwithstanding the foregoing, no such consent\b|\bassignment for the benefit of\b[^;]{0,20}\bcreditors?\b|\bgeneral assignment\b|\bhereby (?:irrevocably |unconditionally |further |presently )*assigns?\b|\bagrees? to assign\b|` +
			`\b(?:shall|will|does|must) (?:hereby |promptly |and hereby does )?assign (?:to|all|and|its|his|any right, title)\b|\bassigned (?:to|by) (?:perform|work|the project|work on)|\b(?:personnel|employees?|consultants?|staff|projects?|tasks?|account managers?|representatives?) (?:\w+ ){0,3}assigned\b|` +
			`\bassign (?:a|an|one|qualified|sufficient|competent|personnel|staff|employees|additional|any (?:personnel|employee)|\w+ (?:\w+ )?(?:personnel|staff|employees|representatives?))\b|` +
			`\b(?:copyright|invention|patent)s?\b[^;]{0,80}\bassign(?:ment)?\b[^;]{0,80}\b(?:execute|documents|instruments)|\bassignments? of (?:inventions?|intellectual|copyright|patents?)\b|\bassigned a value\b|\bcertificate of assignment\b`,
		why:   "The passage speaks of assignment or transfer, but restricts no assignment of the contract.",
		trust: 0.9,
	},
	{
		category: "Audit Rights",
		triggers: []string{
			`\baudit(s|ed|ing|or|ors)?\b`,
			`\b(inspect|inspects|inspected|inspection|inspections|examine|examination|examinations|examined)\b`,
			`\b(books|records)\b`,
			`\b(visit|access to|verify|enter upon|enter)\b`,
		},
		accept: []test{
			{need: `\b(?:right|entitled|may|permit|allow|opportunity|authori[sz]ed|agrees? to allow|access)\b.{0,200}\b(?:audits?|inspect(?:ion|ions)?)\b`, not: `\baudited\b|\b(?:inspect|inspection of) (?:all |the |any |such |each )?(?:products?|goods|shipments?|equipment upon)|\bupon (?:receipt|delivery)`},
			{need: `\b(?:right|entitled|may|permit|allow|opportunity|authori[sz]ed|able|shall|will)\b[^;]{0,250}\b(?:audit|inspect|examin|review|visit|verify)\w*\b[^;]{0,200}\b(?:offices|set-up|systems|manufactur\w+|books|records|accounts?|premises|facilit|statements?|reports?|compliance|operations|documents|plants?|locations?|work)\b`, not: `\baudited\b|\bdefect|\bupon (?:receipt|delivery)|\breceiv\w+ the products\b`},
			{need: `\b(?:books|records|accounts|premises|facilit\w+|documents|logs)\b[^;]{0,250}\b(?:audit|inspection|examination|examined|audited|inspected|inspect|examine)\b`, not: `\baudited financial statements\b`},
			{need: `\b(?:such|any|the|each|an|these|said) (?:audits?|inspections?|examinations?)\b[^;]{0,200}\b(?:shall|will|may|conducted)\b`, not: `\b(?:reveal|disclos|discrepanc|underpa|adjustment|fees incurred|nondisclosure)|\b(?:pay|bear|borne|reimburse)\b|\bproducts? (?:shall|will) be inspected`},
			{need: `\b(?:access to|make available)\b[^;]{0,120}\b(?:books|records)\b[^;]{0,200}\b(?:audit|verif|inspect|review|examin|confirm)`},
			{need: `\bright to audit\b|\baudit rights?\b`},
			{need: `\bindependent (?:certified public )?(?:accountant|auditor)`, not: `\baudited\b|\bindependent registered\b|\b(?:reveal|disclos|discrepanc|underpa)`},
			{need: `\b(?:books|records)\b[^;]{0,160}\bavailable (?:to|for)\b`, not: `\bto the extent\b|\bproperty of\b`},
			{need: `\b(?:permit|allow|right|may)\b[^;]{0,160}\b(?:visit|enter|enter upon|tour)\b[^;]{0,60}\b(?:plants?|premises|facilit\w+|locations?|offices?|sites?)\b`, not: `\bweb ?sites?\b|\benter into\b|\busers?\b`},
			{need: `\b(?:allow|permit)\b[^;]{0,80}\b(?:auditors?|regulators?|examiners?)\b[^;]{0,80}\breview\b`},
		},
		veto:  `\b(?:reveals?|discloses?|shows?)\b[^;]{0,80}\b(?:underpa|discrepan|error)|\bwaives?\b[^;]{0,40}\bright to inspect|\baudited financial statements\b|\baudit committee\b|\bclinical trial\b|\btax audit|\baudit by (?:any |the )?(?:tax|internal revenue|governmental)|\bexamined this agreement|\bdue diligence\b`,
		why:   "The passage mentions audits, inspections or records, but gives no party a right to look into the other's.",
		trust: 0.83,
	},
}

// ofWorks marks the assignment of what was made, not of the contract.
const ofWorks = `\b(?:inventions?|copyrights?|work product|moral rights|works? (?:made )?for hire)\b|\b(?:personnel|employees?) assigned\b`

// mayAssign marks a sentence that only frees a party to assign.
const mayAssign = `^(?:notwithstanding[^;,]{0,80}, |however, |provided,? (?:however,? )?that )?(?:the |each )?[\w-]+(?: party)? (?:shall have the right to |is free to |may )(?:freely )?(?:assign|transfer|delegate)\b[^;]{0,160}\b(?:without|freely|to (?:a|an|any|its))\b`
