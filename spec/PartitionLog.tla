---------------------------- MODULE PartitionLog ----------------------------
(* Durability of one partition's log under crashes of the whole cluster.  A    *)
(* prepare lives at three depths: in the memory of a replica, in the hands of  *)
(* its operating system (what a write returned for survives SIGKILL), and      *)
(* below the frontier that the replica has published (what a flush returned    *)
(* for survives power loss).  Recovery must keep all that a crash left behind: *)
(* R14.  Seed 003 (iggy#4632) is the mutant truncate_to_frontier: each replica *)
(* cut its log back to the frontier, which only checkpoints moved, and a       *)
(* SIGKILL lost what every disk still held.                                    *)
(* Abstractions:                                                               *)
(*  - a log is a sequence of prepares; a prepare is the number of the request  *)
(*    that it was made for, and equal numbers stand for equal checksums;       *)
(*  - writes and flushes go in log order, one prepare and one call at a time;  *)
(*  - crashes hit all replicas at once: smaller ones are the subject of VSR;   *)
(*  - the election after a crash is one step, and so is adopting its log;      *)
(*  - a record that tears fails to verify, it never turns into another one.    *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,         \* replicas, 0..N-1
          MaxOp,     \* prepares that are ever made
          MaxCrash,  \* crashes of the whole cluster
          Bugs       \* deliberate defects
BugNames == { "truncate_to_frontier", \* recovery drops what lies above the frontier: seed 003
              "adopt_torn",           \* recovery adopts a record that fails to verify
              "first_not_longest" }   \* the election takes the log of any voter
ASSUME N \in Nat \ {0} /\ MaxOp \in Nat /\ MaxCrash \in Nat /\ Bugs \subseteq BugNames

VARIABLES
  log,           \* [Replicas -> Seq(prepare)]: what the replica holds, at any depth
  written,       \* [Replicas -> Nat]: length of the prefix handed to the OS
  published,     \* [Replicas -> Nat]: length of the prefix below the published frontier
  torn,          \* [Replicas -> BOOLEAN]: the last record of log fails to verify
  primary,       \* the primary; Down between a crash and the election
  operations,    \* number of prepares made so far
  crashes,       \* number of crashes so far
  \* What is promised (ghosts).  Upstream answers the client at the first depth;
  \* we answer at the second ("replicated") or at the third ("persisted").
  acknowledged,  \* prepares that a quorum held at once
  os_quorum,     \* ... and that a quorum had written, since the last power loss
  synced_quorum  \* ... and that a quorum had published
vars == <<log, written, published, torn, primary, operations, crashes,
          acknowledged, os_quorum, synced_quorum>>

Replicas == 0..N-1
Down == N
QuorumMajority == (N \div 2) + 1
Quorums == { S \in SUBSET Replicas : Cardinality(S) >= QuorumMajority }
Min(a, b) == IF a < b THEN a ELSE b
Prepares(l) == { l[i] : i \in 1..Len(l) }

Init ==
    /\ log = [r \in Replicas |-> <<>>]
    /\ written = [r \in Replicas |-> 0]
    /\ published = [r \in Replicas |-> 0]
    /\ torn = [r \in Replicas |-> FALSE]
    /\ primary = 0
    /\ operations = 0
    /\ crashes = 0
    /\ acknowledged = {}
    /\ os_quorum = {}
    /\ synced_quorum = {}

\* Promise: what the step that is being taken lets clients rely on.  It follows
\* from the logs after the step.  R3: a prepare_ok is a promise about bytes.
\* Go: model/storage promise.
Promise ==
    LET holders(p) == { r \in Replicas : p \in Prepares(log'[r]) }
        upTo(depth, p) == { r \in Replicas : \E i \in 1..depth[r] : log'[r][i] = p }
        quorumAt(depth) ==
            { p \in acknowledged' : Cardinality(upTo(depth, p)) >= QuorumMajority }
    IN /\ acknowledged' = acknowledged \cup
            { p \in Prepares(log'[primary]) : Cardinality(holders(p)) >= QuorumMajority }
       /\ os_quorum' = os_quorum \cup quorumAt(written')
       /\ synced_quorum' = synced_quorum \cup quorumAt(published')

\* AppendPrepare: the primary makes a prepare of the next request.  VRR 4.1 step 2.
\* Go: model/storage appendPrepare; impl/wal Log.Append starts here.
AppendPrepare ==
    /\ primary # Down
    /\ operations < MaxOp
    /\ operations' = operations + 1
    /\ log' = [log EXCEPT ![primary] = Append(@, operations + 1)]
    /\ UNCHANGED <<written, published, torn, primary, crashes>>
    /\ Promise

\* Replicate(r): backup r takes the next prepare of the primary.  VRR 4.1 step 4.
\* Every log is a prefix of the primary's while there is one.
\* Go: model/storage replicate.
Replicate(r) ==
    /\ primary # Down
    /\ Len(log[r]) < Len(log[primary])
    /\ log' = [log EXCEPT ![r] = Append(@, log[primary][Len(@) + 1])]
    /\ UNCHANGED <<written, published, torn, primary, operations, crashes>>
    /\ Promise

\* WriteLog(r): r hands one more record to its OS.  From here SIGKILL spares it.
\* Go: model/storage writeLog; impl/wal Log.Append ends here.
WriteLog(r) ==
    /\ primary # Down
    /\ written[r] < Len(log[r])
    /\ written' = [written EXCEPT ![r] = @ + 1]
    /\ UNCHANGED <<log, published, torn, primary, operations, crashes>>
    /\ Promise

\* PublishFrontier(r): r flushes what it has written and says so durably.  From
\* here power loss spares it.  Under "persisted" each append does this; under
\* "replicated" only a checkpoint does, so the frontier may be far behind.
\* Go: model/storage publishFrontier; impl/wal Log.Sync, Log.PublishFrontier.
PublishFrontier(r) ==
    /\ primary # Down
    /\ published[r] < written[r]
    /\ published' = [published EXCEPT ![r] = written[r]]
    /\ UNCHANGED <<log, written, torn, primary, operations, crashes>>
    /\ Promise

\* RecoverAll(keep, tear): all replicas restart.  keep[r] records of r are whole on
\* its disk; for r in tear the next one is there in part.  R14: adopt what
\* verifies, stop at the first record that does not.
\* Go: model/storage recoverAll; impl/wal Open.
RecoverAll(keep, tear) ==
    LET adopted(r) == IF "truncate_to_frontier" \in Bugs THEN published[r]
                      ELSE IF r \in tear /\ "adopt_torn" \in Bugs THEN keep[r] + 1
                      ELSE keep[r]
    IN /\ log' = [r \in Replicas |-> SubSeq(log[r], 1, adopted(r))]
       /\ written' = [r \in Replicas |-> adopted(r)]
       /\ torn' = [r \in Replicas |-> r \in tear /\ adopted(r) > keep[r]]
       /\ primary' = Down
       /\ crashes' = crashes + 1
       /\ UNCHANGED <<published, operations, acknowledged, synced_quorum>>

\* KillAll: SIGKILL, or an OOM kill, of every replica.  The page cache outlives
\* the process: memory is lost, what was written is not.
\* Go: model/storage killAll; impl/storage/memdisk Disk.Kill.
KillAll ==
    /\ primary # Down
    /\ crashes < MaxCrash
    /\ RecoverAll(written, {})
    /\ UNCHANGED os_quorum

\* PowerLoss(keep, tear): every replica loses its page cache.  Of what was
\* written beyond the frontier any prefix may have reached the disk, and the
\* record after it may have reached it in part.  The OS owes nothing any more.
\* Go: model/storage powerLoss; impl/storage/memdisk Disk.PowerLoss.
PowerLoss(keep, tear) ==
    /\ primary # Down
    /\ crashes < MaxCrash
    /\ \A r \in Replicas : published[r] <= keep[r] /\ keep[r] <= written[r]
    /\ \A r \in tear : keep[r] < written[r]
    /\ RecoverAll(keep, tear)
    /\ os_quorum' = {}

\* ElectPrimary(S, w): the voters S take the longest of their logs, w's, and all
\* replicas adopt it.  R15 asks for more, the votes of all, after a power loss,
\* when no log is trusted; here any quorum will do, so that more can happen.
\* Go: model/storage electPrimary; traces/scenario PartitionCluster.Restart.
ElectPrimary(S, w) ==
    /\ primary = Down
    /\ \/ \A s \in S : Len(log[s]) <= Len(log[w])
       \/ "first_not_longest" \in Bugs
    /\ primary' = w
    /\ log' = [r \in Replicas |-> log[w]]
    /\ written' = [r \in Replicas |-> Min(written[r], Len(log[w]))]
    /\ published' = [r \in Replicas |-> Min(published[r], Len(log[w]))]
    /\ UNCHANGED <<torn, operations, crashes, acknowledged, os_quorum, synced_quorum>>

Next ==
    \/ AppendPrepare
    \/ \E r \in Replicas : Replicate(r)
    \/ \E r \in Replicas : WriteLog(r)
    \/ \E r \in Replicas : PublishFrontier(r)
    \/ KillAll
    \/ \E keep \in [Replicas -> 0..MaxOp], tear \in SUBSET Replicas : PowerLoss(keep, tear)
    \/ \E S \in Quorums : \E w \in S : ElectPrimary(S, w)
Spec == Init /\ [][Next]_vars

\* TypeOK: shapes, and each depth lies within the one above it.  No mutant breaks
\* it: it guards this module against slips, not recovery against defects.
TypeOK ==
    /\ operations \in 0..MaxOp
    /\ crashes \in 0..MaxCrash
    /\ primary \in Replicas \cup {Down}
    /\ \A r \in Replicas :
        /\ log[r] \in Seq(1..operations)
        /\ published[r] <= written[r]
        /\ written[r] <= Len(log[r])
        /\ torn[r] \in BOOLEAN
    /\ synced_quorum \subseteq acknowledged
    /\ os_quorum \subseteq acknowledged
    /\ acknowledged \subseteq 1..operations

\* KillSafe: SIGKILL loses at most what was still in process memory.
\* Mutants truncate_to_frontier and first_not_longest break it.
KillSafe == primary # Down => os_quorum \subseteq Prepares(log[primary])

\* SyncSafe: nothing loses what a quorum has published.
\* Mutant first_not_longest breaks it.
SyncSafe == primary # Down => synced_quorum \subseteq Prepares(log[primary])

\* NoTorn: no replica serves a record that fails to verify.
\* Mutant adopt_torn breaks it.
NoTorn == \A r \in Replicas : ~torn[r]
=============================================================================
