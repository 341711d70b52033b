----------------------------- MODULE JournalDisk -----------------------------
(* What one replica of one group keeps on its disk: the node's write-ahead log  *)
(* (WAL), the superblock, the checkpoint.  This module has constants, variables,*)
(* the records and what a replica may say; JournalBoot adds crash, decay and    *)
(* boot; Journal the replica at work, and composes them.                        *)
(* VRR has no disk (4.3 recovers from the other replicas); seed 004 is what a   *)
(* replica without these rules did, seed 003 what a bad boot did.               *)
(*                                                                              *)
(* Abstractions, each an argument that a finer system refines this one:         *)
(*  - the rest of the cluster is the environment: it hands out prepares, bodies *)
(*    and, as StartView, any log that keeps what is committed;                  *)
(*  - a checksum names its whole chain: the entry of op o is the sequence of    *)
(*    the views in which ops 1..o were first prepared, and a log is the entry   *)
(*    of its head; boot reads from an entry no more than its own header;        *)
(*  - a batch fills one slot of a ring (recycled files); reading a slot tells a *)
(*    batch, an old batch and no batch from damage.  Damage never looks like    *)
(*    any of these: a last batch that rots to zeros cannot be found out;        *)
(*  - wal_base, the first live sequence, stands for the names of the files;     *)
(*  - a replica speaks (votes, prepare_oks) in the step that first allows it,   *)
(*    which is the worst case, as speaking changes ghosts only;                 *)
(*  - the chain holds the boot number: no batch of an older boot continues it;  *)
(*  - nothing reads the disk while the replica runs, so it rots while it is     *)
(*    down, and after the last boot, which no crash can follow, all is said;    *)
(*  - a failed flush is fatal (a crash), a full ring makes the queue wait:       *)
(*    JournalGroups has the slots that are reserved, so that it waits for a time;*)
(*  - other groups of the node only write, JournalGroups has what they may do to *)
(*    each other; commit_max is no promise (left out).                          *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Policy,      \* "persisted": prepare_ok after the flush; "replicated": after the write
          MaxOp,       \* Highest op.
          MaxView,     \* Highest view.
          MaxBatch,    \* Highest sequence of a batch.
          Slots,       \* Batches that the ring holds.
          MaxAhead,    \* Batches that are written and not yet synced.
          MaxRecords,  \* Records in a batch.
          MaxCrash,    \* Crashes: SIGKILL or power loss.
          MaxRot,      \* Batches that rot.
          MaxDamage,   \* Superblock files and snapshots that are damaged.
          OtherGroups, \* BOOLEAN: other groups of the node write to the same WAL.
          Checkpoints, \* BOOLEAN: checkpoints are taken.
          Misdirects,  \* BOOLEAN: a write may land in another slot; it counts as rot.
          Twin,        \* TRUE: a batch has its index at both ends, and rot spares one (R15).
          Mirror,      \* TRUE: the two superblock files are copies (R16).
                       \* FALSE: upstream's shape, they alternate.
          Bugs         \* Deliberate defects, a subset of BugNames.

BugNames ==
  { "ack_before_flush",           \* R3: "persisted" acknowledges what only the OS has
    "ack_by_old_body",            \* R3: a body stored outside this log is acknowledged at once
    "view_sent_before_write",     \* R1: a vote leaves before the superblock is written: seed 004
    "speak_before_boot_flush",    \* R14: boot trusts what it read from the page cache
    "superblock_before_adoption", \* R2: log_view is durable before the log that it speaks for
    "log_view_without_headers",   \* R2: the state record has log_view and head, no headers
    "hollow_headers_only",        \* R2: ... and only the headers that lack a body
    "log_view_from_superblock",   \* R2: boot does not compare it with the WAL's
    "ignore_record_log_view",     \* R2: replay takes prepares of a log view it has no record of
    "truncate_to_frontier",       \* R14: boot keeps only what a checkpoint published: seed 003
    "no_synced_through",          \* R14: what something valid follows is rot, else it is torn
    "rot_is_end",                 \* R14: the log ends at whatever cannot be read
    "adopt_past_hole",            \* R14: skips an unreadable batch as if it had never been
    "adopt_torn",                 \* R14: takes a batch that does not verify
    "stale_recycled",             \* R14: checks neither sequence nor chain
    "misdirected_is_end",         \* R14: what a misdirected write leaves is taken for a clean end
    "nack_after_torn",            \* R15: a cut tail leaves the log trusted
    "nack_after_rot",             \* R15: proven rot leaves it trusted
    "nack_after_restart",         \* R15: "replicated" trusts what a crash left
    "cut_forgets_doubt",          \* R15: the cut is durable, the doubt is not
    "snapshot_ahead_of_log",      \* R17: a snapshot of ops, or under a log view, not yet durable
    "pairing_before_snapshot",    \* R17: the superblock names a snapshot that is not durable
    "release_before_pairing",     \* R17: the WAL goes before the superblock names the snapshot
    "release_under_adoption",     \* R17: released by a log that is not yet synced
    "release_drops_adoption",     \* R17: the newest state record goes
    "full_overwrites",            \* R17: on a full disk the write goes over what is not released
    "release_keeps_index",        \* R3: a released body still counts as stored
    "copies_left_unequal",        \* R16: boot leaves the two copies different
    "same_slot_superblock",       \* R16: the newest superblock file is overwritten in place
    "superblock_unreadable_is_empty", \* R16: damage is taken for a fresh disk
    "superblock_any_valid" }      \* R16: believes the valid one of two alternating files

ASSUME /\ Policy \in {"persisted", "replicated"}
       /\ { MaxOp, MaxView, MaxBatch, Slots, MaxAhead, MaxRecords } \subseteq Nat
       /\ { MaxCrash, MaxRot, MaxDamage } \subseteq Nat
       /\ Slots > 0 /\ MaxRecords > 0
       /\ { OtherGroups, Checkpoints, Misdirects, Twin, Mirror } \subseteq BOOLEAN
       /\ Bugs \subseteq BugNames

\* The disk.  Of each file two contents: what is durable, and what the OS shows.
VARIABLES wal_disk, wal_cache, \* [1..Slots -> batch]
          wal_base,            \* The first live sequence.
          superblock_disk, superblock_cache, \* [1..2 -> superblock state]
          snapshot_disk, snapshot_cache      \* Op of the snapshot; 0: none.
\* The replica, in memory.  Names are those of Replica where the thing is the same.
VARIABLES status,           \* "running", "down" or "refused": a typed refusal to boot (R16).
          view, log_view,
          headers,          \* Views of ops 1..head; Unknown: the op is there, its header is not.
          in_doubt,         \* Untrusted log: its head proves presence, not absence (R15).
          log_lost,         \* The log of log_view is gone: no part in any quorum (R2).
          bodies_written,   \* Entries whose body is written,
          bodies_synced,    \* ... and synced: the index of the WAL.
          queue,            \* Records that no write has taken yet.
          written, synced,  \* Sequence of the newest batch written, and synced.
          state_batch,      \* The newest state record: its batch,
          state_base,       \* ... the op below its headers,
          state_synced,     \* ... and whether it is synced.
          superblock,       \* The superblock state that is known durable,
          superblock_next   \* ... and the one being written; NoSuperblock: none.
\* Ghosts: what was promised, and what the log was.
VARIABLES prepare_oks,      \* <<entry, log_view in which it was acknowledged>>
          owed,             \* ... those that must survive the crashes so far.
          sent_view, sent_log_view, \* The highest of which a vote was sent.
          adopted, history, \* [view -> log]: as adopted, and with what was appended in the view.
          committed,        \* The log under snapshots.
          released          \* The highest op that was released from the WAL.
VARIABLES crashes, rots, damages \* Count towards the bounds.

walVars        == <<wal_disk, wal_cache, wal_base>>
superblockVars == <<superblock_disk, superblock_cache, superblock, superblock_next>>
snapshotVars   == <<snapshot_disk, snapshot_cache>>
logVars        == <<view, log_view, headers, in_doubt, log_lost>>
bodyVars       == <<bodies_written, bodies_synced>>
batchVars      == <<written, synced, state_batch, state_base, state_synced>>
promiseVars    == <<prepare_oks, owed, sent_view, sent_log_view>>
ghostVars      == <<adopted, history, committed, released>>
bounds         == <<crashes, rots, damages>>
vars == <<walVars, superblockVars, snapshotVars, status, logVars, bodyVars, queue, batchVars,
          promiseVars, ghostVars, bounds>>

Bug(b)  == b \in Bugs
Views   == 0..MaxView
Unknown == MaxView + 1
\* Whatever a log can be, headers that are not known included.
Logs == UNION { [1..n -> 0..Unknown] : n \in 0..MaxOp }
\* What a log of log view v can be adopted as: older views first, each below v.
LogsBefore(v) == { l \in UNION { [1..n -> 0..v-1] : n \in 0..MaxOp } :
                   \A i \in 2..Len(l) : l[i-1] <= l[i] }

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Prefix(s, n) == IF n < Len(s) THEN SubSeq(s, 1, n) ELSE s
Suffix(s, n) == SubSeq(s, n + 1, Len(s))
Pad(s, n) == s \o [i \in 1..(IF n > Len(s) THEN n - Len(s) ELSE 0) |-> Unknown]
\* p is a prefix of s, as far as the headers are known.
Fits(p, s) ==
  Len(p) <= Len(s) /\ \A i \in 1..Len(p) : p[i] = s[i] \/ Unknown \in {p[i], s[i]}

-----------------------------------------------------------------------------
\* What is written.

\* A batch: its sequence, the boot that wrote it, the boot of the batch before (the
\* chain), synced_through, its records.  whole: it verifies.  legible: its index
\* does, at either end (Twin), which says what the batch held.
\* Go: model/storage JournalBatch.
NoBatch == [sequence |-> 0, boot |-> 0, parent_boot |-> 0, synced_through |-> 0,
            records |-> <<>>, whole |-> TRUE, legible |-> TRUE]
Broken(batch, legible) == [batch EXCEPT !.whole = FALSE, !.legible = legible]
Slot(sequence) == ((sequence - 1) % Slots) + 1

\* Go: model/storage JournalSuperblock; impl/vsr Superblock.
NoSuperblock == [sequence |-> 0, view |-> 0, log_view |-> 0, checkpoint |-> 0, whole |-> TRUE]
DamagedSuperblock == [NoSuperblock EXCEPT !.whole = FALSE]

\* R2: a prepare record names the log view in force.
PrepareRecord(entry, v) == [kind |-> "prepare", entry |-> entry, log_view |-> v]
OtherRecord == [kind |-> "other"]
\* R2: a state record (adoption, boot, before a release) says all that the headers
\* before it said: log_view, the headers above the checkpoint, is the log in doubt.
\* A mutant stores the headers of the hollow ops only.  Go: model/storage journal.stateRecord.
StateRecord(v, log, from, doubt, hollow) ==
  [kind |-> "state", log_view |-> v, from |-> from, head |-> Len(log), in_doubt |-> doubt,
   hollow |-> hollow,
   headers |-> IF Bug("log_view_without_headers") THEN <<>> ELSE Suffix(log, from)]
Bodies(records) ==
  { records[i].entry : i \in { j \in 1..Len(records) : records[j].kind = "prepare" } }
HasState(records) == \E i \in 1..Len(records) : records[i].kind = "state"

\* The batch that the next write makes of the queue, and whether it can be written:
\* a batch lies in the ring until it is released.  While the disk is full, the queue
\* waits, and with it whatever it would have promised.
NextBatch ==
  [sequence |-> written + 1, boot |-> crashes,
   parent_boot |-> IF written = 0 THEN 0 ELSE wal_cache[Slot(written)].boot,
   synced_through |-> synced, records |-> queue, whole |-> TRUE, legible |-> TRUE]
CanWrite == /\ queue # <<>> /\ written < MaxBatch /\ written - synced < MaxAhead
            /\ written + 2 - wal_base <= Slots \/ Bug("full_overwrites")

-----------------------------------------------------------------------------
\* What is said.

\* R1, R2: the state record of log_view is synced, then the superblock names view
\* and log_view, then the replica speaks.
CanSpeak == /\ status = "running" /\ ~log_lost /\ state_synced
            /\ superblock.view = view /\ superblock.log_view = log_view
\* R3: what is acknowledged is the body of an op of the present log, and stored.
Acknowledged ==
  IF ~CanSpeak THEN {}
  ELSE { e \in IF Policy = "persisted" /\ ~Bug("ack_before_flush")
               THEN bodies_synced ELSE bodies_written :
         Len(e) <= Len(headers) /\ e = Prefix(headers, Len(e)) }

\* Speak ends every step of a running replica: in the state after it, the replica
\* votes and acknowledges whatever it may.  A prepare_ok of a log view below the one
\* that it has since voted for binds no more: the vote has replaced it.
\* Go: model/storage journal.speak; impl/vsr withholds these messages itself (R1).
Speak ==
  LET new == { <<e, log_view'>> : e \in Acknowledged' }
      add(S) == { x \in S : x[2] >= sent_log_view' /\ \A y \in new : y[1] # x[1] } \cup new
  IN /\ sent_view' = IF CanSpeak' \/ (Bug("view_sent_before_write") /\ status' = "running")
                     THEN Max({sent_view, view'}) ELSE sent_view
     /\ sent_log_view' = IF CanSpeak' THEN Max({sent_log_view, log_view'}) ELSE sent_log_view
     /\ prepare_oks' = add(prepare_oks)
     /\ owed' = add(owed)
=============================================================================
