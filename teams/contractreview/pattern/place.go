package pattern

import (
	"regexp"
	"strings"
	"sync"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// places are the states, provinces and countries that contracts choose the law of.
var places = strings.Split("Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|"+
	"District of Columbia|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|"+
	"Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|"+
	"New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|"+
	"Pennsylvania|Puerto Rico|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|"+
	"West Virginia|Virginia|Washington|Wisconsin|Wyoming|Alberta|British Columbia|Manitoba|New Brunswick|"+
	"Nova Scotia|Ontario|Quebec|Saskatchewan|New South Wales|Victoria|Queensland|Argentina|Australia|"+
	"Austria|Bahamas|Barbados|Belgium|Bermuda|Brazil|British Virgin Islands|Bulgaria|Canada|Cayman Islands|"+
	"Chile|Colombia|Costa Rica|Croatia|Cyprus|Czech Republic|Denmark|Egypt|England|Estonia|Finland|France|"+
	"Germany|Gibraltar|Greece|Guernsey|Hong Kong|Hungary|Iceland|India|Indonesia|Ireland|Isle of Man|Israel|"+
	"Italy|Japan|Jersey|Jordan|Kazakhstan|Kenya|Korea|Kuwait|Latvia|Lebanon|Liberia|Liechtenstein|Lithuania|"+
	"Luxembourg|Macau|Malaysia|Malta|Marshall Islands|Mauritius|Mexico|Monaco|Mongolia|Netherlands|"+
	"New Zealand|Nigeria|Norway|Pakistan|Panama|China|Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia|"+
	"Saudi Arabia|Scotland|Serbia|Singapore|Slovakia|Slovenia|South Africa|Spain|Sweden|Switzerland|Taiwan|"+
	"Thailand|Turkey|Ukraine|United Arab Emirates|United Kingdom|United States|Uruguay|Venezuela|Vietnam|Wales", "|")

var canadian = map[string]bool{
	"Alberta": true, "British Columbia": true, "Manitoba": true, "New Brunswick": true,
	"Nova Scotia": true, "Ontario": true, "Quebec": true, "Saskatchewan": true,
}

// placeIn finds the known places in a lower-case sentence. Of two that begin at the same letter the
// earlier in the list wins, so "New Jersey" is not "Jersey".
var placeIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + strings.ToLower(strings.Join(places, "|")) + `)\b`)
})

// chosen is the choice itself: a place named before it is where something else happens.
var chosen = regexp.MustCompile(`\b(?:govern|constru|interpret|enforce|subject to|in accordance with|laws? of|contract under)`)

// placeAnswer names the place whose law the first quote that names one chooses.
func placeAnswer(d *Document, quotes []clause.Quote) string {
	for _, q := range quotes {
		s := d.sentences[d.at(q.Start)].lower
		if at := chosen.FindStringIndex(s); at != nil {
			if p := placeIn().FindString(s[at[0]:]); p != "" {
				return qualified(properly(p), s[at[0]:])
			}
		}
		if p := placeIn().FindString(s); p != "" {
			return qualified(properly(p), s)
		}
	}
	return ""
}

func properly(lower string) string {
	for _, p := range places {
		if strings.EqualFold(p, lower) {
			return p
		}
	}
	return lower
}

// qualified adds the country to a Canadian province, as lawyers write it.
func qualified(place, lower string) string {
	if canadian[place] && strings.Contains(lower, "canada") {
		return place + ", Canada"
	}
	return place
}
