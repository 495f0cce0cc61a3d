package gate

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longestAbsence is how many words an answer may have that says no more than that there is nothing.
// Prose is longer, and says what else there is.
const longestAbsence = 25

// Words by which an answer says that what was asked for is not there. A text is such an answer where it
// is made of nothing else: "none of the parties may assign" says more, and so does "no limit".
var (
	// missingWords say it alone.
	missingWords = wordSet(`none nil null absent missing unknown undefined unspecified undisclosed unavailable inapplicable unstated
		unaddressed nothing blank empty silent omitted lacking lacks tbd tba nan undetermined unclear nowhere
		keine keiner keines kein fehlt fehlend entfällt unbekannt nichts leer abwesend unbestimmt
		aucun aucune néant inconnu inconnue rien manquant manquante
		ninguno ninguna nada ausente desconocido desconocida
		nessuno nessuna niente assente sconosciuto mancante
		nenhum nenhuma desconhecido
		geen onbekend afwezig ontbreekt niets leeg
		brak ingen inget saknas mangler ukendt yok
		отсутствует неизвестно ничего
		无 無 没有 未知 不明 不存在 不适用 不適用 未找到 未提及 未提供 未说明 未規定 なし 無し 該当なし 記載なし 見つかりません ありません 없음 해당없음 찾을수없음 알수없음`)

	// notWords say it of one of the words below.
	notWords = wordSet(`not no non cannot can't couldn't didn't doesn't don't isn't wasn't weren't aren't hasn't haven't never without unable neither
		nicht ohne kein keine keinen keiner keinerlei pas sans aucun aucune ne n sin ninguna ningún ninguno no senza nessuna nessun non
		não nao sem nenhuma nenhum niet geen nie brak inte ikke не нет`)
	thereWords = wordSet(`found find present available applicable apply applies mentioned mention stated state states specified specify specifies provided
		provide provides disclosed disclose included include includes given give gives known addressed address addresses
		defined define defines identified identify listed list contained contain contains indicated indicate located locate determined determine
		set out exist exists existent existing there discussed discuss discussed described describe supplied detected detect extracted extract appear appears
		visible reported shown say says said speak speaks answer answered result results match matches hit hits evidence information info data details detail
		reference references clause clauses provision provisions entry entries value record records occurrence occurrences trace
		vorhanden gefunden angegeben anwendbar enthalten bekannt zutreffend erwähnt genannt geregelt verfügbar angabe angaben auffindbar ersichtlich
		trouvé trouvée présent présente précisé précisée mentionné mentionnée applicable disponible spécifié spécifiée indiqué indiquée objet information
		encontrado encontrada presente aplica aplicable disponible especificado especificada consta hay existe menciona mencionado información
		trovato trovata presente applicabile disponibile specificato specificata indicato informazione
		encontrado encontrada aplicável aplicavel disponível especificado há informação informações
		gevonden aanwezig toepassing beschikbaar vermeld gespecificeerd bekend informatie
		znaleziono dotyczy podano hittades tilgængelig
		найдено указано применимо упомянуто упоминается данных информации`)

	// fillWords say nothing about what there is.
	fillWords = wordSet(`a an the this that these those it its there here is was are were be been being has have had do does did will would could can may might
		i we you of in on at by for from to with within under and or any such as all so far anywhere explicitly expressly specifically directly clearly
		document documents contract contracts agreement agreements text texts lease source sources input inputs file material page pages section sections
		term terms aspect aspects topic subject matter question item items field key language wording regarding about concerning
		based search searched searching review reviewed after which about respect sorry unfortunately
		der die das dem den des ein eine im in ist sind wurde wurden zu zum zur dazu hierzu es wird werden dokument vertrag text klausel
		le la les l un une des du de d dans il y a est sont été été document contrat texte clause se s
		el los las una uno en del se ha han es está están documento contrato texto cláusula
		il lo gli nel nella è sono stato stata contratto testo documento clausola o os as um uma no na foi são
		het een van in is zijn werd op document contract tekst clausule er
		в и это документ документе договор договоре тексте`)

	// shortForms are written with dots, slashes or nothing between their letters.
	shortForms = wordSet(`na nv ka kan nvt so nd sd nb none nil null`)
)

// isAbsence reports whether a value says no more than that what was asked for is not there. An answer may
// repeat the words that it is about.
func isAbsence(v any, about string) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return absentText(v, about)
	case []any:
		for _, e := range v {
			if !isAbsence(e, about) {
				return false
			}
		}
		return true
	case map[string]any:
		return absentObject(v, about)
	}
	return false
}

// answers are members of an answer that say it: where they say nothing, the rest does not matter.
var answers = map[string]bool{"value": true, "answer": true, "text": true, "result": true}

// besides are members of an answer that say how sure it is, or where it was looked for.
var besides = map[string]bool{"confidence": true, "score": true, "search": true, "key": true, "document": true}

func absentObject(v map[string]any, about string) bool {
	for _, name := range []string{"present", "found", "exists"} {
		if there, said := v[name].(bool); said && !there {
			return true
		}
	}
	decisive, all := false, true
	for name, e := range v {
		gone := besides[name] || isAbsence(e, about)
		if answers[name] {
			decisive = true
			if !gone {
				return false
			}
		}
		all = all && gone
	}
	return decisive || all
}

func absentText(s string, about string) bool {
	if figured(s, about) {
		return false
	}
	words, joined := absenceWords(s)
	dashes := joined == "" && !strings.ContainsFunc(s, unicode.IsSymbol) // "✓" says something
	return dashes || shortForms[joined] || absentWords(words, about)
}

// absentWordsOf is absentText for an answer that a quote stands behind: a dash or "n/a" may be one.
func absentWordsOf(s string, about string) bool {
	if figured(s, about) {
		return false
	}
	words, joined := absenceWords(s)
	return !shortForms[joined] && absentWords(words, about)
}

// figured reports whether a text states a figure: it says something then, if not of what it is about.
func figured(s, about string) bool {
	return strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(about, "0123456789")
}

// absenceWords are the words of a text in lower case, none of one that is too long, and their letters.
func absenceWords(s string) ([]string, string) {
	if len(s) > 20*longestAbsence {
		return nil, "…"
	}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, strings.ReplaceAll(norm.NFKC.String(s), "’", "'"))
	words := strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\''
	})
	joined := strings.Join(words, "")
	if missingWords[joined] {
		words = []string{joined} // "見つかり ません"
	}
	if len(words) > longestAbsence {
		words = nil
	}
	return words, joined
}

// absentWords reports whether words are all about not being there.
func absentWords(words []string, about string) bool {
	alone, not, there := false, false, false
	var topic map[string]bool
	for _, w := range words {
		w = strings.Trim(w, "'")
		switch {
		case missingWords[w]:
			alone, not = true, not || notWords[w]
		case notWords[w]:
			not = true
		case thereWords[w]:
			there = true
		case !fillWords[w]:
			if topic == nil {
				topic = aboutWords(about)
			}
			if !topic[w] {
				return false
			}
		}
	}
	return alone || not && there
}

// aboutWords are the words of an aspect.
func aboutWords(aspect string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(aspect), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w] = true
		words[strings.TrimSuffix(w, "s")] = true
	}
	return words
}
