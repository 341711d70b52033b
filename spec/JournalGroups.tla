---------------------------- MODULE JournalGroups ----------------------------
(* The WAL and the superblock of a node that has several groups: what one group  *)
(* must not cost another, and what a full ring must keep free.  Journal has one  *)
(* group and every step of a write; here a step is coarser and there are more    *)
(* groups.  R14, R15, R17; VRR has no disk.                                      *)
(* The ring gives a sequence to each batch and frees them in that order.  A      *)
(* batch that holds something needed, be it one prepare that no checkpoint       *)
(* covers, keeps all batches behind it from being freed: so a primary that       *)
(* cannot commit could fill the WAL, and then no group of the node could even    *)
(* change its view.  Two rules keep that from happening:                         *)
(*  - what is needed of the oldest batch may be written again at the head (Move):*)
(*    bodies as repair would, state records as of now;                           *)
(*  - prepares are refused while fewer than Reserved slots would be left beside  *)
(*    those that hold prepares: one for the state record of each group, one for  *)
(*    the record that supersedes it, one for moving, and one that only the first  *)
(*    batch after a boot may take: rot can make a batch needed again.            *)
(* A refusal is an answer to the client and has no effect: there is no step.     *)
(* Abstractions:                                                                 *)
(*  - a batch is a prepare, an adoption, what is moved, or the states of all     *)
(*    groups after a boot; writes are the OS's at once (policy "persisted");     *)
(*  - the superblock and a snapshot are each written in one durable step;        *)
(*  - no log is truncated: a log is its ops 1..head, and an adoption brings all  *)
(*    that was ever prepared, without bodies;                                    *)
(*  - a crash keeps what is synced and any prefix of the rest; the batch after   *)
(*    it may be torn (SIGKILL keeps all that was written);                       *)
(*  - what no crash can follow shows nothing: after the last boot all is said.   *)
EXTENDS Naturals, FiniteSets

CONSTANTS Groups,    \* Number of groups.
          MaxOp,     \* Highest op of a group.
          MaxView,   \* Highest log view of a group.
          MaxBatch,  \* Highest sequence of a batch.
          Slots,     \* Batches that the ring holds.
          MaxCrash,  \* Crashes.
          MaxRot,    \* Batches that rot.
          Bugs       \* Deliberate defects.
BugNames ==
  { "doubt_for_one_group_only",       \* R15: only for groups that see a gap in their log
    "superblock_of_one_group",        \* R1: it is written with the groups that changed
    "superblock_before_other_sync",   \* R2: ... with log views that are not synced yet
    "release_by_lowest_of_one_group", \* R17: released by the checkpoint of one group
    "checkpoint_drops_other_state",   \* R17: ... with state records of groups without one
    "release_unsynced_copy",          \* R17: released before what was moved is synced
    "no_first_states",                \* R15: the WAL begins without a state record of each
    "move_verbatim",                  \* R17: a moved state record says what it said before
    "full_is_acknowledged",           \* R3: a refused prepare is acknowledged
    "no_reserved_slot",               \* R17: prepares take every slot
    "no_slot_for_moving",             \* R17: ... every slot but those of state records
    "no_slot_for_boot" }              \* R17: ... moving and they take the last slot
ASSUME /\ {Groups, MaxOp, MaxView, MaxBatch, Slots, MaxCrash, MaxRot} \subseteq Nat
       /\ Groups > 0 /\ Slots > 0 /\ Bugs \subseteq BugNames

VARIABLES
  wal,           \* [1..Slots -> batch]
  base,          \* The first sequence that is not released.
  written, synced, \* The newest batch written, and synced.
  superblock,    \* [Group -> [log_view, checkpoint]]: one file for all groups.
  snapshot,      \* [Group -> op]
  status,        \* "running" or "down"
  log_view, head, in_doubt, \* Of each group, as its WAL has it.
  unsaid,        \* What boot found is not written yet: no group speaks.  So it is at first.
  \* Ghosts, of each group.
  prepare_oks,   \* The ops acknowledged.
  sent_log_view, \* The highest log view of which a vote was sent.
  history,       \* The highest op ever prepared.
  crashes, rots  \* Count towards the bounds.

disk  == <<wal, base, written, synced>>
ghost == <<prepare_oks, sent_log_view, history>>
vars  == <<disk, superblock, snapshot, status, log_view, head, in_doubt, unsaid, ghost,
           crashes, rots>>

Bug(b) == b \in Bugs
Group  == 1..Groups
Max(S) == CHOOSE x \in S : \A y \in S : y <= x

-----------------------------------------------------------------------------
\* The ring.
\* over: the slot held a batch that cannot be read, which boot took for the end.
NoBatch == [sequence |-> 0, synced_through |-> 0, bodies |-> {}, states |-> {},
            whole |-> TRUE, over |-> FALSE]
Wreck(s) == [NoBatch EXCEPT !.sequence = s, !.whole = FALSE]
Slot(s) == ((s - 1) % Slots) + 1
Cell(s) == wal[Slot(s)]
Free    == Slots + base - written - 1

\* Go: model/storage JournalGroupsBatch.
StateRecord(g) == [group |-> g, log_view |-> log_view[g], head |-> head[g],
                   in_doubt |-> in_doubt[g]]
Write(bodies, states) ==
  /\ written < MaxBatch
  /\ wal' = [wal EXCEPT ![Slot(written + 1)] =
              [sequence |-> written + 1, synced_through |-> synced, bodies |-> bodies,
               states |-> states, whole |-> TRUE, over |-> Cell(written + 1).sequence > 0]]
  /\ written' = written + 1
  /\ UNCHANGED <<base, synced>>

