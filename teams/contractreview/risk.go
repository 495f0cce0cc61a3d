package contractreview

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A level is how much a risk weighs.
type level string

// The levels, falling.
const (
	high   level = "high"
	medium level = "medium"
	low    level = "low"
)

var levels = []level{high, medium, low}

// A hazard is a declared rule: what is rated, and when. It never looks at a category that was not
// read, and it does not weigh the deal: it points at what a lawyer should look at first.
type hazard struct {
	id    string
	title string
	level level
	why   string
	when  []condition // all must hold
}

// A condition is about one category.
type condition struct {
	category string
	absent   bool
	says     *regexp.Regexp           // a quote matches; nil means any
	not      *regexp.Regexp           // no quote matches; nil means any
	holds    func(answer string) bool // of an answer; nil means any
}

func found(category string) condition  { return condition{category: category} }
func absent(category string) condition { return condition{category: category, absent: true} }

func saying(category, words string) condition {
	return condition{category: category, says: regexp.MustCompile(`(?is)` + words)}
}

func withoutSaying(category, words string) condition {
	return condition{category: category, not: regexp.MustCompile(`(?is)` + words)}
}

func answered(category string, holds func(string) bool) condition {
	return condition{category: category, holds: holds}
}

const (
	amount    = `\bexceed|\blimited to\b|\bin excess of\b|\bmaximum\b|\bgreater than\b|\bmore than\b[^.]{0,40}[$€£\d]|\bcap(?:ped)?\b`
	reasoned  = `\bunreasonabl|\breasonabl`
	automatic = `\bautomatic|\brenews? for\b|\bsuccessive\b|\bauto-renew|\bunless\b`
)

// farAhead is the notice, in days, from which a deadline to stop a renewal is easily missed.
const farAhead = 90

