------------------------------ MODULE MergeVote ------------------------------
(* What a vote (DoViewChange) says about an op, and what a set of votes         *)
(* decides: R12, R15.  Constant definitions only; Merge gives them a life.      *)
(*                                                                              *)
(* A vote is [replica, log_view, headers, bodies, commit, trusted].  An entry   *)
(* is an op and the view that created it: that is its checksum.  headers[i] is  *)
(* the view that created entry i, bodies[i] what the voter knows of its body:   *)
(*   "stored"    it holds the body;                                             *)
(*   "hollow"    a trusted log adopted the header, and the body never came;     *)
(*   "doubtful"  it may have held the body once: the header was adopted by an   *)
(*               untrusted log, or an untrusted restart did not find the body;  *)
(*   "faulty"    it held the body and knows that it has lost it;                *)
(*   "below"     the log begins above it, so it was committed: the vote knows   *)
(*               that by its commit number, and says nothing else of it;        *)
(*   "other"     another entry's body stands there (mutant only).               *)
(* What it says about entry <<i, v>> of the canonical log:                      *)
(*                                                                              *)
(*   the voter's log, of whatever log view    trusted      untrusted (R15)      *)
(*   same entry, "stored"                     proves       proves               *)
(*   i is above its head                      nacks        -                    *)
(*   another entry at i, whatever its body    nacks        -                    *)
(*   same entry, "hollow"                     nacks        -                    *)
(*   same entry, "doubtful" or "faulty"       -            -                    *)
(*   i is not above its base ("below")        -            -                    *)
(*   a wiped replica without a current log    does not vote (R16)               *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,      \* Replicas are 0..N-1; view v is led by v % N.
          Policy, \* What an acknowledgement promises: "persisted" (fsynced by a
                  \* replication quorum) or "replicated" (handed to its OS).
          Bugs    \* Deliberate defects, a subset of BugNames.
BugNames ==
  { "vote_forgets_hollow",        \* R12: a vote leaves out headers without a body
    "nack_faulty",                \* R12: a faulty slot is nacked
    "nack_in_doubt",              \* R12: so is an op in doubt
    "adopted_never_nacks",        \* R12: no adopted op is ever nacked
    "present_by_op",              \* R12: bodies are proved and fetched by op alone
    "present_top_only",           \* R12: only votes of the highest log view prove
    "longest_ignores_log_view",   \* R12: the canonical log is the longest of all
    "keep_superseded",            \* R12: what a longer, older log holds is appended
    "canonical_of_trusted_only",  \* R12: headers are taken from trusted votes only
    "drop_below_commit",          \* R12: the merged commit protects nothing
    "drop_without_nacks",         \* R12: an open op is dropped at once
    "nack_quorum_minus_one",      \* R12: one nack too few drops
    "no_last_resort",             \* R12: "replicated": all votes, no body: blocked
    "last_resort_when_persisted", \* R12: "persisted": all votes, no body: dropped
    "last_resort_ignores_faulty", \* R12: dropped though a quorum knows of its loss
    "redo_forgets_fetched",       \* R12: a body fetched after the votes proves nothing
    "merge_not_redone",           \* R12: a parked primary takes no further votes
    "merge_kept_over_views",      \* R12: a parked merge outlives its view
    "prepare_ok_of_any_view",     \* R12: a commit counts acknowledgements of old views
    "start_before_repair",        \* R13: a new primary starts without the bodies
    "start_with_rotten_body",     \* R13: it does not look again at what it had fetched
    "displaced_is_stored",        \* R13: a body that gave way to a fetched one still proves
    "cut_rotten_tail",            \* R14: a rotten last record is cut as a torn tail
    "untrusted_nacks",            \* R15: an untrusted log nacks
    "untrusted_counts",           \* R15: its vote makes up a quorum
    "lost_is_hollow",             \* R15: a body not found at boot never came
    "adoption_clears_doubt",      \* R15: what an untrusted log adopts is not in doubt
    "restart_clears_doubt",       \* R15: doubt is not durable
    "doubt_ends_below_base",      \* R15: what lay below an earlier base never came
    "hollow_outlives_restart",    \* R15: an untrusted log says that a body never came
    "adoption_keeps_doubt",       \* R15: doubt outlives the adoption of a log
    "doubtful_not_repaired",      \* R15: a body in doubt is not asked for
    "vote_before_quorum",         \* R16: a vote leaves before a quorum has left its view
    "wiped_votes",                \* R16: a wiped replica votes with its empty log
    "wiped_any_view",             \* R16: it adopts the log of any view
    "wiped_is_trusted" }          \* R16: what it adopts is not in doubt
ASSUME N \in 1..7 /\ Policy \in {"persisted", "replicated"} /\ Bugs \subseteq BugNames

Replicas == 0..N-1
Primary(v) == v % N
Bug(b) == b \in Bugs
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y

-----------------------------------------------------------------------------
\* Quorums of n replicas.  Two replicas are special: both must store, and both must
\* vote, so that one nack proves that no quorum ever stored the op.
ReplicationQuorum(n) == IF n = 2 THEN 2 ELSE Min({3, (n + 1) \div 2})
ViewChangeQuorum(n) == IF n = 2 THEN 2 ELSE n - ReplicationQuorum(n) + 1
NackQuorum(n) == n - ReplicationQuorum(n) + 1
\* A view change quorum meets every replication quorum, a nack quorum leaves none.
ASSUME \A n \in 1..7 : /\ ReplicationQuorum(n) + ViewChangeQuorum(n) > n
                       /\ ReplicationQuorum(n) + NackQuorum(n) = n + 1
                       /\ {ReplicationQuorum(n), ViewChangeQuorum(n)} \subseteq 1..n
ASSUME /\ [n \in 1..7 |-> ReplicationQuorum(n)] = <<1, 2, 2, 2, 3, 3, 3>>
       /\ [n \in 1..7 |-> ViewChangeQuorum(n)] = <<1, 2, 2, 3, 3, 4, 5>>
       /\ [n \in 1..7 |-> NackQuorum(n)] = <<1, 1, 2, 3, 3, 4, 5>>

-----------------------------------------------------------------------------
\* One vote, one entry <<i, v>>.

HasHeader(m, i, v) == i <= Len(m.headers) /\ m.headers[i] = v

\* The vote proves a body, for that very checksum; its log view does not matter.
\* Go: model/merge WhatVoteSays.
Proves(m, i, v) == /\ i <= Len(m.headers) /\ m.bodies[i] \in {"stored", "other"}
                   /\ m.headers[i] = v \/ Bug("present_by_op")

\* The vote nacks: no commit can have counted the voter's acknowledgement.
Nacks(m, i, v) ==
  /\ m.trusted \/ Bug("untrusted_nacks")
  /\ \/ ~HasHeader(m, i, v)
     \/ m.bodies[i] = "hollow" /\ ~Bug("adopted_never_nacks")
     \/ m.bodies[i] = "doubtful" /\ Bug("nack_in_doubt")
     \/ m.bodies[i] = "faulty" /\ Bug("nack_faulty")
KnowsLoss(m, i, v) == HasHeader(m, i, v) /\ m.bodies[i] = "faulty"

-----------------------------------------------------------------------------
\* A set D of votes, one of each voter.

\* Votes of untrusted logs give headers and bodies, but make up no quorum, unless
\* all replicas have voted.
HasQuorum(D) ==
  \/ LET counted == { m \in D : m.trusted \/ Bug("untrusted_counts") }
     IN Cardinality(counted) >= ViewChangeQuorum(N)
  \/ Cardinality(D) = N

\* The canonical headers: the longest log of the highest log view, trusted or not.
\* What two votes of one log view hold in common is equal, so there is no tie.
LexBelow(a, b) == a[1] < b[1] \/ (a[1] = b[1] /\ a[2] <= b[2])
NotAbove(a, b) ==
  LexBelow(<<a.log_view, Len(a.headers)>>, <<b.log_view, Len(b.headers)>>)
NotLonger(a, b) ==
  LexBelow(<<Len(a.headers), b.log_view>>, <<Len(b.headers), a.log_view>>)
Canonical(D) ==
  LET trusted == { m \in D : m.trusted }
      from == IF Bug("canonical_of_trusted_only") /\ trusted # {} THEN trusted ELSE D
      long == (CHOOSE m \in D : \A x \in D : NotLonger(x, m)).headers
      best == IF Bug("longest_ignores_log_view") THEN long
              ELSE (CHOOSE m \in from : \A x \in from : NotAbove(x, m)).headers
  IN IF Bug("keep_superseded") /\ Len(long) > Len(best)
     THEN best \o SubSeq(long, Len(best) + 1, Len(long)) ELSE best
MergedCommit(D) == Max({ m.commit : m \in D })

\* Whether dropping an op that nobody can prove is allowed once all have voted: what
\* "replicated" promises bears the loss of less than a replication quorum of copies,
\* but a quorum that knows of its loss is a loss to report.  Under "persisted" the
\* nack quorum is exact, and there is no last resort.
LastResort(rotten) == /\ \/ Policy = "replicated" /\ ~Bug("no_last_resort")
                         \/ Bug("last_resort_when_persisted")
                      /\ \/ rotten < ReplicationQuorum(N)
                         \/ Bug("last_resort_ignores_faulty")

\* The fate of op i of the canonical log: "keep", "drop" or "open".  held: the ops of
\* it whose body the new primary holds by now, whatever its vote said.
\* Go: model/merge Evidence.Fate.
Fate(D, log, held, i) ==
  LET top    == { m \in D : \A x \in D : x.log_view <= m.log_view }
      heard  == IF Bug("present_top_only") THEN top ELSE D
      proofs == { m \in heard : Proves(m, i, log[i]) }
      nacks  == Cardinality({ m \in D : Nacks(m, i, log[i]) })
      rotten == Cardinality({ m \in D : KnowsLoss(m, i, log[i]) })
      enough == NackQuorum(N) - (IF Bug("nack_quorum_minus_one") THEN 1 ELSE 0)
  IN CASE i <= MergedCommit(D) /\ ~Bug("drop_below_commit") -> "keep"
       [] proofs # {} \/ (i \in held /\ ~Bug("redo_forgets_fetched")) -> "keep"
       [] nacks >= enough -> "drop"
       [] Cardinality(D) = N /\ LastResort(rotten) -> "drop"
       [] Bug("drop_without_nacks") -> "drop"
       [] OTHER -> "open"

\* How many ops of the canonical log stay: those below the first that is dropped.
KeptOps(D, log, held) ==
  LET dropped == { i \in 1..Len(log) : Fate(D, log, held, i) = "drop" }
  IN IF dropped = {} THEN Len(log) ELSE Min(dropped) - 1
OpenOps(D, held) ==
  LET log == Canonical(D)
  IN { i \in 1..KeptOps(D, log, held) : Fate(D, log, held, i) = "open" }

\* What D comes to:
\*   "AwaitingQuorum"  it decides nothing yet;
\*   "AwaitingRepair"  open ops wait: for a body from any live replica, or for the
\*                     votes that are missing;
\*   "Ready"           the log is decided;
\*   "Blocked"         all have voted and an op is still open: a person must decide.
\* Go: model/merge Decide.
Outcome(D, held) ==
  CASE ~HasQuorum(D) -> "AwaitingQuorum"
    [] OpenOps(D, held) = {} -> "Ready"
    [] Cardinality(D) = N -> "Blocked"
    [] OTHER -> "AwaitingRepair"
=============================================================================
