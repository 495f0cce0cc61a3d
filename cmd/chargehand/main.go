// Command chargehand supervises teams of workers: it plans, hands out, checks and puts together.
package main

import (
	"os"

	"github.com/chargehand/chargehand/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.Stdio(), cli.Standard(), os.Args[1:]))
}
