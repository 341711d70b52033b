// Package storage is the only door from this module to a disk: the interfaces [Disk]
// and [File], and [Directory], which carries them out on the operating system.
// Package memdisk carries them out in memory, with every fault that a disk has.
//
// # What it owns
//
// What a call promises at which moment. There are two levels, and code that confuses
// them loses data (seed 003, iggy#4632):
//
//   - the operating system has it: what a call has returned for survives the death
//     of the process;
//   - the disk has it: what [File.Sync] has returned for survives power loss, as do
//     the names in a directory that [Disk.SyncDir] has returned for.
//
// # What it never does
//
// It knows no record, checksum or format. It never retries: a failed sync leaves
// nobody knowing what the disk holds, also not the operating system, which may call
// the lost pages clean.
//
// It goes around the page cache (O_DIRECT) only where its caller says that a flush is next
// ([WriteAround]), and where disk and file system can. What waits for the operating system only
// would wait for the disk that way. On disks with sectors of more than 512 bytes a file goes back
// to the page cache with the first write that they refuse.
//
// # Invariants
//
//   - Paths are relative to the disk's root, with slashes, and never leave it.
//   - Every error names the operation and the path, and wraps the cause:
//     fs.ErrNotExist, fs.ErrExist, fs.ErrClosed and [ErrFull] can be asked for.
//   - Only regular files are opened: no link, pipe or device that lies in the directory.
//   - Nothing reaches the disk by itself as far as a caller may rely on it.
package storage
