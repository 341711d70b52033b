------------------------------ MODULE LogSpace ------------------------------
(* The log of a node has room again in time: who asks for a checkpoint or for a *)
(* state record when the log of all groups fills, or when a group has come too  *)
(* far above its checkpoint, so that every request that clients offer for ever  *)
(* is executed at last (R17).  JournalGroups says what a full log must keep     *)
(* free; here it is who acts, and that somebody does.  A node whose log is full *)
(* takes no op, so nothing that only an op begins may be what it waits for.     *)
(* The rules:                                                                   *)
(*  - a checkpoint is due by the number of ops, when one executes, and also at  *)
(*    each tick: no op may come;                                                *)
(*  - the log is looked at with each flushed state record, with each new file   *)
(*    and with each refusal; if it is more than half full it asks the groups    *)
(*    that keep its oldest file.  What is asked counts at one tick only;        *)
(*  - a group that is asked takes a checkpoint if it has executed anything new, *)
(*    else it writes its state record again if that is what keeps the file;     *)
(*  - a checkpoint that failed is tried again after a time;                     *)
(*  - state records may take one file more than ops; before that is full, what  *)
(*    no checkpoint covers is moved out of the oldest file, with another file;  *)
(*  - a group that is gone keeps no file once the checkpoint of its keeper,     *)
(*    group 1, covers the removal; until then the keeper is asked for it.       *)
(* Abstractions, each of which a finer system refines:                          *)
(*  - what is appended is flushed at once, ops and state records have one size; *)
(*    there is no crash, no rot, no view change: Journal and JournalGroups;     *)
(*  - each op in the log can commit: the other replicas are there;              *)
(*  - snapshot and pairing are one step, the beginning another; a failure is    *)
(*    that of either;                                                           *)
(*  - a checkpoint is due by bytes, too, so that a machine holds little in      *)
(*    memory: not for the sake of the log, so it is left out.                   *)
(* With more groups than Room - 1 the reserve is too small: Progress fails, as  *)
(* a test of the Go model shows.  JournalGroups keeps a slot for each group.    *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Groups,   \* Number of groups; group 1 is the keeper.
          MaxOp,    \* Requests that are offered to group 1,
          OtherOp,  \* ... and to each other group.
          Removal,  \* Op of group 1 that removes group 2; 0: none.
          Room,     \* Records that a file has room for.
          Files,    \* Files that ops may take.
          Every,    \* Ops from a checkpoint to the next one that is due.
          Half,     \* Ops above a checkpoint beyond which none is taken.
          Queue,    \* Requests of a group that may wait until they become ops.
          MaxFail,  \* Checkpoints that come to nothing.
          Bugs      \* Deliberate defects.
BugNames ==
    { "due_only_when_executed",     \* R17: a tick begins no checkpoint that is due
      "asks_at_flushes_only",       \* R17: neither a new file nor a refusal has the log ask
      "asks_at_files_only",         \* R17: a refusal does not
      "state_not_repeated",         \* R17: a group with nothing new to cover does nothing
      "no_reserve_for_state",       \* R17: state records have the files that ops have
      "ops_in_reserve",             \* R17: ops go on in a file that state records have begun
      "nothing_moved",              \* R17: what no checkpoint covers stays in the oldest file
      "wait_counts_ops",            \* R17: a failed checkpoint waits for the next op
      "released_before_state_record", \* R17: ... above the new base
      "gone_group_kept",            \* R17: a group that is gone keeps its files for ever
      "gone_asks_nobody",           \* R17: its keeper is not asked for a checkpoint
      "gone_too_early" }            \* R17: its files go before that checkpoint
ASSUME /\ {MaxOp, OtherOp, Removal, MaxFail} \subseteq Nat
       /\ {Groups, Room, Every, Half, Queue} \subseteq Nat \ {0} /\ Files \in Nat \ {0, 1}
       /\ Removal > 0 => Groups > 1
       /\ Every <= Half \* Else it is full before one is due.
       /\ Bugs \subseteq BugNames

VARIABLES
  head,     \* [Group -> Nat]: the newest op.
  stored,   \* ... the newest op in the log; those above found no room and are held.
  commit,   \* ... the newest op executed.
  base,     \* ... the op that the newest checkpoint covers.
  running,  \* ... the op that the one under way will cover, or 0.
  waits,    \* ... whether the last one failed and none is tried yet.
  owes,     \* ... whether a state record is to be written.
  released, \* ... the base of the newest state record: the log may go up to there.
  gone,     \* ... whether the group exists no more.
  asked,    \* [Group -> SUBSET Asks]: what the log asks the group for.
  files,    \* Seq(Seq(record)): the log, oldest first.
  moved,    \* What no checkpoint covers was moved out of the oldest file.
  fails     \* Counts towards MaxFail.
vars == <<head, stored, commit, base, running, waits, owes, released, gone, asked,
          files, moved, fails>>

Group == 1..Groups
Keeper == 1
Asks == {"checkpoint", "state"}
Bug(b) == b \in Bugs
Offered(g) == IF g = Keeper THEN MaxOp ELSE OtherOp

-----------------------------------------------------------------------------
\* The files.
Op(g, k) == [group |-> g, kind |-> "op", op |-> k]
\* A state record has all of the log, also what is held.
State(g) == [group |-> g, kind |-> "state", op |-> 0]
Has(fs, x) == \E i \in 1..Len(fs) : \E j \in 1..Len(fs[i]) : fs[i][j] = x
Last(fs) == fs[Len(fs)]

\* Whether a record finds room, if so many files may be taken.
Fits(fs, limit) == Len(Last(fs)) < Room \/ Len(fs) < limit
Put(fs, x) == IF Len(Last(fs)) < Room THEN [fs EXCEPT ![Len(fs)] = Append(@, x)]
              ELSE Append(fs, <<x>>)
StateFiles == IF Bug("no_reserve_for_state") THEN Files
              ELSE IF moved THEN Files + 2 ELSE Files + 1
OpFits == /\ Fits(files, Files)
          /\ Len(files) <= Files \/ Bug("ops_in_reserve")
StateFits == Fits(files, StateFiles)

\* What keeps the oldest file of fs.  The log knows of each group up to which op it may go
\* and whether it is gone; no boot asks for a departed group.
Known == [released |-> released, gone |-> gone]
Departed(known, g) ==
    /\ known.gone[g] /\ ~Bug("gone_group_kept")
    /\ known.released[Keeper] >= Removal \/ Bug("gone_too_early")
Uncovered(fs, known, x) ==
    /\ x.kind = "op" /\ ~Departed(known, x.group) /\ ~Has(Tail(fs), x)
    /\ known.gone[x.group] \/ x.op > known.released[x.group]
NeedsCheckpoint(fs, known, g) ==
    \E i \in 1..Len(fs[1]) : fs[1][i].group = g /\ Uncovered(fs, known, fs[1][i])
NeedsState(fs, known, g) ==
    /\ ~Departed(known, g) /\ \E i \in 1..Len(fs[1]) : fs[1][i].group = g
    /\ ~Has(Tail(fs), State(g))
Needs(fs, known, g) == { a \in Asks : \/ a = "checkpoint" /\ NeedsCheckpoint(fs, known, g)
                                      \/ a = "state" /\ NeedsState(fs, known, g) }
Keeps(fs, known, g) ==
    \/ NeedsCheckpoint(fs, known, g)
    \/ NeedsState(fs, known, g) /\ ~Bug("released_before_state_record")

\* Nothing keeps the oldest file.
Goes(fs, known) == Len(fs) > 1 /\ \A g \in Group : ~Keeps(fs, known, g)

\* Soon not even a state record will find room.  Then what keeps the oldest file is written
\* again at the head; a state record is not, its group is asked for another.
Tight(fs) == Len(fs) > Files /\ 2 * Len(Last(fs)) > Room
RECURSIVE Move(_, _, _)
Move(fs, known, i) ==
    IF i > Len(fs[1]) THEN fs
    ELSE IF Uncovered(fs, known, fs[1][i]) /\ Fits(fs, Files + 2)
         THEN Move(Put(fs, fs[1][i]), known, i + 1) ELSE Move(fs, known, i + 1)

\* What the log asks group g for: it is more than half full.  Where a group is gone, its keeper
\* must move on.
AsksOf(fs, known, g) ==
    IF Len(fs) = 1 \/ 2 * Len(fs) <= Files \/ known.gone[g] THEN {}
    ELSE Needs(fs, known, g) \cup
         IF g = Keeper /\ ~Bug("gone_asks_nobody")
            /\ \E h \in Group : known.gone[h] /\ Needs(fs, known, h) # {}
         THEN {"checkpoint"} ELSE {}

\* What becomes of files when the log is looked at: the oldest go, or what keeps the oldest is
\* moved; the groups that keep it then are asked.  A look needs no step of its own: nothing is
\* appended before it, and what the groups do meanwhile they might have done before.
\* Go: model/logspace looked; impl/replica Storage.releaseLog, moveOldest;
\*     impl/wal Log.Release, Log.Move.
RECURSIVE Looked(_, _, _)
Looked(fs, known, was) ==
    IF Goes(fs, known) THEN Looked(Tail(fs), known, FALSE)
    ELSE IF Tight(fs) /\ ~was /\ ~Bug("nothing_moved") THEN Looked(Move(fs, known, 1), known, TRUE)
    ELSE [files |-> fs, moved |-> was, asked |-> [g \in Group |-> AsksOf(fs, known, g)]]
LookAt(fs, known) ==
    \E log \in {Looked(fs, known, moved)} :
        files' = log.files /\ moved' = log.moved /\ asked' = log.asked

\* An op is appended.  The log is looked at if that took another file.
AppendOp(x) ==
    IF Len(Last(files)) = Room /\ ~Bug("asks_at_flushes_only") THEN LookAt(Put(files, x), Known)
    ELSE files' = Put(files, x) /\ UNCHANGED <<moved, asked>>
\* Nothing could be appended: so the log is looked at, too.
Refuses ==
    IF Bug("asks_at_flushes_only") \/ Bug("asks_at_files_only")
    THEN UNCHANGED <<files, moved, asked>>
    ELSE LookAt(files, Known)

-----------------------------------------------------------------------------
\* A node takes no op while records are held, or too far above a checkpoint: its state
\* record must fit into a file.
Held == \E g \in Group : stored[g] < head[g] \/ (owes[g] /\ ~StateFits)
Full(g) == Held \/ head[g] > base[g] + Half
Init ==
    /\ head = [g \in Group |-> 0] /\ stored = head
    /\ commit = head /\ base = head /\ running = head /\ released = head
    /\ waits = [g \in Group |-> FALSE] /\ owes = waits /\ gone = waits
    /\ asked = [g \in Group |-> {}]
    /\ files = << <<>> >> /\ moved = FALSE /\ fails = 0

\* Prepare(g): a request becomes the next op of g.  A full node takes none, but some may have
\* waited.  The op is appended; if there is no room, or older records are held, it is held.
\* Go: model/logspace prepare; impl/replica Storage.storePrepares, Storage.appendLog, Host.full.
Waited(g) == /\ head[g] < base[g] + Half + Queue
             /\ Held => head[g] < stored[g] + Queue
Prepare(g) ==
    /\ ~gone[g] /\ head[g] < Offered(g)
    /\ ~Full(g) \/ Waited(g)
    /\ head' = [head EXCEPT ![g] = @ + 1]
    /\ UNCHANGED <<commit, base, running, waits, owes, released, gone, fails>>
    /\ IF ~Held /\ OpFits
       THEN stored' = [stored EXCEPT ![g] = @ + 1] /\ AppendOp(Op(g, head[g] + 1))
       ELSE stored' = stored /\ Refuses

\* StoreHeld(g): an op that is held has found room.
\* Go: model/logspace storeHeld; impl/replica logLane.take.
StoreHeld(g) ==
    /\ stored[g] < head[g] /\ OpFits
    /\ stored' = [stored EXCEPT ![g] = @ + 1]
    /\ UNCHANGED <<head, commit, base, running, waits, owes, released, gone, fails>>
    /\ AppendOp(Op(g, stored[g] + 1))

\* Refuse: what is held is tried again in time, and refused: what the log asked for counted at
\* one tick.
\* Go: model/logspace refuse; impl/replica logLane.tick, Storage.appendLog.
Refuse ==
    /\ \E g \in Group : \/ stored[g] < head[g] /\ ~OpFits
                        \/ owes[g] /\ ~StateFits
    /\ UNCHANGED <<head, stored, commit, base, running, waits, owes, released, gone, fails>>
    /\ Refuses
    /\ <<files, moved, asked>>' # <<files, moved, asked>>

\* Execute(g): g executes its next op, and begins a checkpoint if one is due.  The removal
\* of group 2 ends what that has under way, and has the log looked at.
\* Go: model/logspace execute; impl/replica Host.executed, Storage.Forget.
Due(g, k) == running[g] = 0 /\ ~waits[g] /\ k >= base[g] + Every
Execute(g) ==
    /\ ~gone[g] /\ commit[g] < stored[g]
    /\ commit' = [commit EXCEPT ![g] = @ + 1]
    /\ LET op == commit[g] + 1
           removes == g = Keeper /\ op = Removal
           left(h) == removes /\ h = 2
       IN /\ running' = [h \in Group |-> CASE h = g /\ Due(g, op) -> op
                                           [] left(h) -> 0
                                           [] OTHER -> running[h]]
          /\ gone' = [h \in Group |-> gone[h] \/ left(h)]
          /\ waits' = [h \in Group |-> waits[h] /\ ~left(h)
                                       /\ ~(h = g /\ Bug("wait_counts_ops"))]
          /\ UNCHANGED <<head, stored, base, owes, released, fails>>
          /\ IF removes THEN LookAt(files, [Known EXCEPT !.gone[2] = TRUE])
             ELSE UNCHANGED <<files, moved, asked>>

