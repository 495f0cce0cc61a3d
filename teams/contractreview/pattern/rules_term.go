package pattern

// Rules about how long the contract lasts and what follows it.
var termRules = []rule{
	{
		category: "Expiration Date",
		triggers: []string{
			`\b(term|period) (of|for|shall|will|is|commences|begins)\b`,
			`\b(the|initial|original|base|services?|contract)"? (term|period)\b`,
			`\bterm"`,
			`\b(continue|continues|remain|remains|be|stay)( [a-z,]+){0,4} in( full)?( force| effect)\b`,
			`\b(shall|will)( [a-z,]+){0,3} (expire|terminate|end|continue|commence|begin)\b`,
			`\b(expires|terminates|ends|continues|commences|begins) (on|upon|until|for|through|as)\b`,
			`\b(perpetual|in perpetuity|indefinitely)\b`,
			`\bfrom( [a-z]+){0,4} date until\b`,
			`\bcontract (end|term)\b`,
		},
		accept: []test{
			{
				need: `\bterms?\b"?(?:\)|,|\b)[^;]{0,140}\b(?:shall|will|is|commences?|begins?|starts?|continues?|expires?|ends?|means|to run|runs)\b[^;]{0,250}(?:\byears?\b|\bmonths?\b|\bdays\b|\buntil\b|\bthrough\b|\banniversary\b|\b(?:19|20)\d\d\b|\bperpetu|\bexpires?\b|\bindefinite|\btime periods?\b)`,
				not:  notTerm,
			},
			{
				need: `\b(?:agreement|contract|license|lease|appointment|engagement|promotion|arrangement|undertaking)\b[^;]{0,200}\b(?:shall|will|continues?|remains?|commences?|is|are|begins?|expires?|terminates?|ending)\b[^;]{0,160}\b(?:in (?:full )?(?:force|effect)|for (?:a|an|the) (?:\w+ ){0,2}(?:term|period)|for (?:the )?[a-z-]+(?: \(\d+\))?|until|in perpetuity|perpetual|indefinitely|through|ending on|expires?|terminates?)\b[^;]{0,120}(?:\byears?\b|\bmonths?\b|\bdays\b|\buntil\b|\bthrough\b|\banniversary\b|\b(?:19|20)\d\d\b|\bperpetu|\bindefinite|\bcompletion|\bexpiration)`,
				not:  notTerm,
			},
			{need: `^contract (?:end|term)\b|^term\b[^;]{0,60}\b(?:years?|months?)\b`},
			{need: `\((?:the |this |herein,? |hereinafter,? )*"?(?:initial|original|contract|base)? ?(?:term|period)"?\).*\b(?:years?|months?|(?:19|20)\d\d|until|anniversary)\b|\b(?:years?|months?|(?:19|20)\d\d|until|anniversary)\b.*\((?:the |this |herein,? |hereinafter,? |such period, )*"?(?:initial |original |contract |base )?(?:term|period)[,."]*\)`, not: `\brenew(?:al|ed)? (?:term|period)[,."]*\)|\bsell-?off|\bnotice period|\bcure period`},
			{need: `\bfrom the (?:\w+ )?date (?:\w+ )*until\b[^;]{0,40}\b(?:19|20)\d\d\b`},
		},
		veto: `^(?:if|in the event|should|notwithstanding|for greater certainty)\b|\bconfidential|\bsurviv|\bfor a period of\b[^;]{0,60}\b(?:after|following) (?:the )?(?:\w+ ){0,3}(?:expiration|termination)|\bgrants\b|\bindemnif|\binsurance\b|\bshall not (?:directly|compete|extend)`,
		why:  "The passage speaks of a term or of time, but does not say when the contract ends.",

		trust:  0.79,
		answer: expirationAnswer,
	},
	{
		category: "Renewal Term",
		triggers: []string{
			`\b(renew|renews|renewal|renewals|renewed|renewable|renewing)\b`,
			`\b(extend|extends|extended|extension)\b[^.;]{0,120}\b(term|period|periods|year|years|month|months|agreement)\b`,
			`\b(month[ -]to[ -]month|year[ -]to[ -]year)\b`,
		},
		accept: []test{
			{need: `\b(?:automatically|successive|consecutive|option|additional|further|right|may|shall|will|subsequent)\b[^;]{0,200}\brenew\w*\b[^;]{0,300}\b(?:years?|months?|periods?|terms?|annual\w*|days?|basis|year-to-year)\b`},
			{need: `\b(?:automatically|option|right|option to|elect to|shall be|will be|be) (?:\w+ )?extend(?:ed|s)?\b[^;]{0,200}\b(?:years?|months?|periods?|terms?)\b`},
			{need: `\bextend\b[^;]{0,60}\bfor (?:an |a |one |two |up to )?(?:\w+ )*(?:additional|further|successive|subsequent)\b[^;]{0,80}\b(?:years?|months?|periods?|terms?)\b`},
			{need: `\b(?:renew\w*|extend(?:ed|s)?|continue)\b[^;]{0,200}\b(?:automatically|successive|consecutive|year[ -]to[ -]year|month[ -]to[ -]month|one[ -]year|annually)\b`},
			{need: `\brenewable\b[^;]{0,160}\b(?:years?|months?|terms?|periods?)\b`},
		},
		veto: `^for (?:greater certainty|the avoidance)|\bwarranty period\b|\b(?:subscription|license fee) renewal|\b(?:not|never) extend beyond\b|\bunless the parties extend\b|\b(?:renewal|replacement)s?\b[^;]{0,40}\b(?:certificate|polic|insurance)|\binsurance\b|\bextend(?:ed)? to (?:the|any|all)\b[^;]{0,40}\b(?:successor|affiliate|product)|\bpatent|\bforce majeure\b|\bbankrupt|\bcure period\b|\bextensions? of (?:time|credit)\b|\bdomain\b|\bletter of credit\b|` +
			`\b(?:no|not|neither)\b[^;]{0,30}\b(?:obligation|obligated|right|promise)\b[^;]{0,40}\brenew`,
		why:    "The passage speaks of renewing or extending, but not of the contract's term.",
		trust:  0.86,
		answer: renewalAnswer,
	},
	{
		category: "Notice Period to Terminate Renewal",
		triggers: []string{
			`\b(non-?renewal|renew|renews|renewal|renewed|renewing|extend|extended|extends|successive|month[ -]to[ -]month|year[ -]to[ -]year)\b`,
			`\bend of the (then|initial|current)\b`,
		},
		accept: []test{
			{need: `\b(?:renew\w*|extend(?:ed|s)?|successive|month[ -]to[ -]month|year[ -]to[ -]year|renewal)\b.*\b(?:unless|until|notif|notice|elect)\w*\b.*(?:\bdays?\b|\bmonths?\b)`},
			{need: `\b(?:notif|notice)\w*\b.*\b(?:not (?:to )?(?:renew|extend)|non-?renewal|intent\w* (?:not )?to (?:renew|terminate))\b.*\b(?:days?|months?)\b`},
			{need: `\b(?:days?|months?)\b.*\b(?:notice)\b.*\b(?:not (?:to )?(?:renew|extend)|non-?renewal|(?:end|expiration) of the (?:then|initial|current|renewal))`},
		},
		veto:   `\binsurance\b|\bpatent|\bforce majeure\b|\bbankrupt|\bextension of time\b|\bcertificate|\boption to (?:renew|extend)\b[^;]*\bby\b[^;]*\bnotice`,
		why:    "The passage speaks of renewal and of time, but sets no notice for stopping a renewal.",
		trust:  0.88,
		answer: noticeAnswer,
	},
	{
		category: "Termination for Convenience",
		triggers: []string{
			`\b(may|to|be|can|could)( [a-z]+){0,3} (terminate|terminated|cancel|cancelled|canceled)\b`,
			`\b(for convenience|without cause|any reason|no reason|terminable)\b`,
		},
		accept: []test{
			{need: `\b(?:may|right to|right of|entitled to|can|could|option to|reserves?)\b[^;]*\b(?:terminat|cancel)\w*\b[^;]*\b` + noReason + `\b`, not: afterwards},
			{need: `\b(?:terminable|be terminated|be cancell?ed|terminates?|terminated by either party)\b[^;]*\b` + noReason + `\b`, not: afterwards},
			{need: `\b` + noReason + `\b[^;]*\b(?:may|right to|entitled to|be terminated by|terminable)\b[^;]*\b(?:terminat|cancel)\w*`, not: afterwards},
			{need: `\b(?:may|right to|entitled to|can|option to|could)\b[^;]{0,60}\b(?:terminate|cancel|be terminated|be cancell?ed)\b[^;]{0,160}\bat any time\b[^;]*\bnotice\b`, not: because},
			{need: `\b(?:may|right to|entitled to|can|option to|could)\b[^;]{0,120}\b(?:terminate|cancel|be terminated|be cancell?ed)\b[^;]{0,250}(?:\bdays\b|\bmonths?\b|\bday\b)'?[^;]{0,40}\bnotice\b`, not: because},
			{need: `\b(?:may|right to|entitled to|can|option to|could)\b[^;]{0,120}\b(?:terminate|cancel|be terminated|be cancell?ed)\b[^;]{0,160}\bnotice\b[^;]{0,80}(?:\bdays\b|\bmonths?\b)`, not: because},
			{need: `\b(?:may|right to) (?:terminate|cancel) (?:this|the) (?:\w+ )?agreement,?(?: effective)?(?: at any time)?(?: \w+){0,8},? (?:upon|by|on|with)(?: giving| providing)?(?: at least| not less than)?(?: \w+)? ?\(?"?\d+"?\)? (?:calendar |business )?(?:days|months)'? (?:prior |advance )?(?:written )?notice`, not: `\bnotice (?:\w+ ){0,8}(?:if|in the event|of (?:such|a|any) (?:material )?(?:breach|default))`},
			{need: `\bat any time\b[^;]{0,160}\b(?:terminate|cancel)\b[^;]{0,160}\bnotice\b`, not: because},
			{need: `\bsole discretion\b[^;]{0,20}\bterminate\b[^;]*\bnotice\b`},
			{need: `\bmonth[ -]to[ -]month\b[^;]*\bterminat[^;]*\bnotice\b`},
			{need: `\bterminable (?:\w+ ){0,3}(?:at will|upon|on)\b`, not: because},
		},
		veto:  `\bterminat[^;]{0,60}\bonly (?:for|upon)\b|\bwithout cause\b[^;]{0,40}\bshall not\b`,
		why:   "The passage speaks of ending the contract, but not at will.",
		trust: 0.92,
	},
	{
		category: "Post-Termination Services",
		triggers: []string{
			`\b(termination|expiration|expiry|expires?|terminates?|terminated)\b`,
			`\b(sell-?off|wind-?down|transition|phase-?out|last[ -]time[ -]buy|tail) (period|services?|assistance|plan|purchase)\b`,
			`\bthereafter\b`,
			`\bsuccessor (provider|supplier|contractor|vendor)\b`,
		},
		accept: []test{
			{need: `\b(?:upon|after|following|event of|on)\b[^;]{0,60}\b(?:termination|expiration|expiry)\b[^;]{0,250}\b(?:continue to|right to (?:sell|continue)|sell[ -]?off|transition|wind[ -]?down|assist|complete|fulfil|honou?r|repurchase|buy back|purchase|deliver|dispose|sell|for a period of|reassign|transfer to|process orders|provide)`, not: `\bconfidential|\bnon-?compet|\bsolicit|\bsurviv|\bcease\b|\bautomatically renew|\bdestroy|\b(?:shall|will|may) not\b|\bshall commence\b|\bdelete\b|\bdiscontinue`},
			{need: `\b(?:sell[ -]?off|wind[ -]?down|transition|phase[ -]?out|last[ -]time[ -]buy)\b[^;]{0,40}\b(?:period|services?|assistance|plan|purchase)\b`, not: `\bseparation\b`},
			{need: `\b(?:sell|liquidate|dispose of|distribute)\b[^;]{0,160}\b(?:inventory|stock|remaining|products)\b[^;]{0,160}\b(?:after|following|upon)\b[^;]{0,40}\b(?:termination|expiration)`},
			{need: `\b(?:commissions?|royalt\w+|compensation|payments?)\b[^;]{0,160}\b(?:continue|payable|paid)\b[^;]{0,160}\b(?:after|following)\b[^;]{0,40}\btermination`},
			{need: `\bif this agreement (?:is terminated|expires|terminates)\b.{0,120}\b(?:promptly|shall|will)\b.{0,40}\b(?:furnish|deliver|complete|transfer|assist|continue|purchase)`, not: `\breturn\b|\bdestroy`},
			{need: `\bshould (?:the|this) agreement (?:expire|terminate)\b.{0,200}\b(?:completed|continue)`},
			{need: `\b(?:expires?|terminat\w+)\b.{0,250}\b(?:obligated|required|continue) to (?:process|fill|fulfil|honou?r|complete|perform|provide|support|ship)\b`},
			{need: `\b(?:compensation|commissions?|payments?)\b[^;]{0,60}\bcontinue\b[^;]{0,120}\bafter|\bcontinue for an? (?:extended )?period\b[^;]{0,80}\bterminat`},
			{need: `\b(?:retain|keep|maintain)\b[^;]{0,160}\brecords\b[^;]{0,200}\b(?:(?:after|following)\b[^;]{0,40}\b(?:termination|expiration)|term\b[^;]{0,60}\bthereafter)`},
			{need: `\brecords\b[^;]{0,40}\b(?:kept|retained|maintained)\b[^;]{0,100}\b(?:after|following)\b[^;]{0,40}\b(?:termination|expiration)`},
			{need: `\b(?:transfer|transition|migration|migrat\w+)\b[^;]{0,60}\bto (?:a|the|any|another|its) (?:successor|replacement|new|alternate|alternative|third)`, not: `\b(?:may|shall) not\b|\bassign`},
			{need: `\borders?\b[^;]{0,80}\b(?:before|prior to)\b[^;]{0,60}\bterminat\w*[^;]{0,120}\b(?:filled|fulfilled|honou?red|completed|shipped|performed)\b`},
			{need: `\bwithin\b[^;]{0,40}\bdays\b[^;]{0,20}\b(?:of|after|following)\b[^;]{0,40}\b(?:termination|expiration)\b[^;]{0,120}\b(?:shall|will)\b[^;]{0,40}\b(?:assign|pay|transfer|purchase|repurchase|refund|submit|provide)\b`, not: `\breturn\b|\bdestroy`},
			{need: `\b(?:provide|supply|support|make available|furnish|perform)\b[^;]{0,160}\bfor\b[^;]{0,40}\b(?:days|months?|years?) (?:after|following)\b[^;]{0,40}\b(?:termination|expiration)\b`},
			{need: `\b(?:commissions?|royalt\w+|compensation)\b[^;]{0,200}\b(?:before|prior to)\b[^;]{0,40}\b(?:end|expiration|termination)\b[^;]{0,120}\bthereafter\b`},
		},
		veto:  `\bthe term of this agreement shall\b|\bconfidential information\b|\bsolicit|\bcompet|\bno (?:further|other) (?:use|compensation)|\bremain in (?:full force and )?effect\b|\binvoice\b|\bcredit balance`,
		why:   "The passage speaks of the end of the contract, but leaves no service or sale to be done after it.",
		trust: 0.8,
	},
}

