------------------------------- MODULE Replica -------------------------------
(* What all sub-protocols share: constants, variables, messages, helpers.      *)
(* Normal, Repair, ViewChange, CommitWalk and Recovery add the actions, VSR    *)
(* composes them and states the properties.                                    *)
(*                                                                             *)
(* Quick guide.  A state gives a value to each variable; an action is a        *)
(* formula over a state and its successor (primed variables); a behaviour is   *)
(* any sequence of actions.  TLC visits every state within the bounds.         *)
(*                                                                             *)
(* Modelled: normal case, header and body split with hollow ops, view change   *)
(* in two steps (merge, repair, start) by the rules and quorums of MergeVote,  *)
(* for one to five replicas, both shapes of commit driver, repair, restart     *)
(* from disk, probe and answer.  A replica alone comes back by its own vote in *)
(* the next view.                                                              *)
(* Not modelled here: checkpoints, state transfer (Transfer), bodies that rot, *)
(* logs in doubt and wiped disks (R12, R15, R16: Merge, by the same rules),    *)
(* client table (R18: Sessions), reads (R19: Reads).                           *)
(*                                                                             *)
(* Abstractions, each an argument why a finer system refines this one:         *)
(*  - a message stays receivable until no replica can act on it any more, so   *)
(*    loss, delay, duplication and reordering are free (Gc removes the rest);  *)
(*  - collecting votes is one step: a quorum is chosen among the sent ones;    *)
(*  - a replica's durable state changes before its messages leave (R1, R2), so *)
(*    view, log_view and headers are their own durable copies, and a crash     *)
(*    in between is a lost message;                                            *)
(*  - a body, once stored, stays stored: its journal is looked up by           *)
(*    (op, checksum), and a record equals another iff the checksums do (R3).   *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,             \* Replicas are 0..N-1; view v is led by v % N.
          MaxRequest,    \* Client requests in one behaviour.
          MaxView,       \* Highest view number.
          MaxCrash,      \* Restarts in one behaviour.
          CommitDrivers, \* "walk": one commit walk executes every op (R5).
                         \* "walk_and_pipeline": upstream's shape, where the
                         \* primary executes the head of its pipeline itself.
          LazyLogView,   \* FALSE: headers are durable with log_view (R2).
                         \* TRUE: no headers are; log_view becomes durable when
                         \* every adopted body is stored.
          MergeAgain,    \* TRUE: a primary that waits for bodies of its merged log
                         \* may merge once more, when it has further votes.
          Bugs           \* Deliberate defects, a subset of BugNames.

BugNames ==
  { "stall_is_pipeline",   \* R6: the stall detector takes the pipeline head for a stall
    "stall_truncates",     \* R6, R7: the stall detector truncates from a hollow op
    "walk_takes_pipeline", \* R5: the commit walk executes what the pipeline owns
    "headers_volatile",    \* R2: log_view is durable, the log it speaks for is not
    "ack_over_hole",       \* R2, lazy form: a prepare is accepted above a hollow op
    "narrow_repair",       \* R9: repair stops at commit_max, not at the head
    "volatile_view",       \* R1: view and log_view are not durable
    "send_first",          \* R1: view change messages leave before the write
    "no_nonce",            \* R4: a recovering replica adopts an old StartView
    "stale_body",          \* R3: bodies are looked up by op, not by checksum
    "start_hollow",        \* R13: a new primary starts before it holds the bodies
    "dvc_drops_hollow",    \* R12: a vote forgets adopted headers without a body
    "same_view_sv",        \* R7: a StartView of the view it is normal in is adopted
    "longest_log",         \* R12: the merge ignores log_view
    "merge_resurrects",    \* R12: the merge adds what only lower log views hold
    "join_is_silent",      \* R10: who joins a view change does not say so itself
    "repair_only_when_normal", \* R9, R13: a new primary does not repair before its start
    "fill_is_duplicate",   \* R8: a body for an adopted header is taken for a duplicate
    "prepare_ok_once",     \* R10: what was acknowledged in an old view is not again
    "commit_number_not_sent", \* R10: the primary tells nobody what is committed
    "half_is_quorum",      \* R12: half the replicas, rounded up, are a quorum
    "one_quorum" }         \* R12: the replication quorum decides view changes too

ASSUME /\ N \in 1..5 /\ MaxRequest \in Nat /\ MaxView \in Nat /\ MaxCrash \in Nat
       /\ CommitDrivers \in {"walk", "walk_and_pipeline"}
       /\ LazyLogView \in BOOLEAN /\ MergeAgain \in BOOLEAN /\ Bugs \subseteq BugNames

\* One replica.  An entry is a prepare's identity, [op, view, request]: the view
\* that prepared it and the client request it carries.  Equal entries stand for
\* equal checksums.
VARIABLES status,           \* "normal", "view_change" or "recovering"
          view,             \* The view it is in, durable.
          log_view,         \* The last view in which it changed its log, durable.
          log_view_durable, \* Where LazyLogView: what a restart finds.
          headers,          \* Its log: a sequence of entries.  The length is the head.
          bodies,           \* The entries whose body its journal holds.
          commit_min,       \* Executed up to here.
          commit_max,       \* Known to be committed up to here.
          pipeline,         \* The primary's prepares that it has not committed yet.
          merged            \* The log that a new primary is about to start with:
                            \* <<>>, or <<[log, commit]>> while it repairs (R13).
\* The network, per view: what has been sent and can still be acted on.
VARIABLES prepares,           \* Entries that the view's primary prepared.
          prepare_oks,        \* <<replica, entry>>
          commits,            \* The highest commit number sent (Commit messages).
          start_view_changes, \* Replicas that sent StartViewChange.
          do_view_changes,    \* Votes: [replica, log_view, commit, log, present]
          start_views,        \* [log, commit], at most one
          answers             \* Per recovering replica: answers to its probe (R4),
                              \* [view, log, commit].
VARIABLES requests, restarts, \* Count towards the bounds.
          acknowledged        \* Ghost: entries acknowledged to clients, in op order.

logVars     == <<log_view, log_view_durable, headers, bodies>>
commitVars  == <<commit_min, commit_max, pipeline>>
replicaVars == <<status, view, merged, logVars, commitVars>>
viewNetwork == <<prepares, prepare_oks, commits, start_view_changes, do_view_changes,
                 start_views>>
bounds      == <<requests, restarts>>
vars        == <<replicaVars, viewNetwork, answers, bounds, acknowledged>>

Replicas == 0..N-1
Views    == 0..MaxView
Ops      == 1..MaxRequest
Primary(v) == v % N

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Bug(b) == b \in Bugs

\* The rules of merges and quorums.  No body is lost here and no log untrusted, so that
\* each vote either proves an entry or nacks it.
Rules == INSTANCE MergeVote WITH Policy <- "persisted",
           Bugs <- { b \in {"longest_ignores_log_view"} : Bug("longest_log") } \cup
                   { b \in {"keep_superseded"} : Bug("merge_resurrects") }
\* How many must hold an op to commit it, and how many votes decide a view's log:
\* upstream's sizes, which differ from one another where N is even.
ReplicationQuorum == IF Bug("half_is_quorum") THEN (N + 1) \div 2
                     ELSE Rules!ReplicationQuorum(N)
ViewChangeQuorum  == IF Bug("half_is_quorum") \/ Bug("one_quorum") THEN ReplicationQuorum
                     ELSE Rules!ViewChangeQuorum(N)
Quorums == { S \in SUBSET Replicas : Cardinality(S) = ViewChangeQuorum }
\* The sets of voters that a merge may be of.
VoterSets == Quorums \cup { S \in SUBSET Replicas : /\ MergeAgain
                                                  /\ Cardinality(S) > ViewChangeQuorum }

Entries(log) == { log[i] : i \in 1..Len(log) }
Walk == CommitDrivers = "walk"

IsPrimary(r) == status[r] = "normal" /\ Primary(view[r]) = r
IsBackup(r)  == status[r] = "normal" /\ Primary(view[r]) # r

\* Does r's journal answer a look-up of entry e with a body?  R3: by checksum.
Stored(r, e) == IF Bug("stale_body") THEN \E b \in bodies[r] : b.op = e.op
                ELSE e \in bodies[r]
\* Entry e is in r's log and its body in r's journal: what a PrepareOK promises.
Holds(r, e) == e \in bodies[r] /\ e.op <= Len(headers[r]) /\ headers[r][e.op] = e
Contiguous(r) == Max({ i \in 0..Len(headers[r]) : \A j \in 1..i : Stored(r, headers[r][j]) })
HasHole(r) == Contiguous(r) < Len(headers[r])

-----------------------------------------------------------------------------
\* Garbage: messages that no replica can act on, given the views and statuses of
\* the next state.  Removing them in the step that makes them dead keeps the
\* state space small and changes nothing that a replica can do.

PrepareOKUseful(v) == status[Primary(v)] = "normal" /\ view[Primary(v)] = v
VoteUseful(v) == \/ view[Primary(v)] < v
                 \/ view[Primary(v)] = v /\ status[Primary(v)] = "view_change"

\* The network after a step that sends: n holds the six variables of the views
\* with what was sent.
Network == [prepares |-> prepares, prepare_oks |-> prepare_oks, commits |-> commits,
            start_view_changes |-> start_view_changes, do_view_changes |-> do_view_changes,
            start_views |-> start_views]
Gc(n) ==
  LET low == Min({ view[r] : r \in Replicas })'
      kept(f, none) == [v \in Views |-> IF v < low THEN none ELSE f[v]]
  IN /\ prepares' = kept(n.prepares, {})
     /\ commits' = kept(n.commits, 0)
     /\ start_view_changes' = kept(n.start_view_changes, {})
     /\ start_views' = kept(n.start_views, {})
     /\ prepare_oks' = [v \in Views |-> IF PrepareOKUseful(v)' THEN n.prepare_oks[v] ELSE {}]
     /\ do_view_changes' = [v \in Views |-> IF VoteUseful(v)' THEN n.do_view_changes[v] ELSE {}]

\* r acknowledges entry e in view v.
SendPrepareOK(r, v, e) ==
  prepare_oks' = IF PrepareOKUseful(v) THEN [prepare_oks EXCEPT ![v] = @ \cup {<<r, e>>}]
                 ELSE prepare_oks
=============================================================================
