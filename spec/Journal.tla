------------------------------- MODULE Journal -------------------------------
(* The replica at work on its disk, and the composition: whatever is promised   *)
(* holds across a crash at every step.  See JournalDisk for what is modelled.   *)
(* Every known defect is a member of BugNames; the comment of each invariant    *)
(* names those that break it.                                                   *)
EXTENDS JournalBoot

-----------------------------------------------------------------------------
\* The log.

\* What no crash can follow shows nothing: after the last boot nothing more is done.
Run == status = "running" /\ crashes < MaxCrash /\ UNCHANGED <<status, bounds>>
Room == Len(queue) < MaxRecords
Normal == view = log_view /\ ~log_lost

\* AppendPrepare: the next op of the view, made as primary or taken as backup.  VRR
\* 4.1 steps 2 and 4.  A body stored before, outside this log, is no reason for a
\* prepare_ok: this record is (R3).
\* Go: model/storage journal.appendPrepare; impl/vsr Replica.onPrepare.
AppendPrepare ==
  /\ Run /\ Room /\ Normal
  /\ Len(headers) < MaxOp
  /\ headers' = Append(headers, log_view)
  /\ queue' = Append(queue, PrepareRecord(headers', log_view))
  /\ history' = [history EXCEPT ![log_view] = IF Len(headers') > Len(@) THEN headers' ELSE @]
  /\ LET old == IF Bug("ack_by_old_body") THEN {} ELSE {headers'}
     IN bodies_written' = bodies_written \ old /\ bodies_synced' = bodies_synced \ old
  /\ UNCHANGED <<walVars, superblockVars, snapshotVars, view, log_view, in_doubt, log_lost,
                 batchVars, adopted, committed, released>>
  /\ Speak

\* RepairPrepare(op): a hollow or faulty op gets its body from a peer (R9).
\* Go: model/storage journal.repairPrepare; impl/vsr Replica.onRepairPrepare.
RepairPrepare(op) ==
  /\ Run /\ Room /\ Normal
  /\ op \in snapshot_cache+1..Len(headers) /\ op <= Len(history[log_view])
  /\ LET e == Prefix(history[log_view], op)
     IN /\ e \notin bodies_written \cup Bodies(queue)
        /\ headers' = [headers EXCEPT ![op] = e[op]]
        /\ queue' = Append(queue, PrepareRecord(e, log_view))
  /\ UNCHANGED <<walVars, superblockVars, snapshotVars, view, log_view, in_doubt, log_lost,
                 bodyVars, batchVars, ghostVars>>
  /\ Speak

\* AppendOther: another group of the node has something to write.
\* Go: model/storage journal.appendOther.
AppendOther ==
  /\ OtherGroups
  /\ Run
  /\ queue = <<>>
  /\ queue' = <<OtherRecord>>
  /\ UNCHANGED <<walVars, superblockVars, snapshotVars, logVars, bodyVars, batchVars, ghostVars>>
  /\ Speak

\* EnterView: a view change begins; a vote for it may leave once it is durable (R1).
\* VRR 4.2 step 1.  Go: model/storage journal.enterView; impl/vsr Replica.startViewChange.
EnterView ==
  /\ Run
  /\ view < MaxView
  /\ view' = view + 1
  /\ UNCHANGED <<walVars, superblockVars, snapshotVars, log_view, headers, in_doubt, log_lost,
                 bodyVars, queue, batchVars, ghostVars>>
  /\ Speak

\* Adopt(v, log): a StartView, or the merge of a new primary.  VRR 4.2 steps 3 and 5.
\* One of the view whose log the replica has is adopted only in answer to its probe,
\* and can but extend that log (R4, R7).  Adoption ends doubt (R15).
\* Go: model/storage journal.adopt; impl/vsr Replica.adopt.
Adopt(v, log) ==
  /\ Run /\ Room
  /\ v >= view
  /\ IF v > log_view THEN log \in LogsBefore(v) /\ Fits(committed, log)
                     ELSE (in_doubt \/ log_lost) /\ log = history[v]
  /\ view' = v /\ log_view' = v /\ headers' = log /\ in_doubt' = FALSE /\ log_lost' = FALSE
  /\ queue' = Append(queue, StateRecord(v, log, superblock.checkpoint, FALSE,
                IF Bug("hollow_headers_only")
                THEN { o \in 1..Len(log) : Prefix(log, o) \notin bodies_written } ELSE {}))
  /\ history' = [history EXCEPT ![v] = log]
  /\ adopted' = IF v > log_view THEN [adopted EXCEPT ![v] = log] ELSE adopted
  /\ state_synced' = FALSE
  /\ state_base' = superblock.checkpoint
  /\ UNCHANGED <<walVars, superblockVars, snapshotVars, bodyVars, written, synced, state_batch,
                 committed, released>>
  /\ Speak