\* Tick(g): time passes at the host of g, and no checkpoint is under way.  It begins one that
\* is due, or what the log asks for, and forgets that it was asked.
\* Go: model/logspace tick; impl/replica Host.tickCheckpoints; impl/vsr RepeatState.
DueAtTick(g) == Due(g, commit[g]) /\ ~Bug("due_only_when_executed")
Repeats(g) == "state" \in asked[g] /\ commit[g] = base[g] /\ ~Bug("state_not_repeated")
Tick(g) ==
    /\ ~gone[g] /\ running[g] = 0
    /\ DueAtTick(g) \/ asked[g] # {}
    /\ running' = [running EXCEPT ![g] = IF commit[g] > base[g] THEN commit[g] ELSE 0]
    /\ owes' = [owes EXCEPT ![g] = @ \/ (~DueAtTick(g) /\ Repeats(g))]
    /\ asked' = [asked EXCEPT ![g] = IF DueAtTick(g) THEN @ ELSE {}]
    /\ UNCHANGED <<head, stored, commit, base, waits, released, gone, files, moved, fails>>

\* EndCheckpoint(g): the superblock names the checkpoint.  A state record above it is due.
\* Go: model/logspace endCheckpoint; impl/replica Host.onCheckpoint.
EndCheckpoint(g) ==
    /\ running[g] > 0
    /\ base' = [base EXCEPT ![g] = running[g]]
    /\ running' = [running EXCEPT ![g] = 0]
    /\ owes' = [owes EXCEPT ![g] = TRUE]
    /\ UNCHANGED <<head, stored, commit, waits, gone, fails>>
    /\ IF Bug("released_before_state_record")
       THEN /\ released' = [released EXCEPT ![g] = running[g]]
            /\ LookAt(files, [Known EXCEPT !.released[g] = running[g]])
       ELSE UNCHANGED <<released, files, moved, asked>>

