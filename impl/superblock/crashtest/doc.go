// Package crashtest is a superblock with one owner, who knows which record it must hold. It exists
// to be struck by the fault matrix, in tests and in the tool.
//
// # What it owns
//
// [Subjects]: the first format, an update, an update of one copy that is damaged, and a boot over
// one, each with the check of what must be there after any crash.
//
// # What it never does
//
// It does not know what a state means: that it is the old one or the new one is all it asks.
//
// # Invariants
//
//   - After any crash the old record is there or the new one; the new one if Write had returned.
//   - What Open has returned stands when one of the copies is damaged, whichever it is.
//   - A directory of which the first format was broken off is empty or formatted, and can be
//     formatted or opened.
package crashtest
