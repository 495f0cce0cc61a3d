// Package account names the accounts of this machine as principals.
package account

import (
	"os/user"
	"strconv"
)

// Name is the principal that an account of this machine is: its name, or "uid:1001" where it has none.
// Nothing that the environment says counts.
func Name(uid int) string {
	if uid < 0 { // the system has no such numbers
		if u, err := user.Current(); err == nil {
			return u.Username
		}
		return "unknown"
	}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid:" + strconv.Itoa(uid)
}
