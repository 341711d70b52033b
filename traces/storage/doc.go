// Package storage drives the storage that runs, impl/wal and impl/superblock on a disk in
// memory, along paths of spec/Journal.tla as model/storage has it, and compares the two after
// every recovery.
//
// # What is compared
//
// After each Boot: whether it is refused, view and log view of the superblock, log view, headers
// and bodies of the log, whether the log is lost, the doubt, and for what reasons bytes were not
// adopted. After Boot and after each batch also which bodies the log finds, by op and checksum,
// and which it does not, of all that the model knows (R3).
//
// # How the model's steps map
//
// What is in memory only (AppendPrepare, Adopt, EnterView) is nothing to a disk. WriteBatch is
// Append, SyncWAL is Sync. Each batch is eight sectors, whatever the model has in it, filled up
// with records of another group: its index is longer than a sector, so that a write of whole
// sectors can tear it, and slot n is a place in the file that another batch can cover exactly.
//
//   - Kill lets the write under way reach the page cache as far as the model says: the first
//     sector (torn: no index verifies), or all but a sector of each prepare's body and the index
//     at the end (legible). State records have no copy: a batch with a readable index has them.
//   - PowerLoss says of each unsynced sector what the model says of its batch, by the survival
//     that memdisk asks for.
//   - Rot flips bits in each prepare's body and in one index; Misdirect moves a batch, below
//     what was written since to where it went.
//   - WriteSuperblock, MirrorSuperblock and SyncSuperblock are one call, Write, which is made at
//     the last of them, or broken off in a crash at the operation where the disk shows what
//     the model says. The code replaces the second file when the first is durable: the model
//     lets more happen.
//
// # Where the code differs, and why that is sound
//
//   - Each boot of the code writes and flushes a batch of its own before it returns. It says that
//     all before it was flushed, so rot is proven where the model has no proof yet. The model's
//     state is compared with that knowledge; where the logs come apart by it the path ends
//     (Counts.Further). The code's log is then the longer one.
//   - That batch carries a mark of doubt, and the code destroys the evidence behind the end. The
//     model finds the evidence again at each boot, also after an adoption has ended the doubt.
//   - Under the policy replicated the code trusts its log if the kernel has not restarted (R15).
//   - Damage behind a clean end is no reason for doubt to the code, nor to clear it, unless a
//     legible index is in it: a leftover of a file's former use looks alike. With an index at
//     both ends a misdirected write leaves one, or covers the end.
//
// In the last three cases the code trusts a log that the spec doubts. What is to be expected of
// the code is then computed from the model's state and these rules, must be met exactly, and all
// invariants of the spec must hold in the state with the code's trust (Counts.Trusting).
//
// # What is not driven
//
// [Followable] leaves out the steps that the code never takes. A [Machine]'s log has one file, so
// it is never released.
//
// # Checkpoints
//
// A [Keeper] follows walks with checkpoints and releases ([Keepable]). Each batch has a file of its
// own, so that batches go as the model says, and files are used again with what is left in them.
// SyncSnapshot is one call of impl/checkpoint, broken off in a crash where the disk shows what the
// model says; Release is one call for all that may go. After each Release which files are live is
// compared, and which bodies are stored; after each Boot the snapshot and its pairing too. There is
// neither rot nor damage on these walks: those are of impl/checkpoint's own tests. The code keeps a
// batch longer than the model where it names an op above the checkpoint that has no body or is of
// no log any more: such releases are left out.
//
// # Several groups
//
// [Groups] follows walks of spec/JournalGroups.tla ([GroupsFollowable]): what the groups of a
// process write into one log and one superblock, what of it is needed, moved and released, and what
// a boot says of each of them. As above each batch has a file of its own and there is no rot. A
// batch is compared as it lies there; what Move copies is a fill, and before a release the log's
// own Move must find nothing left to move. The code lets all go that may, the model a batch at a
// time.
//
// # Recordings
//
// In the other direction nodes do by chance what a node may do to its storage, die by chance, and
// are recorded; then the model must have a behaviour that explains each line. [NewRecording] and
// [Explain] are of one group without checkpoints, with rot, under both policies.
// [NewGroupsRecording] and [ExplainGroups] are of several groups with snapshot files, their
// pairings in the superblock, releases and moves, and whatever of these a crash breaks off; a
// release has gone as far as the files show. There is no rot in these.
//
// # What it owns
//
// The mapping ([Machine], [Keeper], [Groups]) and its verdict ([Mismatch]). It changes neither
// side: model and impl meet here, and do not know of each other. [Maker] says which log is driven,
// so that one with a defect can be seen to be found.
package storage
