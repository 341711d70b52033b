--------------------------- MODULE AtomicViewChange ---------------------------
(* What a view change must look like from outside: a replica leaves its old    *)
(* view and promises its log in one step, and a new primary decides the log of *)
(* its view, fetches what it lacks of it and starts the view in one step.      *)
(*                                                                             *)
(* VSR does the same in many steps and messages.  Refinement.tla maps its      *)
(* states to the states here, and TLC checks that each of its steps is one     *)
(* step here or none.  So whatever is said here of which log a view starts     *)
(* with, from which promises, and of what is committed, holds of VSR.          *)
(*                                                                             *)
(* Hidden: StartViewChange, DoViewChange, Commit, probes and their answers;    *)
(* commit numbers, pipelines and the merged log of a primary that has not      *)
(* started; bodies of entries that are not in their replica's log; who has a   *)
(* body to give.  Messages that are left are facts: what was promised, with    *)
(* which log a view started, what was prepared and acknowledged in it.         *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,           \* Replicas are 0..N-1; view v is led by v % N.
          MaxRequest,  \* Client requests in one behaviour.
          MaxView,     \* Highest view number.
          LazyLogView, \* TRUE: a log view is durable once the whole log is held (R2).
          Bugs         \* Deliberate defects, a subset of BugNames.

BugNames ==
  { "promise_alone",     \* R12: a new primary starts from its own promise alone
    "ack_after_leaving", \* R1: a replica acknowledges in a view that it has left
    "start_again",       \* R1: a primary starts the view that it leads a second time
    "executes_uncommitted" } \* R5: a replica executes what its log has, committed or not

ASSUME /\ N = 3 /\ MaxRequest \in Nat /\ MaxView \in Nat
       /\ LazyLogView \in BOOLEAN /\ Bugs \subseteq BugNames

\* Of each replica.
VARIABLES status,           \* "normal", "view_change" or "recovering"
          view,             \* The view it is in.
          log_view,         \* The last view in which it changed its log.
          log_view_durable, \* Where LazyLogView: what a restart finds.
          log,              \* A sequence of entries, [op, view, request].
          held,             \* The entries of its log whose body it stores.
          executed          \* Executed up to here.
\* Of each view, until nobody can act on it any more.
VARIABLES promises, \* Who left for the view, and with what:
                    \* [replica, log_view, commit, log, present]
          starts,   \* The log that the view started with; view 0 starts empty.
          prepared, \* What its primary added to that.
          oks       \* <<replica, entry>>: acknowledged in the view.
VARIABLES requests, \* Counts towards the bound.
          committed \* The entries that clients were told about, in op order.

vars == <<status, view, log_view, log_view_durable, log, held, executed,
          promises, starts, prepared, oks, requests, committed>>

Replicas == 0..N-1
Views    == 0..MaxView
Quorum   == (N \div 2) + 1
Quorums  == { S \in SUBSET Replicas : Cardinality(S) = Quorum }
Primary(v) == v % N

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Bug(b) == b \in Bugs
Entries(l) == { l[i] : i \in 1..Len(l) }
\* How far up a log is held by who holds the entries of H.
Unbroken(l, H) == Max({ i \in 0..Len(l) : \A j \in 1..i : l[j] \in H })

Leads(r)   == status[r] = "normal" /\ Primary(view[r]) = r
Follows(r) == status[r] = "normal" /\ Primary(view[r]) # r

Init ==
  /\ status = [r \in Replicas |-> "normal"]
  /\ view = [r \in Replicas |-> 0] /\ log_view = [r \in Replicas |-> 0]
  /\ log_view_durable = [r \in Replicas |-> 0]
  /\ log = [r \in Replicas |-> <<>>] /\ held = [r \in Replicas |-> {}]
  /\ executed = [r \in Replicas |-> 0]
  /\ promises = [v \in Views |-> {}]
  /\ starts = [v \in Views |-> IF v = 0 THEN {<<>>} ELSE {}]
  /\ prepared = [v \in Views |-> {}] /\ oks = [v \in Views |-> {}]
  /\ requests = 0 /\ committed = <<>>

-----------------------------------------------------------------------------
\* Somebody may act on promises for view v; on acknowledgements in it.
Collects(v) == \/ view[Primary(v)] < v
               \/ view[Primary(v)] = v /\ status[Primary(v)] = "view_change"
Counts(v) == status[Primary(v)] = "normal" /\ view[Primary(v)] = v

\* The facts of views become p, s and o, but for those that nobody can act on in the
\* next state: promises once the view's primary has started or is beyond it,
\* acknowledgements but while it leads, the logs of views that all replicas have left.
Facts(p, s, o) ==
  LET low == Min({ view[r] : r \in Replicas })'
  IN /\ promises' = [v \in Views |-> IF Collects(v)' THEN p[v] ELSE {}]
     /\ starts' = [v \in Views |-> IF v < low THEN {} ELSE s[v]]
     /\ prepared' = [v \in Views |-> IF v < low THEN {} ELSE prepared[v]]
     /\ oks' = [v \in Views |-> IF Counts(v)' THEN o[v] ELSE {}]

