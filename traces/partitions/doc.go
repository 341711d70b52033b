// Package partitions drives write-ahead logs that run, impl/wal on disks in memory, along
// walks of the model of spec/PartitionLog.tla, model/storage.PartitionLog: what the logs of a
// cluster keep of its groups when processes are killed or power fails, at one replica, a quorum
// or all.
//
// # How the model's steps map
//
// AppendPrepare and Replicate are in memory only. WriteLog is one Append of one prepare,
// PublishFrontier is Sync. Kill ends the process; PowerLoss leaves of the unsynced batches those
// that the model says, and of a torn one only its middle, so that neither index verifies (one that
// does is the matter of traces/storage). Restart opens the logs. ElectPrimary and a restart below a
// primary adopt: bodies that are missing are filled, then a state record says what the log
// is, and all is flushed.
//
// # What is compared
//
// After every step, at every replica that runs: the log of each group, op by op, and that each
// body which was written is read, by op and checksum, with its very bytes. After every boot:
// whether the log of the replicated group is in doubt (R15). That a torn record brings doubt to
// the persisted group too is the code's caution; the model has no disk that rots.
//
// # What it owns
//
// The mapping ([Cluster]) and its verdict ([Mismatch]). It changes neither side, and decides
// nothing: who is elected, and what is acknowledged, are the model's and the hosts' matter.
package partitions