\* FailCheckpoint(g): the disk had no room.  None is tried for a while, unless the log asks.
\* Go: model/logspace failCheckpoint; impl/replica Host.onCheckpoint.
FailCheckpoint(g) ==
    /\ running[g] > 0 /\ fails < MaxFail
    /\ fails' = fails + 1
    /\ running' = [running EXCEPT ![g] = 0]
    /\ waits' = [waits EXCEPT ![g] = TRUE]
    /\ UNCHANGED <<head, stored, commit, base, owes, released, gone, asked, files, moved>>

\* EndWait(g): that while is over.
\* Go: model/logspace endWait; impl/replica Host.tickCheckpoints.
EndWait(g) ==
    /\ waits[g] /\ ~Bug("wait_counts_ops")
    /\ waits' = [waits EXCEPT ![g] = FALSE]
    /\ UNCHANGED <<head, stored, commit, base, running, owes, released, gone, asked, files,
                   moved, fails>>

\* WriteState(g): the state record of g is appended, where no op may go, too.  From now on
\* the log may go up to the checkpoint.
\* Go: model/logspace writeState; impl/replica Storage.storeState, Storage.release.
WriteState(g) ==
    /\ owes[g] /\ StateFits
    /\ owes' = [owes EXCEPT ![g] = FALSE]
    /\ released' = [released EXCEPT ![g] = base[g]]
    /\ UNCHANGED <<head, stored, commit, base, running, waits, gone, fails>>
    /\ LookAt(Put(files, State(g)), [Known EXCEPT !.released[g] = base[g]])