-----------------------------------------------------------------------------
\* WAL and superblock.

\* WriteBatch: the queue becomes a batch in the page cache.
\* Go: model/storage journal.writeBatch; impl/wal Log.Append.
WriteBatch ==
  /\ Run
  /\ CanWrite
  /\ wal_cache' = [wal_cache EXCEPT ![Slot(written + 1)] = NextBatch]
  /\ written' = written + 1
  /\ queue' = <<>>
  /\ bodies_written' = bodies_written \cup Bodies(queue)
  /\ state_batch' = IF HasState(queue) THEN written + 1 ELSE state_batch
  /\ UNCHANGED <<wal_disk, wal_base, superblockVars, snapshotVars, logVars, bodies_synced,
                 synced, state_base, state_synced, ghostVars>>
  /\ Speak

\* SyncWAL: one flush covers all that was written: group commit.  A state record that
\* still waits in the queue is not covered.
\* Go: model/storage journal.syncWAL; impl/wal Log.Sync.
SyncWAL ==
  /\ Run
  /\ synced < written
  /\ synced' = written
  /\ wal_disk' = wal_cache
  /\ bodies_synced' = bodies_written
  /\ state_synced' = (state_synced \/ ~HasState(queue))
  /\ UNCHANGED <<wal_cache, wal_base, superblockVars, snapshotVars, logVars, bodies_written,
                 queue, written, state_batch, state_base, ghostVars>>
  /\ Speak

\* WriteSuperblock: temporary file, fsync and rename.  R2: only after the state record
\* of log_view is synced.  A file overwritten in place (mutant) is broken meanwhile.
\* Go: model/storage journal.writeSuperblock.
WriteSuperblock ==
  /\ Run
  /\ superblock_next = NoSuperblock
  /\ state_synced \/ Bug("superblock_before_adoption")
  /\ LET next == [sequence |-> superblock.sequence + 1, view |-> view, log_view |-> log_view,
                  checkpoint |-> IF Bug("pairing_before_snapshot")
                                 THEN snapshot_cache ELSE snapshot_disk,
                  whole |-> TRUE]
         k == IF Mirror THEN 1 ELSE (next.sequence % 2) + 1
     IN /\ <<next.view, next.log_view, next.checkpoint>> #
             <<superblock.view, superblock.log_view, superblock.checkpoint>>
        /\ superblock_next' = next
        /\ IF Bug("same_slot_superblock")
           THEN /\ superblock_cache' = [superblock_cache EXCEPT ![1] = DamagedSuperblock]
                /\ superblock_disk' = superblock_cache'
           ELSE /\ superblock_cache' = [superblock_cache EXCEPT ![k] = next]
                /\ UNCHANGED superblock_disk
  /\ UNCHANGED <<walVars, superblock, snapshotVars, logVars, bodyVars, queue, batchVars,
                 ghostVars>>
  /\ Speak

\* MirrorSuperblock: with copies, the second file too (R16).
\* Go: model/storage journal.mirrorSuperblock.
MirrorSuperblock ==
  /\ Run
  /\ Mirror /\ superblock_next # NoSuperblock /\ superblock_cache[2] # superblock_next
  /\ superblock_cache' = [superblock_cache EXCEPT ![2] = superblock_next]
  /\ UNCHANGED <<walVars, superblock_disk, superblock, superblock_next, snapshotVars, logVars,
                 bodyVars, queue, batchVars, ghostVars>>
  /\ Speak

\* SyncSuperblock: the directory's fsync.  The update is complete and known durable.
\* Go: model/storage journal.syncSuperblock; impl/vsr Replica.onSuperblockStored.
SyncSuperblock ==
  /\ Run
  /\ superblock_next # NoSuperblock
  /\ Mirror => superblock_cache[2] = superblock_next
  /\ superblock_cache' = IF Bug("same_slot_superblock")
                         THEN [superblock_cache EXCEPT ![1] = superblock_next]
                         ELSE superblock_cache
  /\ superblock_disk' = superblock_cache'
  /\ superblock' = superblock_next
  /\ superblock_next' = NoSuperblock
  /\ UNCHANGED <<walVars, snapshotVars, logVars, bodyVars, queue, batchVars, ghostVars>>
  /\ Speak

-----------------------------------------------------------------------------
\* Checkpoint: R17.

