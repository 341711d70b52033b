----------------------------- MODULE JournalBoot -----------------------------
(* A crash at any step, decay while the replica is down, and the boot after it: *)
(* R14, R15, R16.  VRR 4.3 has no counterpart: its replicas recover from others.*)
EXTENDS JournalDisk

-----------------------------------------------------------------------------
\* Crash.

\* What a crash takes is what was in memory.
Crash ==
  /\ status = "running" /\ crashes < MaxCrash
  /\ crashes' = crashes + 1
  /\ status' = "down"
  /\ view' = 0 /\ log_view' = 0 /\ headers' = <<>> /\ in_doubt' = FALSE /\ log_lost' = FALSE
  /\ bodies_written' = {} /\ bodies_synced' = {} /\ queue' = <<>>
  /\ superblock' = NoSuperblock /\ superblock_next' = NoSuperblock
  /\ written' = 0 /\ synced' = 0
  /\ state_batch' = 0 /\ state_base' = 0 /\ state_synced' = FALSE
  /\ UNCHANGED <<wal_base, prepare_oks, sent_view, sent_log_view, ghostVars, rots, damages>>

\* Kill(left): SIGKILL.  The OS keeps what it has.  A write under way may be cut
\* short: left says what it leaves in its slot, "nothing", a "torn" batch or, with
\* an index at both ends, one that is torn and "legible".
\* Go: model/storage journal.kill; impl/storage/memdisk Disk.Kill.
Kill(left) ==
  /\ Crash
  /\ IF left = "nothing" THEN UNCHANGED wal_cache
     ELSE /\ CanWrite /\ (left = "legible" => Twin)
          /\ wal_cache' = [wal_cache EXCEPT ![Slot(written + 1)] =
                            Broken(NextBatch, left = "legible")]
  /\ UNCHANGED <<wal_disk, superblock_disk, superblock_cache, snapshotVars, owed>>

\* PowerLoss(fate, legible, files, snapshot): the page cache is lost.  Each unsynced
\* batch is "kept", "lost" (its slot holds what was there before) or "torn", with a
\* legible index or not; any of the changed superblock files, and the new snapshot,
\* may have reached the disk.  What is not synced is kept by nobody's promise: of
\* "replicated", only what is synced stays owed.
\* Go: model/storage journal.powerLoss; impl/storage/memdisk Disk.PowerLoss.
Fates == {"kept", "lost", "torn"}
PowerLoss(fate, legible, files, snapshot) ==
  /\ Crash
  /\ \A p \in 1..Slots : wal_cache[p] = wal_disk[p] => fate[p] = "kept"
  /\ legible => Twin /\ \E p \in 1..Slots : fate[p] = "torn"
  /\ \A k \in files : superblock_cache[k] # superblock_disk[k]
  /\ snapshot => snapshot_cache # snapshot_disk
  /\ wal_cache' = [p \in 1..Slots |-> CASE fate[p] = "kept" -> wal_cache[p]
                                        [] fate[p] = "lost" -> wal_disk[p]
                                        [] OTHER -> Broken(wal_cache[p], legible)]
  /\ wal_disk' = wal_cache'
  /\ superblock_cache' = [k \in 1..2 |-> IF k \in files THEN superblock_cache[k]
                                         ELSE superblock_disk[k]]
  /\ superblock_disk' = superblock_cache'
  /\ snapshot_cache' = IF snapshot THEN snapshot_cache ELSE snapshot_disk
  /\ snapshot_disk' = snapshot_cache'
  /\ owed' = IF Policy = "persisted" THEN owed ELSE { x \in owed : x[1] \in bodies_synced }

-----------------------------------------------------------------------------
\* Decay.

Idle ==
  /\ status = "down"
  /\ UNCHANGED <<wal_base, superblock, superblock_next, status, logVars, bodyVars, queue,
                 batchVars, promiseVars, ghostVars, crashes>>

