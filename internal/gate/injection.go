package gate

import "regexp"

// injectionRows know the phrases by which a text tries to command whoever reads it. A person looks
// at what they find; what a worker may do never depends on them (RELIABILITY.md §1.2).
var injectionRows = []detectorRow{
	{
		what: "an order to drop earlier instructions", needs: []string{"ignor", "disregard", "forget", "overlook", "override", "bypass", "neglect"},
		re: regexp.MustCompile(`(?i)\b(?:ignor\w*|disregard\w*|forget|overlook|overrid\w*|bypass\w*|neglect)\b[^.\n]{0,40}\b(?:instruct\w*|instuct\w*|directives?|orders|guidelines|prompts?|the above|(?:previous|prior|earlier|preceding|above) (?:text|message|rules?|content|conversation|context|commands?)|system (?:message|prompt|rules?)|(?:all|about) (?:of )?(?:th\w+ )?rules|everything (?:you|above|before)|everthing|safety (?:rules|filters|guidelines))`),
	},
	{
		what: "an order to drop the task", needs: []string{"ignor", "disregard", "instead of"},
		re: regexp.MustCompile(`(?i)\b(?:ignor\w*|disregard\w*)\s+(?:the|this|that)\s+(?:webpage|web page|website|page|document|function|code|user|question|request|task|text|query|article|e-?mail)\b`),
	},
	{
		what: "an order to drop earlier instructions", needs: []string{"instruc", "istruz", "anweisung", "consignes", "указани", "инструкц", "指示", "指令", "지시", "निर्देश", "instru"},
		re: regexp.MustCompile(`(?i)(?:ignor(?:a|e|ez|iere|iert|ar|are)\s[^.\n]{0,30}(?:instruc\w+|instru[cç][õo]es|istruzioni|anweisungen|consignes)|игнорир[^.\n]{0,40}(?:инструкц|указани)|(?:忽略|无视|忽視|無視)[^。\n]{0,20}(?:指示|指令|说明|說明)|(?:指示|指令)[^。\n]{0,10}(?:無視|忽略)|지시[^.\n]{0,12}무시|निर्देश[^।\n]{0,20}अनदेख)`),
	},
	{
		what: "a new role for the reader", needs: []string{"you are now", "act as", "pretend", "roleplay", "role-play", "role of", "you will now", "from now on", "simulate"},
		re: regexp.MustCompile(`(?i)\b(?:you are now (?:a|an|the|in|my|called|known|going|dan)\b|from now on,? you\b|you will (?:now )?(?:act|pretend|play|behave)\b|pretend (?:to be|that you|you)|(?:into|play|assume|take on) the role of (?:an?(?:other)? )?(?:ai|model|assistant|system|dan|evil)|act as (?:if you|an? (?:ai|dan|unrestricted|evil|system|admin|hacker))|roleplay as)`),
	},
	{
		what: "a known way to unlock a model", needs: []string{"jailbreak", "do anything now", "developer mode", "dan ", "god mode", "no restrictions", "special filter", "maintenance mode", "override mode", "system mode", "system override", "debug mode"},
		re: regexp.MustCompile(`(?i)\b(?:jailbr\w+|do anything now|(?:developer|god|debug|maintenance|admin|sudo|unrestricted|override|system) mode|system override|no special filter\w*|without (?:any )?(?:restrictions|filters|limitations))\b`),
	},
	{
		what: "marks that set off a model's own messages", needs: []string{"<|", "[inst", "<<sys", "system:", "system>", "[system", "### instruction", "### system", "assistant:", "human:"},
		re: regexp.MustCompile(`(?im)(?:<\|(?:im_start|im_end|system|user|assistant|endoftext)\|?>?|\[/?INST\]|<</?SYS>>|^\s*(?:system|assistant)\s*:|</?system(?:[ _-](?:prompt|mode|message))?>|\[system\]|^#{2,}\s*(?:instruction|system)s?\b|\n\n(?:human|assistant):)`),
	},
	{
		what: "a question for hidden instructions or secrets", needs: []string{"system prompt", "your instructions", "initial prompt", "secret", "passw", "passcode", "confidential", "passphrase"},
		re: regexp.MustCompile(`(?i)(?:\b(?:reveal|repeat|print|show|display|output|tell me|give me|share|what(?:'s| is| are| was)|provide|confirm|disclose|know|need|write|access|recite)\b[^.\n]{0,60}\b(?:your (?:system |initial |hidden |secret )?(?:prompt|instructions|guidelines|passwords?|passcode\w*|secrets?)|(?:the|our|this|a) (?:system )?(?:passwords?|passcode|passphrase|secret (?:key|code|word|phrase)|confidential (?:string|code|key)))|\bsystem prompt\b[^.\n]{0,20}\b(?:is|was|says)\b)`),
	},
	{
		what: "a question for a secret, in another language", needs: []string{"contraseña", "mot de passe", "passwort", "senha", "пароль", "パスワード", "密码", "密碼", "비밀번호", "पासवर्ड", "qual è la password", "wachtwoord", "hasło", "şifre", "كلمة"},
		re: regexp.MustCompile(`(?i)(?:cu[aá]l es|quel est|was ist|wie lautet|qual [éeè]|какой|что|何|什么|什麼|무엇|क्या|wat is|jakie|nedir|ما هي)[^.\n]{0,30}(?:contraseña|mot de passe|passwort|senha|password|пароль|密码|密碼|wachtwoord|hasło|şifre|كلمة)|(?:パスワード|비밀번호|पासवर्ड|密码|密碼|пароль)[^.\n]{0,12}(?:何|무엇|क्या|什么|什麼|какой)`),
	},
	{
		what: "a question for a person's data", needs: []string{"birth", "e-mail", "email", "address", "live", "balance", "bank", "social security", "initials", "phone", "credit card"},
		re: regexp.MustCompile(`(?i)\b(?:give me|tell me|send me|list|share|where (?:does|do|is|did)|what(?:'s| is| are| was| would)|can you|could you|generate)\b[^.\n]{0,60}\b(?:(?:the user|user|her|his|their|[A-Z]\w+(?:\s[A-Z]\w+)?)(?:'s|s'|s)? (?:\w+ ){0,2}(?:birth ?(?:date|day|year|month)|e-?mail(?: address)?|bank (?:balance|account)|current city|city of residence|favorite color|initials|location|phone number|home address|social security|credit card)|the user(?: \w+)? (?:live|living|reside)|(?:does|is) [A-Z]\w+(?: [A-Z]\w+)?(?: currently| now)? (?:live|living|reside))`),
	},
	{
		what: "an order about the output, hidden in a text", needs: []string{"output", "state:", "respond with", "say exactly", "reply with", "repeat", "state that"},
		re: regexp.MustCompile(`(?i)\b(?:the (?:only |correct |final )?output (?:could|should|must|will|would) be|(?:only |just )?(?:respond|reply|answer) (?:only )?with (?:the )?(?:word|phrase|text|exactly|["'“])|say exactly|and (?:say|state|repeat):? ['"“]|ignore [^.\n]{0,30} and (?:say|state|output|print|repeat|write|give))`),
	},
	{
		what: "an order to decode and follow a text", needs: []string{"decode", "base64", "rot13", "morse", "hexadecimal", "interlace", "z = a", "part 1"},
		re: regexp.MustCompile(`(?i)(?:\bdecode (?:this|the|it|and)\b|\b(?:base64|rot13|morse|hex(?:adecimal)?|caesar|binary)\b[^.\n]{0,30}\b(?:decode|message|string|cipher|code reply|and (?:tell|do|follow|execute))|\binterlace part\b|write down the string z|\bcombine (?:the )?(?:a, b|parts?|strings)|following parts: part 1)`),
	},
	{
		what: "an order to hide an action", needs: []string{"unnoticed", "undetected", "without leaving", "without detect", "knowledge", "trace", "without alert", "covert", "secretly", "without their", "without the", "avoid detect", "evade"},
		re: regexp.MustCompile(`(?i)\b(?:goes? unnoticed|(?:remain|stay|go(?:es)?|is|being) undetected|without (?:leaving )?(?:any )?(?:trace|detection|being (?:detected|noticed))|without (?:their|the (?:user|client|customer|patient|company)'?s?|anyone'?s?)(?: \w+)? (?:knowledge|knowing|noticing|awareness)|without alerting|covertly|(?:avoid|evad\w+) detection|don'?t tell (?:the )?(?:user|anyone)|do not (?:tell|inform|mention (?:this )?to) (?:the )?(?:user|anyone))`),
	},
	{
		what: "words addressed to whoever checks the output", needs: []string{"approve", "accept", "reviewer", "judge", "validator", "grader", "confidence", "score"},
		re: regexp.MustCompile(`(?i)(?:\b(?:dear |note to (?:the )?|attention,? )(?:reviewer|judge|validator|grader|checker|supervisor|evaluator)s?\b|\b(?:please |must |should |always )(?:approve|accept) (?:this|it|the (?:output|result|answer))\b|\b(?:mark|rate|score|grade|treat|count) (?:this|it|the (?:output|result|answer)) as (?:approved|accepted|correct|valid|verified|10|complete)|\brecommendation["']?\s*[:=]\s*["']?accept\b|\bthis (?:output|result|answer) (?:has (?:already )?been|is pre-?) ?(?:approved|verified|checked))`),
	},
	{
		what: "a flood of one phrase", length: 300,
		re:   regexp.MustCompile(`(?s).+`),
		fits: func(m, _ string) bool { return flood(m) },
	},
	{
		what: "hidden characters", needs: []string{"\u200b", "\u200c", "\u2060", "\ufeff", "\u202e", "\u202d", "\u2066", "\u2067", "\U000e0041", "\U000e0061", "\U000e0020"},
		re: regexp.MustCompile(`[\x{200B}\x{2060}\x{FEFF}]{2,}|[\x{202D}\x{202E}\x{2066}\x{2067}]|[\x{E0020}-\x{E007F}]{3,}`),
	},
}