Next ==
    \/ \E g \in Group : Prepare(g)
    \/ \E g \in Group : StoreHeld(g)
    \/ Refuse
    \/ \E g \in Group : Execute(g)
    \/ \E g \in Group : Tick(g)
    \/ \E g \in Group : EndCheckpoint(g)
    \/ \E g \in Group : FailCheckpoint(g)
    \/ \E g \in Group : EndWait(g)
    \/ \E g \in Group : WriteState(g)
Spec == Init /\ [][Next]_vars

\* What a live node keeps doing.  That requests wait when it is full is owed to nobody, nor is
\* a failure, nor a tick at which nothing can be done for what the log has asked for.
LivePrepare(g) == ~Full(g) /\ Prepare(g)
LiveTick(g) == /\ DueAtTick(g) \/ commit[g] > base[g] \/ (Repeats(g) /\ ~owes[g])
               /\ Tick(g)
LiveSpec ==
    /\ Spec /\ WF_vars(Refuse)
    /\ \A g \in Group :
         /\ WF_vars(LivePrepare(g)) /\ WF_vars(StoreHeld(g)) /\ WF_vars(Execute(g))
         /\ WF_vars(LiveTick(g)) /\ WF_vars(EndCheckpoint(g)) /\ WF_vars(EndWait(g))
         /\ WF_vars(WriteState(g))

