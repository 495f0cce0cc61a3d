package pattern

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answer returns the answer to one category of text.
func answer(t *testing.T, category, text string) string {
	t.Helper()
	f, err := Read(text).Find(category)
	if err != nil {
		t.Fatal(err)
	}
	return f.Answer
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct{ category, text, want string }{
		{"Document Name", "Exhibit 10.2\n\nFORM OF SUPPLY AGREEMENT\n\nThis Supply Agreement is made.", "FORM OF SUPPLY AGREEMENT"},
		{"Document Name", "FORM OF HOSTING AGREEMENT This Hosting Agreement is made.", "FORM OF HOSTING AGREEMENT"},
		{"Document Name", "EXCLUSIVE DISTRIBUTOR AGREEMENT\n\nThis Agreement", "EXCLUSIVE DISTRIBUTOR AGREEMENT"},
		{"Document Name", "Pursuant to our talks, this Web Hosting Agreement is made.", "Web Hosting Agreement"},
		{"Document Name", "AGREEMENT\n\nmade between two firms", "AGREEMENT"},
		{"Agreement Date", "This Agreement is made as of April 14th, 2020 by A.", "04/14/2020"},
		{"Agreement Date", "made this 1s t day of March, 2018 between", "03/01/2018"},
		{"Agreement Date", "entered into on 1 August 2019 by", "08/01/2019"},
		{"Agreement Date", "dated as of ____ day of ______, 2004 between", "[]/[]/2004"},
		{"Agreement Date", "dated as of ___________, 2015 (the", "[]/[]/2015"},
		{"Agreement Date", "dated 3/4/99 by", "03/04/1999"},
		{"Agreement Date", "Source: ACME, INC., 10-K, 1/1/2010", ""},
		{"Effective Date", "Made as of May 1, 2001. This Agreement shall be effective as of June 2, 2001.", "06/02/2001"},
		{"Effective Date", "This Lease, made in Ohio, is effective on this 3rd day of May 2010 by and between A and B.", "05/03/2010"},
		{"Expiration Date", "Made as of May 1, 2001 (the \"Effective Date\"). The term of this Agreement shall be two (2) years.", "05/01/2003"},
		{"Expiration Date", "The term shall commence on May 1, 2001 and end on December 31, 2004.", "12/31/2004"},
		{"Expiration Date", "This Agreement shall continue in effect until terminated by a party.", "Perpetual"},
		{"Renewal Term", "This Agreement shall renew automatically for successive one-year terms.", "successive 1 year"},
		{"Renewal Term", "Buyer may renew this Agreement for one additional period of eighteen (18) months.", "18 months"},
		{"Renewal Term", "It shall then continue to renew automatically from month to month.", "successive 1 month"},
		{"Notice Period to Terminate Renewal", "The term shall renew for one year unless a party gives notice ninety (90) days before.", "90 days"},
		{"Governing Law", "This Agreement is governed by the laws of the State of NEW JERSEY.", "New Jersey"},
		{"Governing Law", "This Agreement, made in Texas, shall be governed by the laws of England and Wales.", "England"},
		{"Governing Law", "This Agreement shall be governed by the laws of the Province of Ontario and of Canada.", "Ontario, Canada"},
		{"Governing Law", "This Agreement shall be governed by West Virginia law in all things.", "West Virginia"},
		{"Warranty Duration", "Seller warrants the goods against defects for a period of 12 months from delivery.", "12 months"},
		{"Insurance", "Supplier shall maintain liability insurance.", "Yes"},
		{"Insurance", "Nothing.", "No"},
	} {
		if got := answer(t, tt.category, tt.text); got != tt.want {
			t.Errorf("%s of %q is %q, want %q", tt.category, tt.text, got, tt.want)
		}
	}
}

func TestParties(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{
			`This Agreement is made by and between Alder Systems, Inc., a Delaware corporation ("Alder"), and Birch Ltd. (the "Buyer").`,
			`Alder Systems, Inc. ("Alder"); Birch Ltd. ("Buyer")`,
		},
		{
			`is made between Oak, Inc. ("OAK"), a New Jersey Corporation, located at 1 Elm Street, Newark, NJ 07087, and The Pine Companies, Inc. (the "Company"), a Nevada corporation`,
			`Oak, Inc. ("OAK"); The Pine Companies, Inc. ("Company")`,
		},
		{
			`BETWEEN: (1) Cedar Holdings Limited, a company incorporated in England (the "Supplier"); and (2) Dogwood GmbH (the "Purchaser")`,
			`Cedar Holdings Limited ("Supplier"); Dogwood GmbH ("Purchaser")`,
		},
		{
			`by and between John Q. Maple, an individual ("Artist") and Walnut Records LLC ("Label") (each a "Party" and together the "Parties").`,
			`John Q. Maple ("Artist"); Walnut Records LLC ("Label")`,
		},
		{
			`between HAZEL CORP., with offices in Rome (hereinafter called "Hazel") and IVY S.A., with offices in Paris (hereinafter called "Ivy")`,
			`HAZEL CORP. ("Hazel"); IVY S.A. ("Ivy")`,
		},
		{
			`COVER between Larch Inc. and Rowan Inc.` + "\n\n" + `This Agreement is by and between Larch Inc. ("Larch") and Rowan Inc. ("Rowan").`,
			`Larch Inc. ("Larch"); Rowan Inc. ("Rowan")`,
		},
		{`by and between Yew, Inc. c/o Agents Ltd. ("Yew") and Fern LLC through its garden branch ("Fern").`, `Yew, Inc. ("Yew"); Fern LLC ("Fern")`},
		{`between Holly Limited and Ash Partners LP. WHEREAS the`, `Holly Limited; Ash Partners LP`},
	} {
		if diff := cmp.Diff(tt.want, answer(t, "Parties", tt.text)); diff != "" {
			t.Errorf("parties of %q (-want +got):\n%s", tt.text, diff)
		}
	}
}