\* What is left of the promises when r leaves its view by any way: the promise for it
\* may not have reached anybody.
Left(r) ==
  { promises,
    [promises EXCEPT ![view[r]] = { m \in @ : m.replica # r }] }

\* The acknowledgements after a step in which r, whose log is now l, acknowledges in
\* view v some of the entries of A.  It vouches for what it holds (R3); under
\* LazyLogView only below its first hole, since a restart loses what lies above.
Acknowledged(r, v, l, H, A) ==
  { [oks EXCEPT ![v] = @ \cup { <<r, e>> : e \in B }] :
      B \in SUBSET { e \in A \cap H : LazyLogView => e.op <= Unbroken(l, H) } }

\* A replica that leads a view change may have fetched bodies for the start that it
\* did not get to.
Fetched(r) ==
  IF status[r] = "view_change" /\ Primary(view[r]) = r
  THEN { H \in SUBSET Entries(log[r]) : held[r] \subseteq H } ELSE { held[r] }

-----------------------------------------------------------------------------
\* Prepare(p): the primary adds a request to the log of its view.
\* Go: model/atomic machine.prepare.
Prepare(p) ==
  /\ Leads(p) /\ requests < MaxRequest
  /\ LET e == [op |-> Len(log[p]) + 1, view |-> view[p], request |-> requests + 1]
     IN /\ log' = [log EXCEPT ![p] = Append(@, e)]
        /\ held' = [held EXCEPT ![p] = @ \cup {e}]
        /\ prepared' = [prepared EXCEPT ![view[p]] = @ \cup {e}]
  /\ requests' = requests + 1
  /\ UNCHANGED <<status, view, log_view, log_view_durable, executed, promises, starts, oks,
                 committed>>

\* Accept(r): a backup takes the next entry that its view's primary added.
\* Go: model/atomic machine.accept.
Accept(r) ==
  /\ Follows(r)
  /\ LazyLogView => held[r] = Entries(log[r])
  /\ \E e \in prepared[view[r]] :
       /\ e.op = Len(log[r]) + 1
       /\ log' = [log EXCEPT ![r] = Append(@, e)]
       /\ held' = [held EXCEPT ![r] = @ \cup {e}]
       /\ oks' \in Acknowledged(r, view[r], log'[r], held'[r], {e})
  /\ UNCHANGED <<status, view, log_view, log_view_durable, executed, promises, starts,
                 prepared, requests, committed>>

\* Fill(r): a backup gets a body that its log lacks, and may acknowledge it.
\* Go: model/atomic machine.fill.
Fill(r) ==
  /\ Follows(r)
  /\ \E e \in Entries(log[r]) \ held[r] :
       /\ LazyLogView => e.op = Unbroken(log[r], held[r]) + 1
       /\ held' = [held EXCEPT ![r] = @ \cup {e}]
       /\ oks' \in Acknowledged(r, view[r], log[r], held'[r], {e})
  /\ log_view_durable' =
       IF LazyLogView /\ held'[r] = Entries(log[r])
       THEN [log_view_durable EXCEPT ![r] = log_view[r]] ELSE log_view_durable
  /\ UNCHANGED <<status, view, log_view, log, executed, promises, starts, prepared, requests,
                 committed>>

\* AcknowledgeLate(r): mutant only.  A replica that has left a view acknowledges in it
\* what the primary of the view added, as if it had not.
\* Go: model/atomic machine.acknowledgeLate.
AcknowledgeLate(r) ==
  /\ Bug("ack_after_leaving") /\ status[r] = "view_change"
  /\ \E e \in prepared[log_view[r]] :
       /\ e.op = Len(log[r]) + 1
       /\ log' = [log EXCEPT ![r] = Append(@, e)]
       /\ held' = [held EXCEPT ![r] = @ \cup {e}]
       /\ oks' = [oks EXCEPT ![log_view[r]] = @ \cup {<<r, e>>}]
  /\ UNCHANGED <<status, view, log_view, log_view_durable, executed, promises, starts,
                 prepared, requests, committed>>

\* Commit(p): the next entry is acknowledged by a replication quorum of p's view, so it
\* is committed for good.  p may execute it at once.
\* Go: model/atomic machine.commit.
Commit(p) ==
  /\ Leads(p) /\ Len(committed) < Len(log[p])
  /\ LET op == Len(committed) + 1
         e  == log[p][op]
     IN /\ Cardinality({p} \cup { r \in Replicas : <<r, e>> \in oks[view[p]] }) >= Quorum
        /\ committed' = Append(committed, e)
        /\ executed' \in
             {executed} \cup (IF executed[p] = op - 1
                              THEN {[executed EXCEPT ![p] = op]} ELSE {})
  /\ UNCHANGED <<status, view, log_view, log_view_durable, log, held, promises, starts,
                 prepared, oks, requests>>

\* Execute(r): a replica executes the next committed entry, which is in its log and
\* which it holds.
\* Go: model/atomic machine.execute.
Execute(r) ==
  /\ status[r] = "normal"
  /\ LET op == executed[r] + 1
     IN /\ op <= Len(log[r]) /\ log[r][op] \in held[r]
        /\ \/ op <= Len(committed) /\ log[r][op] = committed[op]
           \/ Bug("executes_uncommitted")
        /\ executed' = [executed EXCEPT ![r] = op]
  /\ UNCHANGED <<status, view, log_view, log_view_durable, log, held, promises, starts,
                 prepared, oks, requests, committed>>

\* Leave(r, v): r leaves its view for a higher one and promises its log: from here on
\* it acknowledges nothing in lower views, and the promise says all that it ever did.
\* Go: model/atomic machine.leave.
Leave(r, v) ==
  /\ v > view[r]
  /\ view' = [view EXCEPT ![r] = v]
  /\ status' = [status EXCEPT ![r] = "view_change"]
  /\ \E H \in Fetched(r), p \in Left(r) :
       /\ held' = [held EXCEPT ![r] = H]
       /\ Facts([p EXCEPT ![v] = @ \cup
                  {[replica |-> r, log_view |-> log_view[r], commit |-> executed[r],
                    log |-> log[r], present |-> H]}],
                starts, oks)
  /\ UNCHANGED <<log_view, log_view_durable, log, executed, requests, committed>>

\* What a view starts with, by promises D: of those of the highest log view the longest
\* log, up to the first entry that none of D holds, unless it was executed.  R12.
Decides(D, l) ==
  \E m \in D :
    /\ \A n \in D : n.log_view <= m.log_view
    /\ \A n \in D : n.log_view = m.log_view => Len(n.log) <= Len(m.log)
    /\ Len(l) <= Len(m.log) /\ l = SubSeq(m.log, 1, Len(l))
    /\ LET safe(i) == \/ \E n \in D : i <= n.commit
                      \/ \E n \in D : m.log[i] \in n.present
       IN /\ \A i \in 1..Len(l) : safe(i)
          /\ Len(l) < Len(m.log) => ~safe(Len(l) + 1)

\* p leads view v with log l, all of which it holds.
Lead(p, v, l) ==
  /\ status' = [status EXCEPT ![p] = "normal"]
  /\ log_view' = [log_view EXCEPT ![p] = v]
  /\ log_view_durable' = IF LazyLogView THEN [log_view_durable EXCEPT ![p] = v]
                         ELSE log_view_durable
  /\ log' = [log EXCEPT ![p] = l]
  /\ held' = [held EXCEPT ![p] = Entries(l)]
  /\ UNCHANGED view
  /\ Facts(promises, [starts EXCEPT ![v] = @ \cup {l}], oks)
  /\ UNCHANGED <<executed, requests, committed>>

\* StartView(p, S): with the promises of quorum S the new primary decides the log of
\* its view, holds all of it and leads.  A view starts once: to start it, its primary
\* must be changing to it.  R12, R13.
\* Go: model/atomic machine.startView.
StartView(p, S) ==
  /\ status[p] = "view_change" /\ Primary(view[p]) = p /\ p \in S
  /\ LET D == { m \in promises[view[p]] : m.replica \in S }
         counted == IF Bug("promise_alone") THEN {p} ELSE S
     IN /\ \A s \in counted : \E m \in D : m.replica = s
        /\ \E m \in D : \E n \in 0..Len(m.log) :
             /\ Decides(D, SubSeq(m.log, 1, n))
             /\ Lead(p, view[p], SubSeq(m.log, 1, n))

\* StartAgain(p): mutant only.  A primary that has crashed starts its view again.
\* Go: model/atomic machine.startAgain.
StartAgain(p) ==
  /\ Bug("start_again") /\ status[p] = "recovering" /\ Primary(view[p]) = p
  /\ held[p] = Entries(log[p]) /\ Lead(p, view[p], log[p])

\* The logs that view v has had: the one that it started with, and what was added.
LogsOf(v) ==
  { l \o [i \in 1..n |-> CHOOSE e \in prepared[v] : e.op = Len(l) + i] :
      l \in starts[v],
      n \in { k \in 0..MaxRequest : \A i \in 1..k :
                \A m \in starts[v] : \E e \in prepared[v] : e.op = Len(m) + i } }

\* What r may hold of log l once it has adopted it: all that it held before, at least;
\* its journal may have more.  Under LazyLogView what lies above a hole is rewritten.
HeldOf(r, l) ==
  IF LazyLogView
  THEN { Entries(SubSeq(l, 1, n)) : n \in Unbroken(l, held[r])..Len(l) }
  ELSE { H \in SUBSET Entries(l) : held[r] \cap Entries(l) \subseteq H }

\* Adopt(r, v): a replica takes the log of view v, as it was at the start or later: not
\* without what it took of v before it crashed, since it may have acknowledged that
\* (R3, R4), and not in the view that it follows (R7).
\* Go: model/atomic machine.adopt.
Adopt(r, v) ==
  /\ Primary(v) # r
  /\ IF status[r] = "normal" THEN v > view[r] ELSE v >= view[r]
  /\ \E l \in LogsOf(v) :
       /\ \A e \in Entries(log[r]) : e.view = v => e \in Entries(l)
       /\ log' = [log EXCEPT ![r] = l]
       /\ \E H \in HeldOf(r, l) :
            /\ held' = [held EXCEPT ![r] = H]
            /\ log_view_durable' = IF LazyLogView /\ H = Entries(l)
                                   THEN [log_view_durable EXCEPT ![r] = v]
                                   ELSE log_view_durable
            /\ view' = [view EXCEPT ![r] = v] /\ log_view' = [log_view EXCEPT ![r] = v]
            /\ status' = [status EXCEPT ![r] = "normal"]
            /\ \E p \in Left(r), o \in Acknowledged(r, v, l, H, H) : Facts(p, starts, o)
  /\ UNCHANGED <<executed, requests, committed>>

\* Crash(r): r crashes and comes back with its log, what it holds of it, its view and
\* its log view.  Under LazyLogView it comes back with less.
\* Go: model/atomic machine.crash.
Crash(r) ==
  /\ status' = [status EXCEPT ![r] = "recovering"]
  /\ executed' = [executed EXCEPT ![r] = 0]
  /\ \E H \in Fetched(r) :
       LET l == IF LazyLogView THEN SubSeq(log[r], 1, Unbroken(log[r], H)) ELSE log[r]
       IN /\ log' = [log EXCEPT ![r] = l]
          /\ held' = [held EXCEPT ![r] = H \cap Entries(l)]
  /\ log_view' = IF LazyLogView THEN [log_view EXCEPT ![r] = log_view_durable[r]]
                 ELSE log_view
  /\ UNCHANGED view
  /\ \E p \in Left(r) : Facts(p, starts, oks)
  /\ UNCHANGED <<log_view_durable, requests, committed>>

Next ==
  \/ \E r \in Replicas :
       \/ Prepare(r) \/ Accept(r) \/ Fill(r) \/ AcknowledgeLate(r) \/ Commit(r)
       \/ Execute(r) \/ StartAgain(r) \/ Crash(r)
  \/ \E r \in Replicas, v \in Views : Leave(r, v) \/ Adopt(r, v)
  \/ \E r \in Replicas, S \in Quorums : StartView(r, S)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* What is said here, and so holds of VSR through the refinement.

\* The highest view that has started did so with everything that is committed of earlier
\* views, also with what is committed only afterwards.  (A lower view may start after it,
\* with less: nobody follows it.)
\* Mutants promise_alone, ack_after_leaving.
StartsWithCommitted ==
  \A v \in Views : (\A w \in Views : w > v => starts[w] = {}) =>
    \A l \in starts[v] : \A i \in 1..Len(committed) :
      committed[i].view < v => i <= Len(l) /\ l[i] = committed[i]

\* A committed entry is held by a quorum.
\* Mutants promise_alone, ack_after_leaving.
CommittedHeld ==
  \A i \in 1..Len(committed) :
    Cardinality({ r \in Replicas : i <= Len(log[r]) /\ log[r][i] = committed[i]
                                   /\ committed[i] \in held[r] }) >= Quorum

\* What a replica has executed is what is committed, and it has it in its log: also a
\* replica that nobody follows any more.
\* Mutant executes_uncommitted.
ExecutedCommitted ==
  \A r \in Replicas : \A i \in 1..executed[r] :
    i <= Len(committed) /\ i <= Len(log[r]) /\ log[r][i] = committed[i]

\* A view starts once.
\* Mutant start_again.
StartsOnce == \A v \in Views : Cardinality(starts[v]) <= 1
=============================================================================