\* Rot(p): the batch in slot p becomes unreadable.  Of two indexes rot spares one.
\* Go: model/storage journal.rot; impl/storage/memdisk Disk.Rot.
Rot(p) ==
  /\ Idle
  /\ rots < MaxRot
  /\ rots' = rots + 1
  /\ wal_disk[p] = wal_cache[p] /\ wal_disk[p].whole /\ wal_disk[p].sequence >= wal_base
  /\ wal_disk' = [wal_disk EXCEPT ![p] = Broken(@, Twin)]
  /\ wal_cache' = [wal_cache EXCEPT ![p] = Broken(@, Twin)]
  /\ UNCHANGED <<superblock_disk, superblock_cache, snapshotVars, damages>>

\* Misdirect(p, q): the write of the batch in slot p had gone to slot q, and nobody
\* has looked since.  Slot p shows what it held before, which no boot reads as the
\* batch that belongs there; q shows the batch, unless a younger one has been written.
\* Go: model/storage journal.misdirect.
Younger(a, b) == a.boot > b.boot \/ (a.boot = b.boot /\ a.sequence > b.sequence)
Misdirect(p, q) ==
  /\ Misdirects /\ p # q
  /\ Idle
  /\ rots < MaxRot
  /\ rots' = rots + 1
  /\ wal_disk[p] = wal_cache[p] /\ wal_disk[p].whole /\ wal_disk[p].sequence >= wal_base
  /\ Slot(wal_disk[p].sequence) = p /\ wal_disk[q] = wal_cache[q]
  /\ LET shown == IF Younger(wal_disk[q], wal_disk[p]) THEN wal_disk[q] ELSE wal_disk[p]
     IN /\ wal_disk' = [wal_disk EXCEPT ![p] = NoBatch, ![q] = shown]
        /\ wal_cache' = [wal_cache EXCEPT ![p] = NoBatch, ![q] = shown]
  /\ UNCHANGED <<superblock_disk, superblock_cache, snapshotVars, damages>>

\* DamageSuperblock(k): superblock file k becomes unreadable.
\* Go: model/storage journal.damageSuperblock; impl/storage/memdisk Disk.Rot.
DamageSuperblock(k) ==
  /\ Idle
  /\ damages < MaxDamage
  /\ damages' = damages + 1
  /\ superblock_disk[k] = superblock_cache[k] /\ superblock_disk[k].sequence > 0
  /\ superblock_disk' = [superblock_disk EXCEPT ![k] = DamagedSuperblock]
  /\ superblock_cache' = [superblock_cache EXCEPT ![k] = DamagedSuperblock]
  /\ UNCHANGED <<wal_disk, wal_cache, snapshotVars, rots>>

\* DamageSnapshot: the snapshot is unreadable, so there is none.
\* Go: model/storage journal.damageSnapshot; impl/storage/memdisk Disk.Rot.
DamageSnapshot ==
  /\ Idle
  /\ damages < MaxDamage
  /\ damages' = damages + 1
  /\ snapshot_disk = snapshot_cache /\ snapshot_disk > 0
  /\ snapshot_disk' = 0 /\ snapshot_cache' = 0
  /\ UNCHANGED <<wal_disk, wal_cache, superblock_disk, superblock_cache, rots>>

-----------------------------------------------------------------------------
\* Boot.

\* R16: the superblock has three outcomes.  Of alternating files a damaged one may
\* have been the newer; of copies the valid one has all that was ever completed, if
\* each boot makes the two equal.  Go: model/storage journal.openSuperblock.
Outcome ==
  LET valid   == { k \in 1..2 : superblock_cache[k].whole /\ superblock_cache[k].sequence > 0 }
      damaged == \E k \in 1..2 : ~superblock_cache[k].whole
      newest  == CHOOSE k \in valid :
                   \A j \in valid : superblock_cache[j].sequence <= superblock_cache[k].sequence
  IN IF valid # {} /\ (~damaged \/ Mirror \/ Bug("superblock_any_valid"))
     THEN [is |-> "present", state |-> superblock_cache[newest]]
     ELSE [is |-> IF damaged /\ ~Bug("superblock_unreadable_is_empty")
                  THEN "unreadable" ELSE "empty", state |-> NoSuperblock]