\* What the batches of a range hold that can be read.
HasBody(g, op, first, last) ==
  \E s \in first..last : Cell(s).whole /\ <<g, op>> \in Cell(s).bodies
Says(s, g)  == Cell(s).whole /\ \E r \in Cell(s).states : r.group = g
StateBatch(g, first, last) == Max({0} \cup { s \in first..last : Says(s, g) })

\* What batch s holds that is needed, given that the batches up to last will stay: a
\* body that no checkpoint covers, the newest state record of a group.
Bodies(s, last) ==
  IF ~Cell(s).whole THEN {}
  ELSE { b \in Cell(s).bodies : /\ b[2] > superblock[b[1]].checkpoint
                                /\ ~HasBody(b[1], b[2], s + 1, last) }
States(s, last) == { g \in Group : Says(s, g) /\ StateBatch(g, s + 1, last) = 0 }
Needed(s, last) == Bodies(s, last) # {} \/ States(s, last) # {}

\* Slots below which only moving goes on, and whether the ring takes another prepare.
Least    == IF Bug("no_slot_for_boot") THEN 1 ELSE 2
Reserved == IF Bug("no_slot_for_moving") THEN Groups + Least ELSE Groups + Least + 1
Pending  == UNION { Bodies(s, s) : s \in base..written }
Takes    == IF Bug("no_reserved_slot") THEN Free >= 1
            ELSE Free > Least /\ Cardinality(Pending) + 1 + Reserved <= Slots

-----------------------------------------------------------------------------
\* What is said: R1, R2, R3.
Lost(g) == superblock[g].log_view > log_view[g]
StateSynced(g) == ~unsaid /\ StateBatch(g, base, written) <= synced
CanSpeak(g) == /\ status = "running" /\ StateSynced(g)
               /\ superblock[g].log_view = log_view[g]
Stored(g) == IF ~CanSpeak(g) THEN {}
             ELSE { op \in 1..head[g] : HasBody(g, op, base, synced) }
\* Speak ends every step of a running node, more being what a mutant acknowledges.
\* Go: model/storage journalGroups.speak.
Speak(more) ==
  /\ prepare_oks' = [g \in Group |-> prepare_oks[g] \cup Stored(g)' \cup more[g]]
  /\ sent_log_view' = [g \in Group |-> IF CanSpeak(g)' /\ log_view'[g] > sent_log_view[g]
                                       THEN log_view'[g] ELSE sent_log_view[g]]
Nothing == [g \in Group |-> {}]

-----------------------------------------------------------------------------
\* The groups at work.
Run == status = "running" /\ crashes < MaxCrash /\ UNCHANGED <<status, crashes, rots>>