\* TakeSnapshot(op): the state machine's state at op, which is committed.  It covers
\* synced ops of a log whose log view is durable, else a crash could bring back
\* another log below it.  Go: model/storage journal.takeSnapshot.
TakeSnapshot(op) ==
  /\ Checkpoints
  /\ Run /\ Normal
  /\ snapshot_cache = snapshot_disk
  /\ CanSpeak \/ Bug("snapshot_ahead_of_log")
  /\ op \in snapshot_cache+1..Len(headers)
  /\ \A o \in snapshot_cache+1..op :
       Prefix(headers, o) \in IF Bug("snapshot_ahead_of_log") THEN bodies_written
                              ELSE bodies_synced
  /\ snapshot_cache' = op
  /\ committed' = Prefix(headers, op)
  /\ UNCHANGED <<walVars, superblockVars, snapshot_disk, logVars, bodyVars, queue, batchVars,
                 adopted, history, released>>
  /\ Speak

\* SyncSnapshot: it is durable.  The superblock may name it from here: the pairing.
\* Go: model/storage journal.syncSnapshot.
SyncSnapshot ==
  /\ Run
  /\ snapshot_cache # snapshot_disk
  /\ snapshot_disk' = snapshot_cache
  /\ UNCHANGED <<walVars, superblockVars, snapshot_cache, logVars, bodyVars, queue, batchVars,
                 ghostVars>>
  /\ Speak

\* The checkpoint below which the WAL may go.
Paired == IF Bug("release_before_pairing") THEN snapshot_disk ELSE superblock.checkpoint

\* RepeatState: the newest state record must stay, so it is written again, above the
\* new checkpoint, before its batch goes.  Go: model/storage journal.repeatState.
RepeatState ==
  /\ Checkpoints
  /\ Run /\ Room
  /\ state_synced /\ state_base < Paired
  /\ queue' = Append(queue, StateRecord(log_view, headers, Paired, in_doubt, {}))
  /\ state_base' = Paired
  /\ UNCHANGED <<walVars, superblockVars, snapshotVars, logVars, bodyVars, written, synced,
                 state_batch, state_synced, ghostVars>>
  /\ Speak

\* Release(to): the batches below sequence to go; the bodies in them are stored no
\* more (R3).  By a synced log only: a crash may bring back the one before.  What
\* goes, as far as it is of this log, the checkpoint covers.
\* Go: model/storage journal.release.
Release(to) ==
  /\ Checkpoints
  /\ Run
  /\ to \in wal_base+1..synced
  /\ LET in(first, last) == UNION { Bodies(wal_cache[Slot(s)].records) :
                                    s \in { x \in first..last : wal_cache[Slot(x)].whole } }
         gone == { e \in in(wal_base, to - 1) : Fits(e, headers) }
         left(S, last) == IF Bug("release_keeps_index") THEN S ELSE S \cap in(to, last)
     IN /\ \A e \in gone : Len(e) <= Paired
        /\ to <= state_batch \/ Bug("release_drops_adoption")
        /\ state_batch <= synced /\ (state_synced \/ Bug("release_under_adoption"))
        /\ wal_base' = to
        /\ bodies_written' = left(bodies_written, written)
        /\ bodies_synced' = left(bodies_synced, synced)
        /\ released' = Max({released} \cup { Len(e) : e \in gone })
  /\ UNCHANGED <<wal_disk, wal_cache, superblockVars, snapshotVars, logVars, queue, batchVars,
                 adopted, history, committed>>
  /\ Speak

-----------------------------------------------------------------------------
Init ==
  /\ wal_disk = [p \in 1..Slots |-> NoBatch] /\ wal_cache = wal_disk /\ wal_base = 1
  /\ superblock_disk = [k \in 1..2 |-> NoSuperblock] /\ superblock_cache = superblock_disk
  /\ superblock = NoSuperblock /\ superblock_next = NoSuperblock
  /\ snapshot_disk = 0 /\ snapshot_cache = 0
  /\ status = "running" /\ view = 0 /\ log_view = 0 /\ headers = <<>>
  /\ in_doubt = FALSE /\ log_lost = FALSE
  /\ bodies_written = {} /\ bodies_synced = {} /\ queue = <<>>
  /\ written = 0 /\ synced = 0 /\ state_batch = 0 /\ state_base = 0 /\ state_synced = TRUE
  /\ prepare_oks = {} /\ owed = {} /\ sent_view = 0 /\ sent_log_view = 0
  /\ adopted = [v \in Views |-> <<>>] /\ history = adopted /\ committed = <<>> /\ released = 0
  /\ crashes = 0 /\ rots = 0 /\ damages = 0

