package lexical

import (
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// An answer normalises the quotes of a category; none means absent.
type answer func(*Document, []clause.Quote) string

// yesNo is the answer of every category but Governing Law.
func yesNo(_ *Document, quotes []clause.Quote) string {
	if len(quotes) == 0 {
		return "No"
	}
	return "Yes"
}

// place names the law of the most confident quote that names one.
func place(d *Document, quotes []clause.Quote) string {
	for _, i := range strongest(quotes) {
		q := quotes[i]
		if name := lawOf(words(d.text[q.Start:q.End])); name != "" {
			return name
		}
	}
	return ""
}

// lawOf returns the place by the word law, else the first place at all.
func lawOf(ws []word) string {
	if name := byLaw(ws); name != "" {
		return name
	}
	return firstPlace(ws)
}

// byLaw returns the place that follows "law of", or stands before "law" as in "English law". A
// state goes before the United States.
func byLaw(ws []word) string {
	union := ""
	for i, w := range ws {
		if w.stem != "law" {
			continue
		}
		for _, near := range [][]word{ws[i+1 : min(len(ws), i+14)], ws[max(0, i-4):i]} {
			name := firstPlace(near)
			if name != "" && name != unitedStates {
				return name
			}
			if union == "" {
				union = name
			}
		}
	}
	return union
}

const unitedStates = "United States"

// firstPlace finds the first name of the gazetteer, the longest of several at one word. The United
// States give way to a later name.
func firstPlace(ws []word) string {
	union := ""
	for i := range ws {
		name := placeAt(ws[i:])
		if name != "" && name != unitedStates {
			return name
		}
		if union == "" {
			union = name
		}
	}
	return union
}

func placeAt(ws []word) string {
	if !ws[0].capital() {
		return ""
	}
	for n := min(5, len(ws)); n > 0; n-- {
		if name, ok := gazetteer[joined(ws[:n])]; ok {
			return name
		}
	}
	return ""
}

func joined(ws []word) string {
	parts := make([]string, len(ws))
	for i, w := range ws {
		parts[i] = strings.TrimSuffix(w.lower, "'s")
	}
	return strings.Join(parts, " ")
}

// gazetteer maps a name in lower case to the answer.
var gazetteer = places()

func places() map[string]string {
	m := map[string]string{}
	add := func(list, suffix string) {
		for name := range strings.SplitSeq(list, ",") {
			name = strings.TrimSpace(name)
			m[strings.ToLower(name)] = name + suffix
		}
	}
	add(states, "")
	add(countries, "")
	for country, list := range provinces {
		add(list, ", "+country)
	}
	for name, answer := range aliases {
		m[name] = answer
	}
	return m
}

const states = `Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware,
	District of Columbia, Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky,
	Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana,
	Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota,
	Ohio, Oklahoma, Oregon, Pennsylvania, Puerto Rico, Rhode Island, South Carolina, South Dakota,
	Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming`

var provinces = map[string]string{
	"Canada": `Alberta, British Columbia, Manitoba, New Brunswick, Newfoundland and Labrador,
		Nova Scotia, Ontario, Prince Edward Island, Quebec, Saskatchewan`,
	"Australia": `New South Wales, Queensland, South Australia, Tasmania, Victoria, Western Australia`,
}

const countries = `Argentina, Australia, Austria, Bahamas, Bahrain, Bangladesh, Barbados, Belgium,
	Belize, Bermuda, Bolivia, Brazil, British Virgin Islands, Bulgaria, Cambodia, Canada, Cayman Islands,
	Chile, China, Colombia, Costa Rica, Croatia, Curaçao, Cyprus, Czech Republic, Denmark, Ecuador,
	Egypt, England, England and Wales, Estonia, Finland, France, Germany, Ghana, Gibraltar, Greece,
	Guatemala, Guernsey, Hong Kong, Hungary, Iceland, India, Indonesia, Iraq, Ireland, Isle of Man,
	Israel, Italy, Jamaica, Japan, Jersey, Jordan, Kazakhstan, Kenya, Kuwait, Latvia, Lebanon,
	Liechtenstein, Lithuania, Luxembourg, Macau, Malaysia, Malta, Marshall Islands, Mauritius, Mexico,
	Monaco, Mongolia, Morocco, Netherlands, New Zealand, Nigeria, Northern Ireland, Norway, Oman,
	Pakistan, Panama, Paraguay, Peru, Philippines, Poland, Portugal, Qatar, Romania, Russia,
	Saudi Arabia, Scotland, Serbia, Seychelles, Singapore, Slovakia, Slovenia, South Africa,
	South Korea, Spain, Sri Lanka, Sweden, Switzerland, Taiwan, Thailand, Trinidad and Tobago, Turkey,
	Ukraine, United Arab Emirates, United Kingdom, Uruguay, Venezuela, Vietnam, Wales`

// aliases are other spellings, adjectives and places whose country goes without saying.
var aliases = map[string]string{
	"united states": unitedStates, "united states of america": unitedStates, "usa": unitedStates,
	"u.s.a": unitedStates, "u.s": unitedStates, "people's republic of china": "China",
	"people republic of china": "China", "prc": "China", "p.r.c": "China", "p.r. china": "China",
	"republic of korea": "South Korea", "korea": "South Korea", "russian federation": "Russia",
	"uk": "United Kingdom", "u.k": "United Kingdom", "great britain": "United Kingdom",
	"hksar": "Hong Kong", "viet nam": "Vietnam", "québec": "Quebec, Canada", "brasil": "Brazil",
	"republic of china": "Taiwan", "federal republic of germany": "Germany", "england and wales": "England and Wales",
	"english": "England", "german": "Germany", "french": "France", "swiss": "Switzerland",
	"dutch": "Netherlands", "israeli": "Israel", "japanese": "Japan", "swedish": "Sweden",
	"italian": "Italy", "irish": "Ireland", "scottish": "Scotland", "indian": "India",
	"australian": "Australia", "canadian": "Canada", "chinese": "China", "danish": "Denmark",
	"norwegian": "Norway", "belgian": "Belgium", "austrian": "Austria", "singaporean": "Singapore",
	"tel aviv": "Israel", "commonwealth of puerto rico": "Puerto Rico",
}