\* AppendPrepare(g): the next op of g, as primary or as backup.  VRR 4.1 steps 2 and 4.
\* Go: model/storage journalGroups.appendPrepare.
AppendPrepare(g) ==
  /\ Run /\ ~unsaid /\ ~Lost(g) /\ ~in_doubt[g]
  /\ head[g] < MaxOp
  /\ Takes \/ Bug("full_is_acknowledged")
  /\ head' = [head EXCEPT ![g] = @ + 1]
  /\ history' = [history EXCEPT ![g] = Max({@, head'[g]})]
  /\ IF Takes THEN Write({<<g, head'[g]>>}, {}) ELSE UNCHANGED disk
  /\ UNCHANGED <<superblock, snapshot, log_view, in_doubt, unsaid>>
  /\ Speak(IF Takes THEN Nothing ELSE [Nothing EXCEPT ![g] = {head'[g]}])

\* Adopt(g): a StartView, or the merge of a new primary.  VRR 4.2 steps 3 and 5.  It
\* ends doubt (R15), and needs a slot while the other groups have filled the ring.
\* Go: model/storage journalGroups.adopt.
Adopt(g) ==
  /\ Run /\ ~unsaid /\ Free > Least
  /\ LET view == Max({log_view[g], superblock[g].log_view}) + 1
     IN /\ view <= MaxView
        /\ log_view' = [log_view EXCEPT ![g] = view]
  /\ head' = [head EXCEPT ![g] = history[g]]
  /\ in_doubt' = [in_doubt EXCEPT ![g] = FALSE]
  /\ Write({}, {StateRecord(g)'})
  /\ UNCHANGED <<superblock, snapshot, unsaid, history>>
  /\ Speak(Nothing)

\* SayStates: after a boot that has news, and before any group speaks, one batch has what
\* was found of all of them: the doubt too is durable.  A new WAL begins with it.
\* Go: model/storage journalGroups.sayStates.
SayStates ==
  /\ Run /\ unsaid
  /\ Free > Least
  /\ Write({}, { StateRecord(g) : g \in Group })
  /\ unsaid' = FALSE
  /\ UNCHANGED <<superblock, snapshot, log_view, head, in_doubt, history>>
  /\ Speak(Nothing)

\* Sync: one flush covers what was written for all groups: group commit.
\* Go: model/storage journalGroups.sync; impl/wal Log.Sync.
Sync ==
  /\ Run /\ synced < written
  /\ synced' = written
  /\ UNCHANGED <<wal, base, written, superblock, snapshot, log_view, head, in_doubt, unsaid,
                 history>>
  /\ Speak(Nothing)

\* WriteSuperblock: the state of every group, of each what its synced WAL says (R2).
\* Go: model/storage journalGroups.writeSuperblock.
WriteSuperblock ==
  /\ Run
  /\ LET view(g) == IF StateSynced(g) \/ Bug("superblock_before_other_sync")
                    THEN Max({log_view[g], superblock[g].log_view})
                    ELSE superblock[g].log_view
         next(g) == [log_view |-> view(g), checkpoint |-> snapshot[g]]
         changed == { g \in Group : next(g) # superblock[g] }
     IN /\ changed # {}
        /\ superblock' = [g \in Group |->
                           IF g \notin changed /\ Bug("superblock_of_one_group")
                           THEN [log_view |-> 0, checkpoint |-> 0] ELSE next(g)]
  /\ UNCHANGED <<disk, snapshot, log_view, head, in_doubt, unsaid, history>>
  /\ Speak(Nothing)

-----------------------------------------------------------------------------
\* Checkpoint and release: R17.

\* TakeSnapshot(g, op): g's state machine at op, which covers synced ops only.
\* Go: model/storage journalGroups.takeSnapshot.
TakeSnapshot(g, op) ==
  /\ Run /\ CanSpeak(g)
  /\ op \in snapshot[g]+1..head[g]
  /\ \A o \in snapshot[g]+1..op : HasBody(g, o, base, synced)
  /\ snapshot' = [snapshot EXCEPT ![g] = op]
  /\ UNCHANGED <<disk, superblock, log_view, head, in_doubt, unsaid, history>>
  /\ Speak(Nothing)

\* Release: the oldest batch goes when nothing in it, of any group, is needed.  What
\* cannot be read goes too: it calls for the doubt of a group only while no state record
\* of the group lies behind it, and each group has one from the first batch on.
\* Go: model/storage journalGroups.release.
Release ==
  /\ Run /\ base <= synced
  /\ LET last == IF Bug("release_unsynced_copy") THEN written ELSE synced
         bodies == Bodies(base, last)
         states == States(base, last)
         taken == { g \in Group : superblock[g].checkpoint > 0 }
     IN CASE Bug("release_by_lowest_of_one_group") /\ taken # {} ->
               \E g \in taken : g \notin states /\ \A b \in bodies : b[1] # g
          [] Bug("checkpoint_drops_other_state") /\ taken # {} ->
               bodies = {} /\ states \cap taken = {}
          [] OTHER -> bodies = {} /\ states = {}
  /\ wal' = [wal EXCEPT ![Slot(base)] = NoBatch]
  /\ base' = base + 1
  /\ UNCHANGED <<written, synced, superblock, snapshot, log_view, head, in_doubt, unsaid,
                 history>>
  /\ Speak(Nothing)

\* Move: what is needed of the oldest batch is written again, into the slot that is kept
\* for this, so that the batches behind it can go.  A state record says what is now.  The
\* first batch after a boot that has news is of all groups.
\* Go: model/storage journalGroups.move.
Move ==
  /\ Run /\ base <= synced
  /\ Free = Least \/ (Free = 1 /\ unsaid)
  /\ Needed(base, written)
  /\ LET states == IF unsaid THEN Group ELSE States(base, written)
     IN Write(Bodies(base, written),
              IF Bug("move_verbatim") THEN { r \in Cell(base).states : r.group \in states }
              ELSE { StateRecord(g) : g \in states })
  /\ unsaid' = FALSE
  /\ UNCHANGED <<superblock, snapshot, log_view, head, in_doubt, history>>
  /\ Speak(Nothing)

-----------------------------------------------------------------------------
\* Crash, rot, boot.

\* Crash(keep, torn): the batches up to keep are on the disk; the next is there in part.
\* The slot of one that is lost shows what was there before.
\* Go: model/storage journalGroups.crash; impl/storage/memdisk Disk.PowerLoss, Disk.Kill.
Crash(keep, torn) ==
  /\ status = "running" /\ crashes < MaxCrash
  /\ keep \in synced..written /\ (torn => keep < written)
  /\ crashes' = crashes + 1
  /\ status' = "down"
  /\ wal' = [p \in 1..Slots |->
              IF wal[p].sequence <= keep \/ ~wal[p].whole THEN wal[p]
              ELSE IF wal[p].over \/ (torn /\ wal[p].sequence = keep + 1)
              THEN Wreck(wal[p].sequence) ELSE NoBatch]
  /\ written' = 0 /\ synced' = 0
  /\ log_view' = [g \in Group |-> 0] /\ head' = log_view'
  /\ in_doubt' = [g \in Group |-> FALSE] /\ unsaid' = FALSE
  /\ UNCHANGED <<base, superblock, snapshot, ghost, rots>>

\* Rot(s): a batch that is not released becomes unreadable, and with it the names of the
\* groups that it was of.
\* Go: model/storage journalGroups.rot; impl/storage/memdisk Disk.Rot.
Rot(s) ==
  /\ status = "down" /\ rots < MaxRot
  /\ s >= base /\ Cell(s).sequence = s /\ Cell(s).whole
  /\ rots' = rots + 1
  /\ wal' = [wal EXCEPT ![Slot(s)] = Wreck(s)]
  /\ UNCHANGED <<base, written, synced, superblock, snapshot, status, log_view, head,
                 in_doubt, unsaid, ghost, crashes>>

\* What boot reads: R14, as in JournalBoot.  The end is the first batch that is not there
\* or cannot be read, unless a batch behind it says that it was synced.
Top == base + Slots - 1
Readable(s) == Cell(s).sequence = s /\ Cell(s).whole
ReadOn(s) == \E k \in s+1..Top : /\ \A j \in s+1..k : Readable(j)
                                 /\ Cell(k).synced_through >= s
End == LET ends == { s \in base..Top + 1 : s > Top \/ (~Readable(s) /\ ~ReadOn(s)) }
       IN CHOOSE s \in ends : \A t \in ends : s <= t
Unreadable == { s \in base..Top : Cell(s).sequence = s /\ ~Cell(s).whole }

\* Boot: of each group the newest state record, and the prepares behind it.  What cannot
\* be read may have been of any group, so all are in doubt (R15) but those whose state
\* record lies behind it, as that says all that was said before.  What lies behind the end
\* is no part of the log again: the chain has the number of the boot (R14).
\* Go: model/storage journalGroups.boot; impl/wal Open.
Boot ==
  /\ status = "down"
  /\ LET last == End - 1
         said(g) == StateBatch(g, base, last)
         record(g) == IF said(g) = 0
                      THEN [group |-> g, log_view |-> 0, head |-> 0, in_doubt |-> FALSE]
                      ELSE CHOOSE r \in Cell(said(g)).states : r.group = g
         \* Without a state record, prepares are those of log view 0.
         from(g) == IF said(g) = 0 THEN base ELSE said(g)
         ops(g) == { op \in 1..MaxOp : HasBody(g, op, from(g), last) }
         top(g) == Max({record(g).head, snapshot[g]} \cup ops(g))
         gap(g) == \E op \in snapshot[g]+1..top(g) : ~HasBody(g, op, base, last)
     IN /\ log_view' = [g \in Group |-> record(g).log_view]
        /\ head' = [g \in Group |-> top(g)]
        /\ in_doubt' = [g \in Group |->
                         \/ record(g).in_doubt
                         \/ /\ \E s \in Unreadable : s > said(g)
                            /\ gap(g) \/ ~Bug("doubt_for_one_group_only")]
        /\ unsaid' = \E g \in Group : \/ said(g) = 0 /\ ~Bug("no_first_states")
                                      \/ in_doubt'[g] # record(g).in_doubt
        /\ written' = last /\ synced' = last
        /\ wal' = [p \in 1..Slots |->
                    IF wal[p].sequence > last /\ wal[p].whole THEN NoBatch ELSE wal[p]]
  /\ status' = "running"
  /\ UNCHANGED <<base, superblock, snapshot, history, crashes, rots>>
  /\ Speak(Nothing)

-----------------------------------------------------------------------------
Init ==
  /\ wal = [p \in 1..Slots |-> NoBatch] /\ base = 1 /\ written = 0 /\ synced = 0
  /\ superblock = [g \in Group |-> [log_view |-> 0, checkpoint |-> 0]]
  /\ snapshot = [g \in Group |-> 0]
  /\ status = "running" /\ unsaid = ~Bug("no_first_states")
  /\ log_view = [g \in Group |-> 0] /\ head = log_view
  /\ in_doubt = [g \in Group |-> FALSE]
  /\ prepare_oks = [g \in Group |-> {}] /\ sent_log_view = log_view /\ history = log_view
  /\ crashes = 0 /\ rots = 0

Next ==
  \/ \E g \in Group : AppendPrepare(g)
  \/ \E g \in Group : Adopt(g)
  \/ SayStates
  \/ Sync
  \/ WriteSuperblock
  \/ \E g \in Group, op \in 1..MaxOp : TakeSnapshot(g, op)
  \/ Release
  \/ Move
  \/ \E keep \in 0..MaxBatch, torn \in BOOLEAN : Crash(keep, torn)
  \/ \E s \in 1..MaxBatch : Rot(s)
  \/ Boot
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* Invariants, of each group.

\* ViewKept, R1: no group forgets a vote because another had something to say.
\* Mutant superblock_of_one_group breaks it.
ViewKept == status = "running" => \A g \in Group :
              Max({log_view[g], superblock[g].log_view}) >= sent_log_view[g]

\* AckedSurvives, R3, R17: what a group acknowledged is there; where rot took it, that is
\* known.
\* Mutants release_by_lowest_of_one_group, release_unsynced_copy and full_is_acknowledged
\* break it.
AckedSurvives ==
  status = "running" => \A g \in Group : Lost(g) \/ \A op \in prepare_oks[g] :
    \/ op <= snapshot[g]
    \/ op <= head[g] /\ HasBody(g, op, base, written)
    \/ rots > 0 /\ (op <= head[g] \/ in_doubt[g])

\* NackSafe, R15: only what it never acknowledged can a group nack.
\* Mutants doubt_for_one_group_only, no_first_states and move_verbatim break it.
NackSafe ==
  status = "running" => \A g \in Group : \/ Lost(g) \/ in_doubt[g]
                                         \/ \A op \in prepare_oks[g] : op <= head[g]

\* CrashAlone, R2, R17: without rot no group's log is lost.
\* Mutants checkpoint_drops_other_state and superblock_before_other_sync break it.
CrashAlone == status = "running" /\ rots = 0 => \A g \in Group : ~Lost(g)

\* NoStall, R17: whatever the clients and the other replicas do, the ring comes to have
\* room for a state record.  It has; or a slot is free for moving, and some batch holds
\* nothing needed, so that moving the oldest again and again frees it; or one is free for
\* what boot has to say, which supersedes all state records; or the oldest can go.
\* Mutants no_reserved_slot, no_slot_for_moving and no_slot_for_boot break it.
NoStall ==
  status = "running" =>
    \/ Free > Least
    \/ Free = Least /\ \E s \in base..written : ~Needed(s, written)
    \/ Free >= 1 /\ unsaid
    \/ ~Needed(base, written)
=============================================================================