Next ==
  \/ AppendPrepare
  \/ \E op \in 1..MaxOp : RepairPrepare(op)
  \/ AppendOther
  \/ EnterView
  \/ \E v \in Views, log \in Logs : Adopt(v, log)
  \/ WriteBatch
  \/ SyncWAL
  \/ WriteSuperblock
  \/ MirrorSuperblock
  \/ SyncSuperblock
  \/ \E op \in 1..MaxOp : TakeSnapshot(op)
  \/ SyncSnapshot
  \/ RepeatState
  \/ \E to \in 1..MaxBatch : Release(to)
  \/ \E left \in {"nothing", "torn", "legible"} : Kill(left)
  \/ \E fate \in [1..Slots -> Fates], legible \in BOOLEAN, files \in SUBSET {1, 2},
        snapshot \in BOOLEAN : PowerLoss(fate, legible, files, snapshot)
  \/ \E p \in 1..Slots : Rot(p)
  \/ \E p, q \in 1..Slots : Misdirect(p, q)
  \/ \E k \in 1..2 : DamageSuperblock(k)
  \/ DamageSnapshot
  \/ Boot
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* Invariants.  A replica whose log is lost keeps its promises by its silence.
\* Five claims about a disk are proven here; "Claim" stands beside what proves each.

Live == status = "running" /\ ~log_lost
InLog(e) == Fits(e, headers)
Holds(e) == InLog(e) /\ (e \in bodies_written \/ Len(e) <= snapshot_cache)

\* ViewKept, R1: no promise of a vote is forgotten.
\* Mutants view_sent_before_write, copies_left_unequal, superblock_unreadable_is_empty
\* and superblock_any_valid break it.
ViewKept == status = "running" => view >= sent_view /\ log_view >= sent_log_view

\* LogNoShorter, R2: the log of log_view has all that was adopted in it.
\* Claim: log view and its log change together (with LogNoLonger).
\* Mutants log_view_without_headers and log_view_from_superblock break it.
LogNoShorter == Live => Fits(adopted[log_view], headers)

\* LogNoLonger, R2: it has nothing else than that and what was appended since.
\* Claim: no truncated op comes back.
\* Mutants ignore_record_log_view, stale_recycled and snapshot_ahead_of_log break it.
LogNoLonger == Live => Fits(headers, history[log_view])

\* AckedSurvives, R3, R14: what was acknowledged is there; where rot took it, that is
\* known.
\* Claims: a body is durable before its prepare_ok; what was acknowledged under
\* "persisted" survives any single crash.
\* Mutants ack_before_flush, ack_by_old_body, speak_before_boot_flush,
\* truncate_to_frontier, release_under_adoption and release_keeps_index break it.
AckedSurvives ==
  Live => \A x \in owed : \/ x[2] < log_view \/ Holds(x[1]) \/ x[1] \in Bodies(queue)
                          \/ rots > 0 /\ (InLog(x[1]) \/ in_doubt)

\* NackSafe, R12, R15: only what it never acknowledged can a replica nack.
\* Mutants nack_after_torn, nack_after_rot, nack_after_restart, cut_forgets_doubt and
\* misdirected_is_end break it.
MayNack(e) == Live /\ ~in_doubt /\ ~InLog(e)
NackSafe == \A x \in prepare_oks : x[2] < log_view \/ ~MayNack(x[1])

\* CrashAlone, R2, R14, R16: a crash without decay costs neither the log nor the boot,
\* and leaves no op whose header is not known.
\* Claim: a torn tail that is taken for rot loses nothing acknowledged (with
\* AckedSurvives).
\* Mutants superblock_before_adoption, hollow_headers_only, no_synced_through,
\* adopt_past_hole, pairing_before_snapshot, release_drops_adoption and
\* same_slot_superblock break it.
CrashAlone ==
  rots = 0 /\ damages = 0 =>
    /\ status # "refused" /\ ~log_lost
    /\ status = "running" => Unknown \notin { headers[i] : i \in 1..Len(headers) }

\* CkptWhole, R17: the snapshot holds whatever the WAL no longer does.
\* Mutant release_before_pairing breaks it.
CkptWhole == status = "running" => snapshot_cache >= released

\* RingWhole, R17: a full disk makes the replica wait; it never overwrites a live batch.
\* Mutant full_overwrites breaks it.
RingWhole ==
  status = "running" /\ rots = 0 => \A s \in wal_base..written : Cell(s).sequence = s

\* RotRead, R14: boot does not end where an unbroken chain behind says that what lies
\* below it was synced.
\* Claim: interior rot is never taken for a torn tail.  (Rot within the last flush is
\* not told from a torn tail, by anyone: it costs what lies behind it, and doubt.)
\* Mutant rot_is_end breaks it.
RotRead ==
  status = "down" =>
    LET end  == Scan(wal_base, {}, FALSE).end
        own(s) == Cell(s).legible /\ Cell(s).sequence = s
    IN \A k \in end+1..Top : \A j \in k..Top :
         (\A s \in k..j : own(s) /\ (s > k => Cell(s).parent_boot = Cell(s - 1).boot))
           => Cell(j).synced_through < k - 1

\* NoTorn, R14: boot takes no batch of which nothing verifies.
\* Mutant adopt_torn breaks it.
NoTorn == status = "down" => \A s \in Scan(wal_base, {}, FALSE).used : Cell(s).legible
=============================================================================
