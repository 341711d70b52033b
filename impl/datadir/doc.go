// Package datadir says where in a process's data directory what lies. Nothing else does.
//
// # What it owns
//
//	superblock.a, superblock.b       the two copies of the superblock; superblock.tmp in the making
//	wal/                             the write-ahead log of all groups
//	groups/GROUP/snapshots/          the snapshots of a group, 16 hexadecimal digits
//	groups/GROUP/segments/           the segments of a partition
//	groups/GROUP/incoming/           the checkpoint that a group fetches from another replica
//
// # What it never does
//
// It knows no format and changes nothing: [Check] says of a directory whether it can be one.
//
// # Invariants
//
//   - Paths are relative to the data directory, clean and with slashes.
//   - No two groups share a directory, nor do files of different owners, but for the root.
package datadir