// notTerm are sentences about other periods than the contract's initial one.
const notTerm = `^(?:thereafter|after the initial term|after the expir|upon (?:the )?(?:expiration|termination)|at the end of the initial|(?:the|this) (?:initial )?(?:term|agreement|contract)(?: of this agreement)? (?:shall|will|may) (?:also |then |thereafter |be )*(?:automatically )?(?:be )?(?:renew|extend))|^(?:renewal )?(?:the|this) [^\d,]{0,80}\b(?:shall|will) (?:be )?automatically (?:be )?(?:renew|extend)|\bthe (?:initial )?term shall (?:also )?automatically\b|\brenewal term\b[^;]{0,60}\b(?:shall|will)|\bterminate this (?:\w+ )?agreement\b[^;]{0,120}\b(?:if|upon|notice)|\bduring the term\b|\bpayment terms?\b|\bterms and conditions\b`

// noReason is what makes a termination one for convenience.
const noReason = `(?:for (?:its |their |any )?convenience|without cause|without any cause|for any (?:or no )?reason|for any reason or no reason|(?:for )?no reason|without (?:giving |stating |any )?reason|at will|at the (?:sole )?(?:discretion|option|election) of (?:either|any))`

// afterwards are sentences about what follows a termination.
const afterwards = `^(?:upon|following|after|in the event|on|if|termination)\b|\bnot (?:be )?(?:terminat|cancel)`

// because are grounds and occasions: a right to terminate that needs one is not for convenience.
const because = `\b(?:breach|default|insolven|bankrupt|fails?|failure|cure|cured|violat|force majeure|change (?:of|in) control|if (?:the|any|either|such)|in the event|for cause|non-?payment|infring|nonrenew|not to renew|material)\b`
