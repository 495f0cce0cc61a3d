package lexical

import "strings"

// endings are taken off in order, the first that leaves three letters or more.
var endings = []struct{ off, on string }{
	{"ies", "y"}, {"sses", "ss"}, {"ied", "y"}, {"ing", ""}, {"ed", ""}, {"es", ""}, {"s", ""}, {"e", ""},
}

// whole are words whose ending is no ending.
var whole = map[string]string{
	"loss": "loss", "losses": "loss", "business": "business", "less": "less", "unless": "unless",
	"gross": "gross", "during": "during", "need": "need", "breach": "breach", "breaches": "breach",
	"this": "this", "thus": "thus", "has": "has", "was": "was", "his": "his", "its": "its",
	"united": "united", "proceeding": "proceeding", "wales": "wales", "illinois": "illinois",
	"texas": "texas", "kansas": "kansas", "arkansas": "arkansas", "netherlands": "netherlands",
	"massachusetts": "massachusetts", "states": "states", "licensee": "licensee", "laws": "law",
	"assignee": "assignee", "including": "including", "indeed": "indeed", "exceed": "exceed",
	"granted": "granted", // kept apart from grant: "rights granted" grants nothing
	"exceeds": "exceed", "exceeding": "exceed", "exceeded": "exceed", "fee": "fee", "fees": "fee",
}

// irregular maps past forms to the stem of their verb.
var irregular = map[string]string{
	"brought": "bring", "made": "mak", "gave": "giv", "given": "giv", "written": "writ",
	"writing": "writ", "sold": "sell", "bought": "buy", "held": "hold", "kept": "keep",
	"taken": "tak", "arisen": "aris", "arose": "aris", "paid": "pay", "lost": "los",
	"sought": "seek", "undertook": "undertak", "chosen": "choos", "shown": "show",
}

// stem cuts a lower-case word down to what its inflections share: assigns, assigned and assigning
// are assign. It leaves derived nouns alone: assignment is another word.
func stem(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
	if s, ok := whole[w]; ok {
		return s
	}
	if s, ok := irregular[w]; ok {
		return s
	}
	for _, e := range endings {
		if len(w)-len(e.off) >= 3 && strings.HasSuffix(w, e.off) && !strings.HasSuffix(w, "ss") {
			w = single(strings.TrimSuffix(w, e.off)) + e.on
			break
		}
	}
	return strings.Replace(w, "licenc", "licens", 1)
}

// single undoes the doubled consonant of an inflection: transferr is transfer.
func single(w string) string {
	n := len(w)
	if n > 4 && w[n-1] == w[n-2] && strings.IndexByte("bdgmnprt", w[n-1]) >= 0 {
		return w[:n-1]
	}
	return w
}