\* R14: the batch of sequence s verifies (or its index does), and so does its chain.
Cell(s) == wal_cache[Slot(s)]
Top     == wal_base + Slots - 1
Valid(s) == /\ Cell(s).legible \/ Bug("adopt_torn")
            /\ Cell(s).sequence = s \/ (Bug("stale_recycled") /\ Cell(s).sequence > 0)
Chained(s) == Valid(s) /\ (Cell(s).parent_boot = Cell(s - 1).boot \/ Bug("stale_recycled"))
\* What lies unreadable right below k is rot, not a torn tail, if an unbroken chain
\* that starts at k says that it was synced.  Then the log goes on at k.  A valid
\* batch behind it proves nothing: one flush may have covered both.
Resumes(k) ==
  Valid(k) /\ \/ Bug("no_synced_through") \/ Bug("adopt_past_hole")
              \/ \E j \in k..Top : /\ Cell(j).synced_through >= k - 1
                                   /\ \A s \in k+1..j : Chained(s)
\* Scan(s, used, rot): the batches that boot reads from s on, where they end, whether
\* rot was found, and whether the end is a torn batch that nobody can read.
\* Go: model/storage journal.scan; impl/wal Open.
RECURSIVE Scan(_, _, _)
Scan(s, used, rot) ==
  IF s <= Top /\ Valid(s) /\ (s = wal_base \/ Chained(s)) THEN Scan(s + 1, used \cup {s}, rot)
  ELSE LET resumed == IF Bug("rot_is_end") THEN {} ELSE { k \in s+1..Top : Resumes(k) }
       IN IF resumed # {} THEN Scan(Min(resumed) + 1, used \cup {Min(resumed)}, TRUE)
          ELSE [used |-> used, end |-> s, rot |-> rot, torn |-> s <= Top /\ ~Cell(s).legible]

