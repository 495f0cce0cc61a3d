package pattern

// Rules about who owns what is made under the contract.
var ipRules = []rule{
	{
		category: "IP Ownership Assignment",
		triggers: []string{
			`\bworks? (made )?for hire\b`,
			`\b(hereby|will|shall|to|does|and)( [a-z]+){0,4} (assigns?|transfers?|conveys?)\b`,
			`\b(property of|owned( [a-z]+){0,2} by|belongs? to|owner of|own all|shall own|will own|ownership of)\b`,
			`\bvest(s|ed|ing)?\b`,
			`\btitle (to|in)\b`,
			`\bassigns\b`,
			`\bbelongs?\b`,
		},
		accept: []test{
			{need: `\bworks?[ -](?:made[ -])?for[ -]hire\b`},
			{need: `\b(?:hereby|does|agrees? to|shall|will|and)\b[^;]{0,40}\b(?:assigns?|transfers?|conveys?)\b.{0,80}\b(?:to|all|its|his|any|such)\b.{0,300}\b(?:right|rights|title|interest|copyrights?|inventions?|intellectual property|patents?|ownership|work product|improvements?)\b`, not: `\b(?:not|nor|neither)\b[^;]{0,40}\b(?:assigns?|transfers?|conveys?)\b|\brights (?:and obligations )?(?:under this|hereunder)|\b(?:assign|transfer) (?:or \w+ )*(?:this agreement|any of its|its (?:rights|interest))|\bobligations\b|\bdelegate|\bprior (?:\w+ )?written consent\b|\bgrants\b`},
			{need: `\b(?:created|developed|invent\w*|conceived|made|produced|prepared|discovered|authored|reduced to practice|arising|generated|result\w*)\b[^;]{0,500}\b(?:be|become|remain|is|are)\b[^;]{0,30}\b(?:sole|exclusive|property of|owned (?:solely |exclusively )?by|belong)\b[^;]{0,80}`, not: `\bjointly own|\bjoint (?:property|inventions?|improvements?)|\b(?:by or for itself|each party|its own|solely by|prior to|confidential information|user information|customer data|provided by|trademark)\b`},
			{need: `\bintellectual property\b[^;]{0,80}\bbelongs? to\b`},
			{need: `\b(?:shall|will) (?:\w+ )?own\b[^;]{0,200}\b(?:created|developed|inventions?|improvements?|work product|deliverables?|derivative|modifications?|results?)\b`, not: `\bjoint`},
			{need: `\b(?:deliverables?|work product|inventions?|developments?|derivative works?|improvements?|modifications)\b[^;]{0,200}\b(?:be|become|are|is)\b[^;]{0,40}\b(?:property of|owned by|belong)`, not: `\bjointly own|\bjoint (?:property|inventions?|improvements?)|\bsolely by\b`},
			{need: `\b(?:created|developed|work product|conceived|produced|prepared)\b[^;]{0,200}\bbelongs? (?:\w+ )?to\b`, not: `\bjoint|\bsolely by`},
			{need: `\bnot vest\b.{0,200}\bassigns?\b`},
			{need: `\btitle (?:to|in)\b[^;]{0,80}\b(?:software|works?|deliverables?|inventions?|designs?|developments?)\b[^;]{0,60}\b(?:pass|vest|transfer)`, not: `\bnot (?:pass|vest|transfer)|\brisk of loss\b|\bjoint`},
			{need: `\bvest (?:\w+ ){0,3}(?:ownership|title|rights?)\b[^;]{0,100}\b(?:inventions?|works?|intellectual|deliverables?|developments?)\b`},
			{need: `\b(?:work product|works?|inventions?|deliverables?|intellectual property|developments?)\b[^;]{0,120}\b(?:shall|will) (?:\w+ )?vest (?:\w+ )?in\b`, not: `\bjointly\b|\bboth parties\b`},
			{need: `\bassigns? (?:to|unto)\b[^;]{0,60}\b(?:any|all|its|his|her|such|the)\b[^;]{0,60}\b(?:inventions?|works?|copyrights?|patents?|right, title|intellectual)`, not: `\b(?:not|nor|neither)\b[^;]{0,60}\bassigns?\b|\bif\b|\bright to enforce\b|\brights (?:and obligations )?(?:under this|hereunder)`},
		},
		veto:  `^"?confidential information"? (?:means|shall mean|includes)|\brepresents and warrants\b|\bprior to the (?:effective )?date\b|\bpre-?existing\b|\bbackground\b|\bsuccessors and (?:permitted )?assigns\b.{0,160}$|^this agreement\b|\bnothing (?:contained )?(?:herein|in this)|\bsub-?license any\b|\bsale or transfer of\b|\bassign this agreement\b|\bconfidential information\b[^;]{0,60}\bproperty of\b|\b(?:tangible|real) property of\b`,
		more:  `\battorney-in-fact\b`,
		why:   "The passage speaks of ownership, but moves no intellectual property from one party to the other.",
		trust: 0.65,
	},
	{
		category: "Joint IP Ownership",
		triggers: []string{
			`\bjoint(ly)?( [a-z]+){0,4} (own|owned|owner|owners|ownership|property)\b`,
			`\bco-?own(ed|er|ers|ership)?\b`,
			`\b(owned|own|property|vest)\b[^.;]{0,80}\b(jointly|equal(ly)?|both parties|equal undivided)\b`,
			`\bjoint (inventions?|intellectual|improvements?|patents?|technology|ip|developments?|works?|know-how)\b`,
			`\bundivided( [a-z-]+){0,3} interest\b`,
		},
		accept: []test{
			{need: `\bjoint(?:ly)?\b[^;]{0,40}\b(?:own|owned|owners?|ownership|property)\b`, not: `\b(?:real property|bank account|premises|equipment|venture)\b`},
			{need: `\bco-?own`},
			{need: `\b(?:owned|own|property of|vest)\b[^;]{0,80}\b(?:jointly|by both parties|equally by|equal undivided)\b`},
			{need: `\bundivided\b[^;]{0,40}\binterest\b[^;]{0,160}\b(?:joint|patent|invention|intellectual)`},
			{need: `\b(?:designated|considered|be|"joint)\b[^;]{0,30}\bjoint (?:inventions?|intellectual property|improvements?|patents?|ip|technology)\b`, not: `\blicen[sc]e|\bassign`},
		},
		veto:  `\bjoint venture\b[^;]{0,60}\b(?:create|constitute|partner)|\bjointly[ -]owned (?:entity|company|subsidiar|affiliate)|\bnot (?:be )?(?:joint|co-own)`,
		why:   "The passage mentions joint things, but no intellectual property owned together.",
		trust: 0.5,
	},
	{
		category: "Source Code Escrow",
		triggers: []string{
			`\bescrow(s|ed)?\b`,
			`\bdeposit[^.;]{0,80}\bsource code\b`,
		},
		accept: []test{
			{need: `\bescrow(?:ed)?\b[^;]*\b(?:source|code|software|materials|documentation|technology)\b`},
			{need: `\b(?:source|code|software|technology)\b[^;]*\bescrow`},
			{need: `\b(?:escrow agent|escrow agreement|deposit materials?|released? from escrow)\b`, not: `\b(?:funds?|shares|stock|purchase price|closing|payment|money|cash|earnest)\b`},
		},
		veto:  `\b(?:escrow account|escrow fund|earnest money|title)\b`,
		why:   "The passage mentions an escrow, but not of source code.",
		trust: 0.5,
	},
}
