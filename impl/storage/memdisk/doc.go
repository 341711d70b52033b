// Package memdisk is a disk in memory with the faults of a real one: processes are
// killed, power is lost, writes tear, syncs fail, bits rot. It implements
// storage.Disk for tests and for the simulator.
//
// # What it owns
//
// Two levels of everything: what the operating system shows (the page cache and its
// view of the directories) and what the disk holds.
//
//	WriteAt, Truncate   page cache            sector or size: unsynced
//	File.Sync           page cache -> disk    content and size of one file
//	Create, Rename,     directory cache       entry: unsynced
//	Remove
//	SyncDir             cache -> disk         entries of one directory
//
//	Kill                handles die; both levels stay as they are
//	PowerLoss           handles die; of what is unsynced any part has reached the
//	                    disk, and the cache starts anew from there
//
// Power loss decides for each unsynced thing on its own: for each sector of 512 bytes
// that was written to (so writes tear, and a later write may be there without an
// earlier one), for each change of a file's size (in order: a later size never
// without the earlier ones), for each change of a directory (a create, a rename, a
// remove). A sector is written whole or not at all.
//
// On top of that come faults of single operations ([Fault]): an error before or after the
// effect, half a write, a delay, a write that the disk drops or puts elsewhere while the
// page cache shows it in place; a medium that rots ([Disk.Rot]) or ends early ([Disk.Tear]);
// and a disk that is full ([Disk.Limit]). What was done stands in [Disk.Operations].
//
// A sync that fails loses the pages it was asked for: some reach the disk, and all of
// them count as clean, so that a second sync returns at once and has done nothing.
// That is what Linux does, and why a failed sync must be fatal.
//
// # What it never does
//
// It never uses a clock, a goroutine or randomness of its own: all chance comes from
// the seed, so that equal calls on equal seeds give equal disks, to the byte.
//
// # Invariants
//
//   - What WriteAt returned for is read back until power is lost.
//   - What Sync returned for is read back for ever, if every earlier sync of that
//     file succeeded, nothing rots and no write was lost or went elsewhere.
//   - A name is durable only after SyncDir, even if its file was synced: a file
//     without a durable name is gone.
//   - A handle of a killed process can do nothing but Close.
package memdisk