// hazards are in the order in which a report tells them within a level.
var hazards = []hazard{
	{
		"liability-unlimited", "Liability has no limit", high,
		"No clause limits what a party may owe for a breach.",
		[]condition{absent("Cap on Liability")},
	},
	{
		"exclusivity", "Exclusive dealing", high,
		"A party may not deal with others in what the contract covers.",
		[]condition{found("Exclusivity")},
	},
	{
		"non-compete", "Competition is restricted", high,
		"A party may not compete with the other.",
		[]condition{found("Non-Compete")},
	},
	{
		"renewal-far-notice", "Automatic renewal, to be stopped far ahead", high,
		"The contract renews by itself unless notice is given a long time before.",
		[]condition{saying("Renewal Term", automatic), answered("Notice Period to Terminate Renewal", far)},
	},
	{
		"change-of-control", "A change of control has consequences", high,
		"A sale or merger of a party needs consent, counts as an assignment, or lets the other side leave.",
		[]condition{found("Change of Control")},
	},
	{
		"liability-carve-outs", "Some liability is not limited", medium,
		"The limits of liability do not cover everything.",
		[]condition{found("Cap on Liability"), found("Uncapped Liability")},
	},
	{
		"liability-uncapped", "Unlimited liability", high,
		"The contract names liability without a limit.",
		[]condition{absent("Cap on Liability"), found("Uncapped Liability")},
	},
	{
		"liability-kinds-only", "Liability is limited in kind, not in amount", medium,
		"Some kinds of loss are excluded, but no clause sets an amount.",
		[]condition{withoutSaying("Cap on Liability", amount)},
	},
	{
		"liability-cap", "The limit of liability", medium,
		"The limit should be compared with the value of the contract and the insurance.",
		[]condition{saying("Cap on Liability", amount)},
	},
	{
		"renewal-automatic", "Automatic renewal", medium,
		"The contract renews by itself unless notice is given.",
		[]condition{saying("Renewal Term", automatic), answered("Notice Period to Terminate Renewal", near)},
	},
	{
		"renewal-no-notice", "Renewal without a time for notice", medium,
		"The contract renews, and no time is stated in which that can be stopped.",
		[]condition{found("Renewal Term"), absent("Notice Period to Terminate Renewal")},
	},
	{
		"assignment-free", "Assignment is not restricted", medium,
		"Either side may hand the contract to someone else.",
		[]condition{absent("Anti-Assignment")},
	},
	{
		"assignment-consent", "Assignment needs a consent that may be refused without a reason", medium,
		"The clause does not ask that consent be given or refused reasonably.",
		[]condition{withoutSaying("Anti-Assignment", reasoned)},
	},
	{
		"convenience", "The contract can be ended without a reason", medium,
		"A party may leave for convenience.",
		[]condition{found("Termination for Convenience")},
	},
	{
		"no-law", "No choice of law", medium,
		"No clause says which law governs the contract.",
		[]condition{absent("Governing Law")},
	},
	{
		"ip-assigned", "Rights are assigned", medium,
		"A party gives up ownership of what is created.",
		[]condition{found("IP Ownership Assignment")},
	},
	{
		"ip-joint", "Rights are owned jointly", medium,
		"Joint owners may need each other's consent to use or defend a right.",
		[]condition{found("Joint IP Ownership")},
	},
	{
		"license-forever", "A licence that cannot be taken back", medium,
		"A licence is perpetual or irrevocable.",
		[]condition{found("Irrevocable or Perpetual License")},
	},
	{
		"commitment", "Minimum commitment", medium,
		"A party must order or pay a minimum.",
		[]condition{found("Minimum Commitment")},
	},
	{
		"best-price", "Most favoured customer", medium,
		"A party must match the best terms it gives to others.",
		[]condition{found("Most Favored Nation")},
	},
	{
		"liquidated", "Damages or fees fixed in advance", medium,
		"An amount is due without proof of loss.",
		[]condition{found("Liquidated Damages")},
	},
	{
		"first-refusal", "A right of first refusal, offer or negotiation", medium,
		"A party must turn to the other before it deals with a third.",
		[]condition{found("ROFR/ROFO/ROFN")},
	},
	{
		"no-suit", "A covenant not to sue", medium,
		"A party may not contest a right or bring a claim.",
		[]condition{found("Covenant Not to Sue")},
	},
	{
		"no-hire", "No hiring of employees", low,
		"A party may not solicit the other's employees.",
		[]condition{found("No-Solicit of Employees")},
	},
	{
		"no-customers", "Customers may not be approached", low,
		"A party may not solicit the other's customers.",
		[]condition{found("No-Solicit of Customers")},
	},
	{
		"prices", "Prices are restricted", low,
		"A party may not set or raise prices freely.",
		[]condition{found("Price Restrictions")},
	},
	{
		"no-insurance", "No duty to insure", low,
		"No clause asks a party to hold insurance.",
		[]condition{absent("Insurance")},
	},
	{
		"third-party", "Others may enforce the contract", low,
		"A person who is no party has rights under the contract.",
		[]condition{found("Third Party Beneficiary")},
	},
}

func far(answer string) bool {
	n, ok := inDays(answer)
	return ok && n >= farAhead
}

func near(answer string) bool { return !far(answer) }

// inDays reads "180 days", "6 months".
func inDays(answer string) (int, bool) {
	fields := strings.Fields(answer)
	if len(fields) < 2 {
		return 0, false
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil {
		return 0, false
	}
	switch strings.TrimSuffix(fields[1], "s") {
	case "day":
		return n, true
	case "week":
		return 7 * n, true
	case "month":
		return 30 * n, true
	case "year":
		return 365 * n, true
	}
	return 0, false
}

// met reports whether the hazard is there, and the items that show it.
func (h hazard) met(m *material) ([]sourced, bool) {
	var shown []sourced
	for _, c := range h.when {
		items, ok := c.met(m)
		if !ok {
			return nil, false
		}
		shown = append(shown, items...)
	}
	return shown, true
}

// met reports whether the condition holds, and the items that show it. Where readings disagree, a
// passage that was found counts for more than a search that found none.
func (c condition) met(m *material) ([]sourced, bool) {
	items := m.found(c.category)
	if c.absent {
		all := m.items[c.category]
		return all, len(all) > 0 && len(items) == 0
	}
	if c.not != nil && slices.ContainsFunc(items, func(s sourced) bool { return c.not.MatchString(s.Quote) }) {
		return nil, false
	}
	var out []sourced
	for _, s := range items {
		if (c.says == nil || c.says.MatchString(s.Quote)) && (c.holds == nil || c.holds(s.Answer)) {
			out = append(out, s)
		}
	}
	return out, len(out) > 0
}
