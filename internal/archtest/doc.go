// Package archtest holds the architecture as tests: which package may import which, what the
// machines must not touch, and that every package says what it is. It has no other code.
package archtest
