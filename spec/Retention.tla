------------------------------ MODULE Retention ------------------------------
(* What a partition makes of the committed log: messages get offsets, the      *)
(* oldest of them go, by segments, consumers store how far they have read, and *)
(* a poll returns what is kept.  All of it is decided by ops (R5: a state is a *)
(* function of the log), so that the start of the log moves at the same op at  *)
(* each replica, wherever its messages lie: in memory or in segment files.     *)
(* Replica 0 has a disk: it moves messages into files at any time, takes       *)
(* checkpoints (R17) and restarts from them.  The others have none and keep    *)
(* all in memory, so that comparing them with it compares the two.             *)
(* Abstractions, each of which a finer system refines:                         *)
(*  - the log is what is committed, and any op may commit at any time, any     *)
(*    number of times, with any argument: that covers each late duplicate, and *)
(*    each decision of the metadata that is carried out twice or out of turn;  *)
(*  - a batch is one message, its size 1 and its time the op that sent it;     *)
(*    a segment is full when it has Segment messages;                          *)
(*  - a snapshot and the flush of the files that it names are one step, the    *)
(*    pairing that makes them the checkpoint is another; Journal has the steps *)
(*    of both;                                                                 *)
(*  - who may ask, and whether a request was there before, is the matter of    *)
(*    other modules (Sessions); a transferred checkpoint is a restart from it. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,          \* replicas, 0..N-1
          Segment,    \* messages in a full segment
          Kinds,      \* ops that commit, beside "send": "retain", "truncate", "purge",
                      \* "store", "advance"
          Age, Size,  \* what retention keeps: younger than Age, at most Size; 0: all
          Hold,       \* BOOLEAN: it drops nothing that a consumer has not read
          Consumers,  \* consumers, 1..Consumers
          MaxOp,      \* length of the log
          MaxPurge,   \* the metadata decides to purge so many times
          MaxRestart, \* restarts of replica 0
          Polls,      \* BOOLEAN: a consumer polls once
          Bugs        \* deliberate defects
BugNames ==
    { "age_by_own_clock",             \* R5: each replica looks at its own clock
      "retains_by_files",             \* R5: retention sees what lies in files only
      "retain_drops_last",            \* R5: the last segment may go
      "hold_ignored",                 \* R5: what a consumer has not read goes too
      "truncate_drops_oldest",        \* R18: a truncation that comes twice drops twice
      "purge_each_time",              \* R18: a purge is not once in its generation
      "purge_restarts_offsets",       \* R5: after a purge offsets begin at 0 again
      "purge_forgets_stored",         \* R5: ... and what consumers stored is gone
      "store_unchecked",              \* R5: an offset is stored that no message has
      "advance_lowers",               \* R5: the automatic offset goes back
      "generation_not_in_checkpoint", \* R17: a restart forgets how often it was purged
      "stored_not_in_checkpoint",     \* R17: ... and what consumers stored
      "trim_before_pairing",          \* R17: files go when the snapshot is taken
      "start_inside_segment",         \* R17: messages behind a purge join a dropped segment
      "poll_below_start",             \* R19: a poll returns what is dropped and still in files
      "poll_waits_below_start" }      \* R19: a poll below the start returns nothing
ASSUME /\ N \in Nat \ {0} /\ Segment \in Nat \ {0} /\ Consumers \in Nat /\ MaxOp \in Nat
       /\ Kinds \subseteq {"retain", "truncate", "purge", "store", "advance"}
       /\ Age \in Nat /\ Size \in Nat /\ Hold \in BOOLEAN /\ Polls \in BOOLEAN
       /\ Bugs \subseteq BugNames

VARIABLES
  log,        \* committed ops; an op's place is its number
  commit_min, \* [Replicas -> Nat]: the op that the replica has executed
  machine,    \* [Replicas -> what the log has made of the partition]
  files,      \* of replica 0: Seq([first, next]), segments in files, dropped ones too
  filed,      \* of replica 0: messages below are in files, or were dropped before
  pending,    \* of replica 0: the snapshot that is not paired yet, or None
  checkpoint, \* of replica 0: [op, machine, filed]
  restarts,   \* number of restarts so far
  \* What happened (ghosts).
  given,      \* <<op, offset>>: the offsets that replicas gave
  dropped,    \* [op, offset, unread]: what went at an op; some consumer had not read it
  polled      \* [op, from, got]: the poll, if op > 0, and what it returned at that op
vars == <<log, commit_min, machine, files, filed, pending, checkpoint, restarts, given, dropped,
          polled>>
ghosts == <<given, dropped, polled>>
disk == <<files, filed, pending, checkpoint, restarts>>

Replicas == 0..N-1
Bug(b) == b \in Bugs
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y

\* What the ops up to k say: how many messages there are, hence which is the next offset.
Sends(k) == Cardinality({ i \in 1..k : log[i].kind = "send" })
SentAt(offset) == CHOOSE i \in 1..Len(log) : log[i].kind = "send" /\ Sends(i) = offset + 1

-----------------------------------------------------------------------------
\* The machine: start, the first offset that is kept; next, that of the next message;
\* segments, from start to next, each with the op of its last message; stored, of each
\* consumer the offset that it reads next, 0 if it has stored none; generation, that of
\* the last purge.
Empty == [start |-> 0, next |-> 0, segments |-> <<>>,
          stored |-> [c \in 1..Consumers |-> 0], generation |-> 0]

\* A message goes into the last segment if that is not full.
\* Go: model/retention executeSend; impl/statemachine/partition Machine.send.
ExecuteSend(m, op) ==
    LET last == Len(m.segments)
        full == last = 0 \/ m.segments[last].next - m.segments[last].first >= Segment
        first == IF full THEN m.next ELSE m.segments[last].first
        segment == [first |-> first, next |-> m.next + 1, stamp |-> op]
    IN [m EXCEPT !.next = @ + 1,
                 !.segments = IF full THEN Append(@, segment) ELSE [@ EXCEPT ![last] = segment]]

\* The oldest k segments go; without a segment the log is empty and goes on at next.
Drop(m, k) ==
    [m EXCEPT !.segments = SubSeq(@, k + 1, Len(@)),
              !.start = IF k = 0 THEN @ ELSE IF k < Len(m.segments)
                        THEN m.segments[k + 1].first ELSE m.next]
\* How many of the oldest go, of those of which goes is true; the last stays.
Oldest(m, goes(_), last) ==
    LET limit == IF m.segments = <<>> THEN 0 ELSE Len(m.segments) - last
    IN Max({ k \in 0..limit : \A i \in 1..k : goes(m.segments[i]) })

\* Retention drops by age, at the time of the op, and by size; never the last segment.
\* Go: model/retention executeRetain; impl/statemachine/partition Machine.retain.
Unread(m) == Min({m.next} \cup { m.stored[c] : c \in { d \in 1..Consumers : m.stored[d] > 0 } })
ExecuteRetain(r, m, op) ==
    LET now == IF Bug("age_by_own_clock") THEN op + r ELSE op
        goes(s) == /\ \/ Age > 0 /\ now - s.stamp >= Age
                      \/ Size > 0 /\ m.next - s.first > Size
                   /\ Hold /\ ~Bug("hold_ignored") => s.next <= Unread(m)
                   /\ Bug("retains_by_files") /\ r = 0 => s.next <= filed
    IN Drop(m, Oldest(m, goes, IF Bug("retain_drops_last") THEN 0 ELSE 1))

\* A truncation names the offset below which segments go, so that it drops no more when it
\* comes again.
\* Go: model/retention executeTruncate; impl/statemachine/partition Machine.truncate.
ExecuteTruncate(m, offset) ==
    LET goes(s) == s.next <= offset
    IN IF Bug("truncate_drops_oldest")
       THEN Drop(m, IF Len(m.segments) > 1 /\ offset > 0 THEN 1 ELSE 0)
       ELSE Drop(m, Oldest(m, goes, 1))

\* A purge drops all, the last segment too, once in a generation: how often the metadata
\* has decided to.  Offsets go on, and what consumers stored stays.
\* Go: model/retention executePurge; impl/statemachine/partition Machine.purge.
ExecutePurge(m, generation) ==
    IF generation <= m.generation /\ ~Bug("purge_each_time") THEN m
    ELSE LET next == IF Bug("purge_restarts_offsets") THEN 0 ELSE m.next
         IN [m EXCEPT !.start = next, !.next = next, !.segments = <<>>,
                      !.generation = generation,
                      !.stored = IF Bug("purge_forgets_stored") THEN Empty.stored ELSE @]

\* A consumer stores the offset of a message that was there.  A request may move it back,
\* the automatic one does not.
\* Go: model/retention executeStore; impl/statemachine/partition Machine.storeOffset.
ExecuteStore(m, kind, c, offset) ==
    IF offset >= m.next /\ ~Bug("store_unchecked") THEN m
    ELSE [m EXCEPT !.stored[c] = IF kind = "advance" /\ ~Bug("advance_lowers")
                                 THEN Max({@, offset + 1}) ELSE offset + 1]

\* The function of the committed log that the machine is.
ExecuteOn(r, m, op, x) ==
    CASE x.kind = "send" -> ExecuteSend(m, op)
      [] x.kind = "retain" -> ExecuteRetain(r, m, op)
      [] x.kind = "truncate" -> ExecuteTruncate(m, x.number)
      [] x.kind = "purge" -> ExecutePurge(m, x.number)
      [] OTHER -> ExecuteStore(m, x.kind, x.consumer, x.number)

\* What a replica can read: what is in memory, and what is in files.
InFiles == UNION { files[i].first..files[i].next - 1 : i \in 1..Len(files) }
InMemory(r) == (IF r = 0 THEN filed ELSE machine[r].start)..machine[r].next - 1

\* What a poll from an offset returns: what is kept from there on.
\* Go: model/retention poll; impl/statemachine/partition Machine.poll.
Poll(r, from) ==
    LET m == machine[r]
        at == IF Bug("poll_below_start") /\ r = 0 /\ from \in InFiles THEN from
              ELSE Max({from, m.start})
    IN IF Bug("poll_waits_below_start") /\ from < m.start THEN {}
       ELSE (at..m.next - 1) \cap (InMemory(r) \cup IF r = 0 THEN InFiles ELSE {})

-----------------------------------------------------------------------------
None == [op |-> 0, machine |-> Empty, filed |-> 0]
Init ==
    /\ log = <<>>
    /\ commit_min = [r \in Replicas |-> 0]
    /\ machine = [r \in Replicas |-> Empty]
    /\ files = <<>>
    /\ filed = 0
    /\ pending = None
    /\ checkpoint = None
    /\ restarts = 0
    /\ given = {}
    /\ dropped = {}
    /\ polled = [op |-> 0, from |-> 0, got |-> {}]

\* CommitOp(x): an op commits.  Offsets that it names are of messages that were sent, or
\* of the next one.
\* Go: model/retention commitOp.
Op(kind, consumer, number) == [kind |-> kind, consumer |-> consumer, number |-> number]
Ops ==
    {Op("send", 0, 0)}
    \cup { Op(k, 0, 0) : k \in Kinds \cap {"retain"} }
    \cup { Op(k, 0, n) : k \in Kinds \cap {"truncate"}, n \in 1..MaxOp }
    \cup { Op(k, 0, n) : k \in Kinds \cap {"purge"}, n \in 1..MaxPurge }
    \cup { Op(k, c, n) : k \in Kinds \cap {"store", "advance"}, c \in 1..Consumers,
                         n \in 0..MaxOp }
CommitOp(x) ==
    /\ Len(log) < MaxOp
    /\ x.kind \in {"truncate", "store", "advance"} => x.number <= Sends(Len(log))
    /\ log' = Append(log, x)
    /\ UNCHANGED <<commit_min, machine, disk, ghosts>>

\* Execute(r): r executes its next op.  R5: in op order, each once.
\* Go: model/retention execute; impl/statemachine/partition Machine.Execute.
Execute(r) ==
    /\ commit_min[r] < Len(log)
    /\ LET op == commit_min[r] + 1
           before == machine[r]
           after == ExecuteOn(r, before, op, log[op])
           unread(o) == \E c \in 1..Consumers : before.stored[c] \in 1..o
       IN /\ commit_min' = [commit_min EXCEPT ![r] = op]
          /\ machine' = [machine EXCEPT ![r] = after]
          /\ given' = IF log[op].kind = "send" THEN given \cup {<<op, before.next>>} ELSE given
          /\ dropped' = dropped \cup
               { [op |-> op, offset |-> o, unread |-> unread(o)] :
                 o \in before.start..after.start - 1 }
    /\ UNCHANGED <<log, disk, polled>>

\* AnswerPoll(r, from): replica r answers a poll, of what it has executed.
\* Go: model/retention answerPoll; impl/statemachine/partition Machine.Query.
AnswerPoll(r, from) ==
    /\ Polls /\ polled.op = 0 /\ commit_min[r] > 0
    /\ polled' = [op |-> commit_min[r], from |-> from, got |-> Poll(r, from)]
    /\ UNCHANGED <<log, commit_min, machine, disk, given, dropped>>

-----------------------------------------------------------------------------
\* The disk of replica 0.

\* Segments from an offset to another, all but the last of them full.
Chunks(from, to) ==
    [i \in 1..((to + Segment - 1 - from) \div Segment) |->
        [first |-> from + (i - 1) * Segment, next |-> Min({from + i * Segment, to})]]
\* Files with all messages of machine m in them.  What an op has dropped before it got to a
\* file is left out; if all before the start has gone, a segment begins there.
Materialised(m) ==
    LET last == Len(files)
        fresh == last = 0 \/ (m.start >= filed /\ ~Bug("start_inside_segment"))
    IN IF fresh THEN files \o Chunks(Max({m.start, filed}), m.next)
       ELSE SubSeq(files, 1, last - 1) \o Chunks(files[last].first, m.next)
Above(fs, offset) == SelectSeq(fs, LAMBDA f : f.next > offset)

\* Materialise: what is in memory goes into files, which are not flushed.
\* Go: model/retention materialise; impl/statemachine/partition Machine.Materialise.
Materialise ==
    /\ filed < machine[0].next
    /\ files' = Materialised(machine[0])
    /\ filed' = machine[0].next
    /\ UNCHANGED <<log, commit_min, machine, pending, checkpoint, restarts, ghosts>>

\* TakeSnapshot: replica 0 materialises, flushes, and takes a snapshot that names the files.
\* R17, the first phase.
\* Go: model/retention takeSnapshot; impl/statemachine/partition Machine.Persist,
\*     Machine.AppendSnapshot.
TakeSnapshot ==
    /\ restarts < MaxRestart
    /\ pending = None /\ commit_min[0] > checkpoint.op
    /\ pending' = [op |-> commit_min[0], machine |-> machine[0], filed |-> machine[0].next]
    /\ LET whole == IF filed < machine[0].next THEN Materialised(machine[0]) ELSE files
       IN files' = IF Bug("trim_before_pairing") THEN Above(whole, machine[0].start) ELSE whole
    /\ filed' = machine[0].next
    /\ UNCHANGED <<log, commit_min, machine, checkpoint, restarts, ghosts>>

\* PairCheckpoint: the superblock names the snapshot; then files below its start go, however
\* far the start has moved since.  R17, the second and third phase.
\* Go: model/retention pairCheckpoint; impl/statemachine/partition Machine.Paired.
PairCheckpoint ==
    /\ pending # None
    /\ checkpoint' = pending
    /\ pending' = None
    /\ files' = Above(files, pending.machine.start)
    /\ UNCHANGED <<log, commit_min, machine, filed, restarts, ghosts>>

\* RestartReplica: replica 0 comes back from its checkpoint.  What the files have beyond it
\* is removed: the log has it.
\* Go: model/retention restartReplica; impl/statemachine/partition Machine.Restore.
Restored(m) ==
    [m EXCEPT !.generation = IF Bug("generation_not_in_checkpoint") THEN 0 ELSE @,
              !.stored = IF Bug("stored_not_in_checkpoint") THEN Empty.stored ELSE @]
RestartReplica ==
    /\ restarts < MaxRestart
    /\ commit_min[0] > 0
    /\ restarts' = restarts + 1
    /\ commit_min' = [commit_min EXCEPT ![0] = checkpoint.op]
    /\ machine' = [machine EXCEPT ![0] = Restored(checkpoint.machine)]
    /\ filed' = checkpoint.filed
    /\ LET low == SelectSeq(files, LAMBDA f : f.first < checkpoint.filed)
       IN files' = [i \in 1..Len(low) |->
                     [low[i] EXCEPT !.next = Min({@, checkpoint.filed})]]
    /\ pending' = None
    /\ UNCHANGED <<log, checkpoint, ghosts>>

