package progress

import (
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// aboveReserve says that calls were billed above what was reserved for them: the ceiling that the
// cost is shown against did not hold them.
func aboveReserve(v *chargehand.View, st term.Style) []string {
	o := v.Overbilled
	if o.Calls == 0 {
		return nil
	}
	by := term.Money(o.USD)
	if o.USD == 0 {
		by = fmt.Sprintf("%d tokens", o.Tokens)
	}
	text := fmt.Sprintf("%s billed %s above what was reserved; see event=overbilled in: chargehand runs logs %s", term.Count(o.Calls, "call"), by, v.RunID)
	return []string{"   " + st.Tone(chargehand.ToneFail, "billed") + "  " + text}
}
