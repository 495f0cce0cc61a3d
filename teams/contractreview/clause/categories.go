package clause

// Categories lists the 41 categories in CUAD's order.
func Categories() []Category { return append([]Category(nil), categories...) }

// Lookup returns the category called name, spelled exactly.
func Lookup(name string) (Category, bool) {
	for _, c := range categories {
		if c.Name == name {
			return c, true
		}
	}
	return Category{}, false
}

var categories = []Category{
	{Name: "Document Name", Group: "identity", Answer: Name},
	{Name: "Parties", Group: "identity", Answer: Name},
	{Name: "Agreement Date", Group: "identity", Answer: Date},
	{Name: "Effective Date", Group: "identity", Answer: Date},
	{Name: "Expiration Date", Group: "term", Answer: Date},
	{Name: "Renewal Term", Group: "term", Answer: Duration},
	{Name: "Notice Period to Terminate Renewal", Group: "term", Answer: Duration},
	{Name: "Governing Law", Group: "law", Answer: Place, Risk: true},
	{Name: "Most Favored Nation", Group: "commercial", Answer: YesNo},
	{Name: "Non-Compete", Group: "competition", Answer: YesNo},
	{Name: "Exclusivity", Group: "competition", Answer: YesNo, Risk: true},
	{Name: "No-Solicit of Customers", Group: "competition", Answer: YesNo},
	{Name: "Competitive Restriction Exception", Group: "competition", Answer: YesNo},
	{Name: "No-Solicit of Employees", Group: "competition", Answer: YesNo},
	{Name: "Non-Disparagement", Group: "competition", Answer: YesNo},
	{Name: "Termination for Convenience", Group: "term", Answer: YesNo, Risk: true},
	{Name: "ROFR/ROFO/ROFN", Group: "control", Answer: YesNo},
	{Name: "Change of Control", Group: "control", Answer: YesNo, Risk: true},
	{Name: "Anti-Assignment", Group: "control", Answer: YesNo, Risk: true},
	{Name: "Revenue/Profit Sharing", Group: "commercial", Answer: YesNo},
	{Name: "Price Restrictions", Group: "commercial", Answer: YesNo},
	{Name: "Minimum Commitment", Group: "commercial", Answer: YesNo},
	{Name: "Volume Restriction", Group: "commercial", Answer: YesNo},
	{Name: "IP Ownership Assignment", Group: "ip", Answer: YesNo},
	{Name: "Joint IP Ownership", Group: "ip", Answer: YesNo},
	{Name: "License Grant", Group: "license", Answer: YesNo, Risk: true},
	{Name: "Non-Transferable License", Group: "license", Answer: YesNo},
	{Name: "Affiliate License-Licensor", Group: "license", Answer: YesNo},
	{Name: "Affiliate License-Licensee", Group: "license", Answer: YesNo},
	{Name: "Unlimited/All-You-Can-Eat-License", Group: "license", Answer: YesNo},
	{Name: "Irrevocable or Perpetual License", Group: "license", Answer: YesNo},
	{Name: "Source Code Escrow", Group: "ip", Answer: YesNo},
	{Name: "Post-Termination Services", Group: "term", Answer: YesNo},
	{Name: "Audit Rights", Group: "control", Answer: YesNo},
	{Name: "Uncapped Liability", Group: "liability", Answer: YesNo, Risk: true},
	{Name: "Cap on Liability", Group: "liability", Answer: YesNo, Risk: true},
	{Name: "Liquidated Damages", Group: "liability", Answer: YesNo},
	{Name: "Warranty Duration", Group: "liability", Answer: Duration},
	{Name: "Insurance", Group: "liability", Answer: YesNo, Risk: true},
	{Name: "Covenant Not to Sue", Group: "liability", Answer: YesNo},
	{Name: "Third Party Beneficiary", Group: "law", Answer: YesNo},
}
