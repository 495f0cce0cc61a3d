package lexical

import (
	"fmt"
	"strings"
	"testing"
)

// wordings are invented sentences: yes ones answer the category, no ones use its words and do not.
var wordings = []struct {
	category string
	yes, no  []string
}{
	{"Governing Law", []string{
		"This Agreement is governed by the laws of the State of Oregon.",
		"The laws of Singapore shall apply to this Contract, and conflict of laws rules are disregarded.",
		"THIS AGREEMENT SHALL BE CONSTRUED IN ACCORDANCE WITH THE LAWS OF THE COMMONWEALTH OF PENNSYLVANIA.",
		"This Agreement and any dispute arising from it are subject to English law.",
		"The validity, interpretation and performance of this Agreement shall be controlled by and construed under the laws of Ontario, Canada.",
		"Swiss law governs this Agreement.",
	}, []string{
		"The Supplier is a corporation duly organized and existing under the laws of the State of Oregon.",
		"Each party shall comply with all applicable laws and government regulations.",
		"The courts of Denver have exclusive jurisdiction over any dispute.",
		"Disclosure is permitted where it is required by the laws of any governmental authority.",
	}},
	{"Exclusivity", []string{
		"The Maker appoints Riverton as its exclusive distributor of the Pumps in the Region.",
		"During the Term the Brewer shall purchase all of its requirements for hops from the Grower.",
		"The Studio shall not license the Film to any other person in the Territory.",
		"Harbor Foods will buy its packaging exclusively from Lindqvist.",
		"Licensor hereby grants Licensee the sole and exclusive right to sell the Lamps in Peru.",
		"The Agent will not represent any other manufacturer of competing valves.",
	}, []string{
		"Licensor grants Licensee a non-exclusive right to sell the Lamps in Peru.",
		"The courts of Ohio have exclusive jurisdiction.",
		"The remedies in this Section are not exclusive.",
		"The Drawings remain the exclusive property of the Architect.",
		"Neither party shall disclose Confidential Information to any third party.",
	}},
	{"Termination for Convenience", []string{
		"Either party may terminate this Agreement for any reason upon sixty (60) days' written notice.",
		"The Client may cancel this Contract at any time without cause.",
		"The Company shall have the right to terminate this Agreement for its convenience on thirty days notice.",
		"This Agreement may be terminated by either party upon ninety (90) days prior written notice to the other party.",
		"Buyer may, in its sole discretion, terminate this Agreement by giving Seller 45 days' written notice.",
		"This Agreement is terminable at will by the Owner.",
	}, []string{
		"Either party may terminate this Agreement if the other party materially breaches it and fails to cure within thirty (30) days after written notice.",
		"The Bank may terminate this Agreement immediately upon the insolvency of the Broker.",
		"Upon termination of this Agreement for any cause, each party shall return the other's materials.",
		"The term shall renew automatically unless either party gives notice of non-renewal ninety days before the end of the then current term.",
	}},
	{"Change of Control", []string{
		"The Licensor may terminate this Agreement upon a change of control of the Licensee.",
		"If the Distributor undergoes a Change in Control, it shall notify the Maker within ten days.",
		"A merger or a sale of a majority of the voting stock of the Tenant shall be deemed an assignment requiring consent.",
		"Either party may terminate this Agreement if the other party is acquired by, or sells all or substantially all of its assets to, a competitor.",
	}, []string{
		"Affiliate means any entity that controls, is controlled by or is under common control with a party.",
		"This Agreement supersedes all earlier understandings, which are merged into it.",
		"Delay caused by events beyond the reasonable control of a party is excused.",
		"The acquisition of the Equipment is described in Schedule 2.",
	}},
	{"Anti-Assignment", []string{
		"Neither party may assign this Agreement without the prior written consent of the other.",
		"The Contractor shall not transfer or delegate its rights or obligations under this Contract, in whole or in part, without the Owner's approval.",
		"Any attempted assignment in breach of this Section is null and void.",
		"This Agreement is personal to the Artist and is not assignable.",
		"No assignment of this Agreement by Vendor shall be valid without notice to and consent of Purchaser.",
		"This Agreement may not be assigned by operation of law or otherwise.",
	}, []string{
		"The Author hereby assigns to the Publisher all right, title and interest in the Work.",
		"This Agreement binds and inures to the benefit of the parties and their successors and assigns.",
		"The Bank may close the account if the Customer makes an assignment for the benefit of creditors.",
		"The Manager may assign tasks to employees of the Contractor.",
		"Risk of loss transfers to the Buyer on delivery.",
	}},
	{"License Grant", []string{
		"Licensor hereby grants to Licensee a non-exclusive, worldwide licence to use the Software.",
		"Subject to payment, the Customer is granted a limited, revocable right to use the Platform and its documentation.",
		"The Museum grants the Publisher permission to reproduce the Images in the Book.",
		"Sponsor shall have the right to use the Team's name and logo in its advertising.",
		"Acme agrees to grant and hereby grants Boreal a royalty-free license under the Patents to make and sell Products.",
	}, []string{
		"No license is granted under any patent, by implication or otherwise.",
		"The Borrower grants the Lender a security interest in the Equipment.",
		"The Company shall grant the Consultant an option to purchase 1,000 shares of common stock.",
		"Upon termination all licenses granted hereunder shall cease.",
		"The court may grant an injunction.",
	}},
	{"Uncapped Liability", []string{
		"Except for breach of confidentiality or gross negligence, in no event shall either party be liable for consequential damages.",
		"The limitations of liability in this Section shall not apply to indemnification obligations or wilful misconduct.",
		"Nothing in this Agreement excludes or limits liability for death or personal injury or for fraud.",
		"OTHER THAN ITS INDEMNITY OBLIGATIONS, VENDOR'S LIABILITY SHALL NOT EXCEED THE FEES PAID.",
	}, []string{
		"In no event shall either party be liable for consequential damages.",
		"The Insurer's policy covers liability for bodily injury except as stated in its schedule.",
		"The Supplier is liable for the acts of its subcontractors.",
	}},
	{"Cap on Liability", []string{
		"In no event shall either party be liable for any indirect, special or consequential damages.",
		"The Supplier's total liability under this Agreement shall not exceed the fees paid in the preceding twelve months.",
		"No action arising out of this Agreement may be brought more than two years after the cause of action has accrued.",
		"THE MAXIMUM AGGREGATE LIABILITY OF THE AGENT IS LIMITED TO US$50,000.",
		"Each party waives any claim to punitive or consequential damages against the other.",
		"The Carrier's liability is limited to the value of the goods lost.",
	}, []string{
		"The Supplier is liable for damage caused by its employees.",
		"The Supplier shall maintain liability insurance with limits of not less than $1,000,000.",
		"The Buyer shall indemnify the Seller against all claims, liabilities and damages, including but not limited to legal fees.",
		"The order quantity shall not exceed 500 units a month.",
	}},
	{"Insurance", []string{
		"The Contractor shall maintain commercial general liability insurance of at least $2,000,000 per occurrence.",
		"Each policy shall name the Owner as an additional insured.",
		"Supplier will deliver a certificate of insurance before work begins.",
		"During the Term, Distributor agrees to carry product liability insurance with a reputable carrier.",
		"The insurer shall give thirty days' notice before any cancellation of the policy.",
	}, []string{
		"The Executive may take part in the Company's health insurance and pension plans.",
		"The Agent sells life insurance products to policyholders.",
		"Prices do not include freight, customs duty or insurance.",
		"The Platform offers worldwide news coverage.",
	}},
}

func TestWording(t *testing.T) {
	for _, w := range wordings {
		if len(w.yes) < 3 || len(w.no) < 2 {
			t.Errorf("%s: too few wordings", w.category)
		}
		for _, text := range w.yes {
			if got := quoted(t, Read(text), w.category); len(got) != 1 || text[got[0].Start:got[0].End] != text {
				t.Errorf("%s: quoted %v of %q (%s)", w.category, got, text, weights(text, w.category))
			}
		}
		for _, text := range w.no {
			if got := quoted(t, Read(text), w.category); len(got) != 0 {
				t.Errorf("%s: quoted %q (%s)", w.category, text, weights(text, w.category))
			}
		}
	}
}

// weights lists the cues that apply to a one-sentence text, for a failing test.
func weights(text, category string) string {
	var out strings.Builder
	for _, s := range Read(text).sentences {
		v := &view{s: &s, at: map[*concept][]int{}}
		for i, c := range models()[category].cues {
			if c.test(v) {
				fmt.Fprintf(&out, "cue %d: %+.1f ", i, c.weight)
			}
		}
	}
	return out.String()
}
