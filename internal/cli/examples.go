package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// examples are commands as people type them, one a line, by the command that they are about.
var examples = map[string]string{
	"audit coverage":   "chargehand audit coverage --fail-under 100",
	"audit export":     "chargehand audit export run_7h2k --out pack.zip",
	"audit list":       "chargehand audit list",
	"audit show":       "chargehand audit show @latest",
	"audit verify":     "chargehand audit verify\nchargehand audit verify pack.zip",
	"demo":             "chargehand demo\nchargehand demo --no-input --decide correct\nchargehand demo --without-gate",
	"demo tamper":      "chargehand demo tamper",
	"doctor":           "chargehand doctor",
	"init":             "chargehand init myteam",
	"plan lint":        "chargehand plan lint team.yaml",
	"plan show":        "chargehand plan show contract-review nda.txt",
	"policy lint":      "chargehand policy lint team.yaml",
	"registry list":    "chargehand registry list\nchargehand registry list --registry teams",
	"review approve":   "chargehand review approve rev_91ab --hash 9c1e04d27ab3 --reason \"checked against clause 9.2\"",
	"review list":      "chargehand review list\nchargehand review list -o json",
	"review next":      "chargehand review next",
	"review reject":    "chargehand review reject rev_91ab --reason \"the amount is wrong\"",
	"review send-back": "chargehand review send-back rev_91ab --reason \"clause 9.2 says EUR 500,000\"",
	"review show":      "chargehand review show rev_91ab",
	"run": "chargehand run contract-review nda.txt\nchargehand run team.yaml input.txt --budget 0.50 --deadline 30m -o json\n" +
		"chargehand run team.yaml input.txt --detach",
	"runs cancel":    "chargehand runs cancel run_7h2k --reason \"wrong file\"",
	"runs cost":      "chargehand runs cost @latest",
	"runs diff":      "chargehand runs diff run_7h2k run_91ab\nchargehand runs diff run_7h2k @latest -o json",
	"runs fork":      "chargehand runs fork run_7h2k --at 12",
	"runs get":       "chargehand runs get @latest\nchargehand runs get run_7h2k --subtask s3 --attempt 1",
	"runs list":      "chargehand runs list\nchargehand runs list --state waiting\nchargehand runs list --state running,paused --mine",
	"runs logs":      "chargehand runs logs @latest -f\nchargehand runs logs run_7h2k --since 10m --level warn",
	"runs pause":     "chargehand runs pause run_7h2k --reason \"wait for the new draft\"",
	"runs replay":    "chargehand runs replay @latest",
	"runs result":    "chargehand runs result @latest -o json\nchargehand runs result @latest --jq .status",
	"runs resume":    "chargehand runs resume run_7h2k\nchargehand runs resume --all",
	"runs watch":     "chargehand runs watch @latest\nchargehand runs watch run_7h2k --until needs-human --timeout 20m",
	"schema":         "chargehand schema",
	"serve":          "chargehand serve\nchargehand serve --team team.yaml --listen 127.0.0.1:8080",
	"sim":            "chargehand sim --runs 2000 --seed 1",
	"tools list":     "chargehand tools list team.yaml",
	"tools sign-in":  "chargehand tools sign-in team.yaml crm",
	"tools sign-out": "chargehand tools sign-out team.yaml crm",
	"version":        "chargehand version -o json",
	"witness":        "chargehand witness --dir witness --trust key.pub",
	"workers get":    "chargehand workers get reader",
	"workers lint":   "chargehand workers lint team.yaml",
	"workers list":   "chargehand workers list\nchargehand workers list team.yaml",
	"workers test":   "chargehand workers test team.yaml extractor input.txt\nchargehand workers test team.yaml extractor input.txt --aspect \"notice period\" -o json",
}

// exemplify gives every command below c that has none its examples.
func exemplify(c *cobra.Command) {
	if lines := examples[strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")]; lines != "" && c.Example == "" {
		c.Example = "  " + strings.ReplaceAll(lines, "\n", "\n  ")
	}
	for _, sub := range c.Commands() {
		exemplify(sub)
	}
}
