// Package storage is the reference model of what survives a crash: the modules of
// spec/ about disks, in Go, as models that package explore can search.
//
// It holds PartitionLog.tla, the WALs of a cluster, each shared by groups of both
// policies, when replicas are killed or lose power, and Journal.tla, the disk of one
// replica (WAL, superblock, checkpoint) under a crash at every step and decay.
// [PartitionLog] and [Journal] have the initial states, actions, mutants and invariants
// of their modules, and at equal bounds the same labelled state graphs. Seed 003
// (iggy#4632) is the mutant [TruncateToFrontier] of both. JournalGroups.tla, which
// [JournalGroups] models, has several groups on one disk in coarser steps.
//
// # What it owns
//
// The states ([PartitionState], [JournalState], [GroupsState]), their canonical text,
// the actions with their labels ([PartitionAction], [JournalAction], [GroupsAction]), the
// invariants and the goals. [PartitionLogActions], [JournalActions] and [GroupsActions]
// list every action with its TLA+ call, so that a wrapper module can make TLC write the
// same labels.
//
// # What it never does
//
// It never touches a disk and knows nothing of bytes, records or checksums: those
// are the matter of impl/wal, which keeps the promises made here. It imports no
// package under impl.
//
// # Invariants of a state of PartitionLog
//
//   - TypeOK: published <= written <= length of the WAL, at every replica that runs.
//   - KillSafe: kills, of however many replicas, lose nothing that was acknowledged,
//     whatever the policy (R3, R14).
//   - SyncSafe: nothing loses what was acknowledged under Persisted (R3, R14).
//   - DoubtSafe: a power loss at fewer than a quorum loses nothing that was acknowledged
//     under Replicated either (R15).
//   - NoGap: what a group loses is a suffix of its log, never the middle (R14).
//   - NoTorn: no replica that runs has a record in its WAL that fails to verify (R14).
//
// # Invariants of a state of Journal
//
//   - ViewKept: no promise of a vote is forgotten (R1).
//   - LogNoShorter, LogNoLonger: the log of log_view is the one adopted, with what was
//     appended since (R2).
//   - AckedSurvives: what was acknowledged is there, or rot took it and that is
//     known (R3, R14).
//   - NackSafe: only what it never acknowledged can a replica nack (R12, R15).
//   - CrashAlone: a crash without decay costs neither log nor boot (R2, R14, R16).
//   - CkptWhole: the snapshot holds what the WAL no longer does (R17).
//   - RingWhole: a full ring overwrites no live batch (R17).
//   - RotRead: interior rot is never taken for a torn tail (R14).
//   - NoTorn: boot takes no batch of which nothing verifies (R14).
//
// # Invariants of a state of JournalGroups, of each group
//
//   - ViewKept: no group forgets a vote because another had something to say (R1).
//   - AckedSurvives: what a group acknowledged is there, or rot took it and that is known
//     (R3, R17).
//   - NackSafe: only what it never acknowledged can a group nack (R15).
//   - CrashAlone: without rot no group's log is lost (R2, R17).
//   - NoStall: the ring comes to have room for a state record (R17).
//
// # Canonical text
//
// That of a TLA+ value: a record or function is [key:value,...] sorted by the text
// of the key, a sequence is a function on 1 to n, a set is {...} sorted, booleans
// are T and F:
//
//	["crashes":0,"excused":0,"in_doubt":{},"log":[0:[1:1],1:[1:1],2:[]],...]
package storage
