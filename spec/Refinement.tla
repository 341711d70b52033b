------------------------------ MODULE Refinement -----------------------------
(* VSR, whose view change takes many steps, implements AtomicViewChange, where *)
(* it takes two.  Each state of VSR is seen as a state there: what is promised *)
(* is computed before the vote is sent, and what a new primary repairs before  *)
(* it starts is not seen before.                                               *)
EXTENDS VSR
ASSUME N = 3 \* AtomicViewChange has no other group.

\* A replica has promised for the view that it changes to as soon as it is in it,
\* whether or not its vote has left.
Voted(r) == { m \in do_view_changes[view[r]] : m.replica = r }

\* What is seen of r's journal: bodies of its log; of a new primary that repairs before
\* its start those that it had when it voted.
Held(r) == IF merged[r] # <<>> /\ Voted(r) # {}
           THEN UNION { m.present : m \in Voted(r) }
           ELSE { e \in Entries(headers[r]) : e \in bodies[r] }

Promise(r) == [replica |-> r, log_view |-> log_view[r], commit |-> commit_min[r],
               log |-> headers[r], present |-> Held(r)]
Unsent(v) == { r \in Replicas : status[r] = "view_change" /\ view[r] = v /\ Voted(r) = {} }
Promises(v) == do_view_changes[v] \cup
               IF VoteUseful(v) THEN { Promise(r) : r \in Unsent(v) } ELSE {}

\* View 0 needs no start: it has its empty log until all replicas have left it.
Starts(v) == { m.log : m \in start_views[v] } \cup
             IF v = 0 /\ \E r \in Replicas : view[r] = 0 THEN {<<>>} ELSE {}

Atomic == INSTANCE AtomicViewChange WITH
  Bugs <- {}, log <- headers, held <- [r \in Replicas |-> Held(r)],
  executed <- commit_min, promises <- [v \in Views |-> Promises(v)],
  starts <- [v \in Views |-> Starts(v)], prepared <- prepares, oks <- prepare_oks,
  committed <- acknowledged

\* Every behaviour of VSR is one of AtomicViewChange.
\* Mutants merge_resurrects, longest_log, start_hollow, dvc_drops_hollow, volatile_view.
Refines == Atomic!Spec
=============================================================================