-----------------------------------------------------------------------------
\* Whether a boot may ask for a group at all.
Wanted(g) == gone[g] => released[Keeper] < Removal

\* BodiesStay, R3, R17: the log has each op that no checkpoint covers; of a group that is
\* gone, each until the keeper's checkpoint covers the removal.  Mutant gone_too_early breaks it.
BodiesStay ==
    \A g \in Group : Wanted(g) => \A k \in base[g]+1..stored[g] : Has(files, Op(g, k))

\* LogKnown, R2, R17: a boot finds the whole log: in a state record, which has what went before
\* it, or in ops that are all there.  Mutant released_before_state_record breaks it.
LogKnown ==
    \A g \in Group : Wanted(g) =>
        Has(files, State(g)) \/ \A k \in 1..stored[g] : Has(files, Op(g, k))

\* Progress, R17: every request that is offered is executed, for the log has room again.
\* Mutants due_only_when_executed, asks_at_flushes_only, asks_at_files_only,
\* state_not_repeated, no_reserve_for_state, ops_in_reserve, nothing_moved, wait_counts_ops,
\* gone_group_kept and gone_asks_nobody break it.
Done(g) == gone[g] \/ commit[g] = Offered(g)
Progress == \A g \in Group : ~Done(g) ~> Done(g)
=============================================================================
