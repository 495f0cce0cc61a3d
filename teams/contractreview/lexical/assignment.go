package lexical

// antiAssignment looks for limits on handing the contract on, and for what happens when one is
// broken; not for the assignment of inventions, and not for successors being bound.
func antiAssignment() *model {
	var (
		assign   = set("assign, assignment, assignable, transfer, transferable, delegate, delegation, sublicense, subcontract, nonassignable, nontransferable, novate, convey")
		strict   = set("assign, assignment, assignable, nonassignable")
		verb     = set("assign, transfer, delegate, sublicense, subcontract, convey, pledge, encumber, assignable, transferable")
		object   = set("this agreement, agreement, right, obligation, duty, interest, contract, hereunder, license, benefit, performance, responsibility")
		contract = set("this agreement, agreement, contract, hereunder, herein")
		consent  = set("consent, approval, approve, permission, authorization, agree in writing, notice")
		written  = set("prior write consent, write consent, prior consent, express consent, consent of, without consent, without the consent, write approval, prior write approval, prior approval, write permission, write notice")
		without  = set("without, unless, except with, only with, absent, subject to")
		void     = set("void, null, invalid, ineffective, no force, no effect, voidable, of no effect, default, breach")
		attempt  = set("any assignment, attempt, purport, non consent, unauthorized assignment,  any such assignment, any transfer, any attempt, assignment in, such assignment, no assignment")
		violate  = set("violation, contravention, without, breach, contrary, compliance, foregoing")
		freely   = set("may assign, may transfer, may freely, right to assign, may also assign, can assign, may be assign, assignable, entitle to assign, may without, may delegate, may at its")
		needs    = set("only, notice, notify, with the prior, with the write, with the consent, upon consent, upon the prior, subject to the prior, provided, with prior, if the other party consent")
		confer   = set("moral right, confer, third party beneficiary, beneficiary, express or imply")
		handed   = set("delegate, delegation, sublicense, subcontract")
		onward   = set("sublicense, subcontract")
		license  = set("license, right, obligation, duty, service, work")
		grant    = set("grant, hereby granted")
		title    = set("assignment, assignability, assign, transfer, delegation, no assignment, non assignment, successor")
		inure    = set("inure, bind upon, binding, benefit of")
		ideas    = set("invention, work product, copyright, title and interest, moral right, title, patent, know how, work make for hire, trademark, goodwill, application, domain, improvement, development")
		hereby   = set("hereby assign, shall assign to, agree to assign, will assign to, assign to company, hereby irrevocably assign, assign and transfer to, irrevocably assign, do assign, assign all right")
		creditor = set("creditor, insolvent, insolvency, bankruptcy, receiver, bankrupt")
		staff    = set("employee, personnel, account manager, representative assign, task, project, staff, duty assign, assign by company, number, password, value")
		goods    = set("title to, risk, data transfer, transfer of title, fund, wire, technology transfer, transfer price, money, payment, share, stock, security, tax, data, file, ownership")
	)
	return &model{
		category: "Anti-Assignment",
		topic:    "assignment or transfer",
		lacking:  "no limit on assigning the agreement or rights under it near the word",
		anchors:  anchors("assign*, transfer*, delegat*, sublicens*, subcontract*, successors and"),
		answer:   yesNo,
		bias:     -4,
		cues: []cue{
			{2, near(mayNot, verb, 9)},
			{1.5, near(strict, contract, 12)},
			{1, near(strict, object, 10)},
			{1, near(verb, object, 10)},
			{1.5, all(has(assign), has(written))},
			{1.5, near(without, consent, 8)},
			{1, near(handed, object, 8)},
			{4, all(has(attempt), has(void), has(assign))},
			{1, all(has(void), near(strict, violate, 12))},
			{-4, all(has(freely), not(has(mayNot)), not(has(needs)))},
			{-3, has(confer)},
			{1.5, all(near(onward, license, 12), has(written), has(mayNot))},
			{-2.5, all(has(grant), has(license))},
			{1.5, topped(title)},
			{0.5, under(title)},
			{0.5, follows},
			{-1.5, not(has(strict))},
			{-3, has(hereby)},
			{-2, all(has(ideas), not(has(mayNot)))},
			{-3.5, all(has(creditor), not(has(written)))},
			{-2.5, all(has(inure), not(has(mayNot)))},
			{-2, all(has(staff), not(near(strict, contract, 12)))},
			{-1.5, all(has(goods), not(near(strict, contract, 12)))},
			{-2, has(definer)},
		},
	}
}