\* R14, R15: boot looks at every slot, not only up to the end of the log, for traces of
\* a write that landed elsewhere: a batch in a slot that is not its own, a slot
\* that nobody can read, or a batch behind the end of the log.  The batch that is missing
\* may have been synced: doubt.  (Without misdirected writes the last two are what a
\* power loss leaves, and no reason for doubt: what is missing was not synced.)
Misplaced(end) ==
  \/ \E p \in 1..Slots : LET b == wal_cache[p]
                         IN ~b.legible \/ (b.sequence > 0 /\ Slot(b.sequence) # p)
  \/ \E k \in end+1..Top : Cell(k).sequence = k /\ Cell(k).legible

\* An op above a gap makes the ops in between known, but not their headers.
Place(log, e) ==
  IF Len(e) > Len(log) THEN Append(Pad(log, Len(e) - 1), e[Len(e)])
  ELSE IF log[Len(e)] = Unknown THEN [log EXCEPT ![Len(e)] = e[Len(e)]] ELSE log
\* Apply(a, r, whole): what record r adds to a, which is what the records before it
\* amount to.  Of a batch that is not whole, the index is all there is: no bodies.
\* A prepare of a log view whose state record is lost has lost its place too (R2).
Apply(a, r, whole) ==
  CASE r.kind = "other" -> a
    [] r.kind = "prepare" ->
         [a EXCEPT !.bodies = IF whole THEN @ \cup {r.entry} ELSE @,
                   !.headers = IF r.log_view = a.log_view \/ Bug("ignore_record_log_view")
                               THEN Place(@, r.entry) ELSE @]
    [] r.kind = "state" ->
         [a EXCEPT !.log_view = r.log_view, !.in_doubt = r.in_doubt,
                   !.headers =
                     CASE Bug("log_view_without_headers") -> Prefix(@, r.head)
                       [] Bug("hollow_headers_only") ->
                            [o \in 1..r.head |->
                              IF o > r.from /\ o \in r.hollow \cup {r.head}
                              THEN r.headers[o - r.from]
                              ELSE IF o <= Len(@) THEN @[o] ELSE Unknown]
                       [] OTHER -> Pad(Prefix(@, r.from), r.from) \o r.headers]
\* Replay(s, i, a, scan): a, and what the batches from s and its records from i add.
RECURSIVE Replay(_, _, _, _)
Replay(s, i, a, scan) ==
  IF s >= scan.end THEN a
  ELSE IF s \notin scan.used \/ i > Len(Cell(s).records) THEN Replay(s + 1, 1, a, scan)
  ELSE Replay(s, i + 1, Apply(a, Cell(s).records[i], Cell(s).whole \/ Bug("adopt_torn")), scan)

\* Boot: reads superblock, snapshot and WAL, or refuses: R14, R15, R16, R17.  The log
\* view is the WAL's; where the superblock is ahead, which only rot can bring about,
\* the log is lost (R2).  What was read may be in the page cache only and is flushed
\* before the replica speaks; a state record over the cut makes the doubt durable.
\* Go: model/storage journal.boot; impl/wal Open; impl/vsr New.
Boot ==
  /\ status = "down"
  /\ LET found == Outcome
         scan  == IF Bug("truncate_to_frontier")
                  THEN [used |-> {}, end |-> wal_base, rot |-> FALSE, torn |-> FALSE]
                  ELSE Scan(wal_base, {}, FALSE)
         read  == Replay(wal_base, 1, [log_view |-> 0, headers |-> <<>>, in_doubt |-> FALSE,
                                       bodies |-> {}], scan)
         \* The snapshot holds what it covers.
         log   == Prefix(committed, snapshot_cache) \o Suffix(read.headers, snapshot_cache)
         doubt == \/ read.in_doubt
                  \/ Policy = "replicated" /\ ~Bug("nack_after_restart")
                  \/ scan.rot /\ ~Bug("nack_after_rot") /\ ~Bug("adopt_past_hole")
                  \/ scan.torn /\ ~Twin /\ ~Bug("nack_after_torn")
                  \/ Misdirects /\ Misplaced(scan.end) /\ ~Bug("misdirected_is_end")
         state == found.state
     IN IF found.is = "unreadable" \/ state.checkpoint > snapshot_cache
        THEN /\ status' = "refused"
             /\ UNCHANGED <<walVars, superblockVars, snapshotVars, logVars, bodyVars, queue,
                            batchVars, promiseVars, ghostVars>>
        ELSE /\ status' = "running"
             /\ log_view' = Max({state.log_view, read.log_view})
             /\ view' = Max({state.view, read.log_view})
             /\ log_lost' = (state.log_view > read.log_view /\ ~Bug("log_view_from_superblock"))
             /\ headers' = log
             /\ in_doubt' = doubt
             /\ bodies_written' = read.bodies /\ bodies_synced' = read.bodies
             /\ superblock' = state /\ superblock_next' = NoSuperblock
             /\ queue' = <<StateRecord(read.log_view, log, state.checkpoint,
                                       doubt /\ ~Bug("cut_forgets_doubt"), {})>>
             /\ written' = scan.end - 1 /\ synced' = scan.end - 1
             /\ state_batch' = 0 /\ state_base' = state.checkpoint
             /\ state_synced' = Bug("speak_before_boot_flush")
             /\ IF Bug("speak_before_boot_flush")
                THEN UNCHANGED <<wal_disk, superblock_disk, superblock_cache, snapshot_disk>>
                ELSE /\ superblock_cache' = [k \in 1..2 |->
                          IF Mirror /\ ~Bug("copies_left_unequal") THEN state
                          ELSE superblock_cache[k]]
                     /\ superblock_disk' = superblock_cache'
                     /\ wal_disk' = wal_cache
                     /\ snapshot_disk' = snapshot_cache
             /\ UNCHANGED <<wal_cache, wal_base, snapshot_cache, ghostVars>>
             /\ Speak
  /\ UNCHANGED bounds
=============================================================================