Next ==
    \/ \E x \in Ops : CommitOp(x)
    \/ \E r \in Replicas : Execute(r)
    \/ \E r \in Replicas, from \in 0..MaxOp : AnswerPoll(r, from)
    \/ Materialise
    \/ TakeSnapshot
    \/ PairCheckpoint
    \/ RestartReplica
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* MachinesEqual, R5: at equal ops the machines are equal, wherever their messages lie, and
\* a checkpoint is such a machine.  Mutants age_by_own_clock, retains_by_files,
\* generation_not_in_checkpoint and stored_not_in_checkpoint break it.
MachinesEqual ==
    \A r, q \in Replicas :
        /\ commit_min[r] = commit_min[q] => machine[r] = machine[q]
        /\ checkpoint.op = commit_min[q] => checkpoint.machine = machine[q]

\* OffsetsDense, R5: the offset of a message is the number of messages before it, at
\* whatever replica, whatever was dropped.  Mutant purge_restarts_offsets breaks it.
OffsetsDense == \A g \in given : g[2] = Sends(g[1] - 1)

\* DroppedAsAsked, R5, R18: a message goes because an op says so: a truncation that names an
\* offset above it, the first purge of a generation, or retention, by its age or by how
\* much lies behind it.  Mutants truncate_drops_oldest, purge_each_time and
\* age_by_own_clock break it.
DroppedAsAsked ==
    \A d \in dropped :
        LET x == log[d.op]
        IN CASE x.kind = "truncate" -> d.offset < x.number
             [] x.kind = "purge" -> \A i \in 1..d.op - 1 :
                  log[i].kind = "purge" => log[i].number < x.number
             [] x.kind = "retain" ->
                  \/ Age > 0 /\ d.op - SentAt(d.offset) >= Age
                  \/ Size > 0 /\ Sends(d.op) - d.offset + Segment - 1 > Size
             [] OTHER -> FALSE

