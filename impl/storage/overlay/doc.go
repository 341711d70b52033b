// Package overlay is a disk whose changes stay in memory, over a directory that is only read:
// code that recovers, and so repairs, can be asked what it would do.
//
// # What it owns
//
// The names and bytes that were changed. A file that is written to is copied into memory.
//
// # What it never does
//
// It never writes to what lies below, and makes nothing durable: [Disk.SyncDir] and Sync do
// nothing.
//
// # Invariants
//
//   - What lies below stays as it is: content, names and times of change.
//   - A read sees what was written to this disk, and what lies below elsewhere.
package overlay
