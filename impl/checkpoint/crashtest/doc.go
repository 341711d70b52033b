// Package crashtest is a small host of two groups, a metadata group and a partition, on one
// disk: superblock, write-ahead log, snapshots and segments as a server has them. It exists to
// be struck by the fault matrix, in tests and in the tool.
//
// # What it owns
//
// [Subjects]: append, roll, retention, checkpoint and boot, each with the check of what must be
// there after any crash.
//
// # What it never does
//
// It is no server: no network, no core, one replica, every op committed once it is flushed.
//
// # Invariants
//
//   - What was flushed to the write-ahead log is executed again after any crash, and what was
//     never appended is not.
//   - A boot finds the old checkpoint or the new one; the new one if Take had returned.
//   - After its next checkpoint a replica that crashed has the files of one that did not.
package crashtest