\* NewestStays, R5: only a purge drops the newest message.  Mutant retain_drops_last
\* breaks it.
NewestStays ==
    \A d \in dropped : log[d.op].kind = "purge" \/ d.offset < Sends(d.op) - 1

\* UnreadStays, R5: retention that holds drops nothing that a consumer with a stored offset
\* has not read.  Mutant hold_ignored breaks it.
UnreadStays == \A d \in dropped : Hold /\ log[d.op].kind = "retain" => ~d.unread

\* StoredReal, R5: a stored offset is that of a message that was there.  Mutant
\* store_unchecked breaks it.
StoredReal ==
    \A r \in Replicas, c \in 1..Consumers : machine[r].stored[c] <= Sends(commit_min[r])

\* AdvanceKept, R5: nothing but a request of its own moves a consumer back, a purge neither.
\* Mutants advance_lowers and purge_forgets_stored break it.
Valid(i) == log[i].number < Sends(i - 1)
AdvanceKept ==
    \A r \in Replicas : \A i \in 1..commit_min[r] :
        /\ log[i].kind \in {"store", "advance"} /\ Valid(i)
        /\ \A k \in i+1..commit_min[r] :
             ~(log[k].kind = "store" /\ log[k].consumer = log[i].consumer /\ Valid(k))
        => machine[r].stored[log[i].consumer] > log[i].number

\* FilesAsCounted, R17: when all is in files they are cut as the ops count segments: so
\* the files of replicas are equal, whenever each has moved what was in memory.  Mutant
\* start_inside_segment breaks it.
FilesAsCounted ==
    filed = machine[0].next =>
        LET kept == Above(files, machine[0].start)
            segments == machine[0].segments
        IN kept = [i \in 1..Len(segments) |->
                     [first |-> segments[i].first, next |-> segments[i].next]]

\* NoneMissing, R17: what is kept can be read, also after a restart.  Mutant
\* trim_before_pairing breaks it.
NoneMissing == (machine[0].start..machine[0].next - 1) \subseteq InFiles \cup InMemory(0)

\* PollRight, R19: a poll returns every message from its offset on that no op has dropped,
\* and none that one has: from below the start it goes on at the start.  Mutants
\* poll_below_start and poll_waits_below_start break it.
PollRight ==
    polled.op > 0 =>
        polled.got = { o \in polled.from..Sends(polled.op) - 1 :
                         ~\E d \in dropped : d.offset = o /\ d.op <= polled.op }
=============================================================================
