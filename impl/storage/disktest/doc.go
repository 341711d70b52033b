// Package disktest has disks for tests: a real one or one in memory, behind a door that the test
// keeps.
//
// # What it owns
//
// [Gated], whose flushes wait until the test lets them; [Around], which sees what goes around the
// page cache.
//
// # What it never does
//
// It keeps no bytes of its own, and forges no faults of the medium: storage/memdisk does.
//
// # Invariants
//
//   - But for what the test asks for, a call is that of the disk below.
package disktest
