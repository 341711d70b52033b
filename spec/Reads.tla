-------------------------------- MODULE Reads --------------------------------
(* Reads that do not go through the log: what a replica must have heard, and   *)
(* when, before it may answer one.  R19.  VRR 6.3 has them under leases; the   *)
(* round that takes the lease's place is Raft's ReadIndex.                     *)
(*                                                                             *)
(* A read that arrives at a primary gets a read index: what is committed       *)
(* there, and at least the head of the log with which the view began.  The     *)
(* primary then asks the others whether they are still in its view, with the   *)
(* read's identity in the question and in the answer.  It answers once a       *)
(* replication quorum, itself included, has said so and it has executed the    *)
(* log up to the index.  Why that is enough: an op acknowledged before the     *)
(* read arrived was committed in this view, and then the primary knew; or in   *)
(* a lower one, and then it was inherited; or in a higher one, and then a view *)
(* change quorum had left this view before the read arrived, and one of them   *)
(* is in every replication quorum (Replication + ViewChange > N).              *)
(*                                                                             *)
(* Abstractions, each with the argument why a finer system refines it:         *)
(*  - the log is a sequence of views: op and view name a prepare, as the       *)
(*    primary of a view gives an op once.  Every entry has its body: a new     *)
(*    primary repairs before it starts, and no body is lost.  VSR has both;    *)
(*  - leaving a view and voting is one step that needs no quorum of            *)
(*    StartViewChange: more votes than a finer system has.  The votes are      *)
(*    messages; merging a quorum of them and starting the view is one step,    *)
(*    since nobody sees what is in between;                                    *)
(*  - a backup acknowledges all of its log, so that one number per replica and *)
(*    view stands for its PrepareOKs; the network hands out any earlier one;   *)
(*  - messages stay receivable and no step is forced: loss, delay, duplication *)
(*    and reordering are free.  A deposed primary goes on in its view until it *)
(*    hears of another;                                                        *)
(*  - replicas do not restart.  View and log are durable before a message      *)
(*    speaks for them (R1, R2; a confirmation is such a message), and a        *)
(*    restart loses the reads that wait: the same as a replica that leaves its *)
(*    view, but that the read's identity must name the boot, so that answers   *)
(*    to an older boot's read do not count (R4);                               *)
(*  - an op is acknowledged in the step in which the primary executes it, and  *)
(*    a read arrives when the client sends it.  Both make the demand stronger: *)
(*    in a finer system the client knows later and has asked earlier;          *)
(*  - a read that is sent again is another read, and which client reads is     *)
(*    left out: the order demanded of all reads is demanded of one client's.   *)
(* Not modelled: one round for many reads, which is the same round if it       *)
(* begins after the last of them has arrived.                                  *)
(*                                                                             *)
(* A backup that shall answer by itself (it has the client, and what the       *)
(* answer depends on beside the log) asks the primary how far the log has come *)
(* and waits until it has executed that much: the same read, whose answer is   *)
(* given elsewhere and later (AnswerIndex).  A read that a backup hands on to  *)
(* the primary is one that arrives there.                                      *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,       \* Replicas are 0..N-1; view v is led by v % N.
          MaxOp,   \* Length of a log.
          MaxView, \* Highest view number.
          MaxRead, \* Reads in one behaviour.
          MaxTick, \* Ticks of each replica's own clock, which no other replica knows.
          Local,   \* BOOLEAN: replicas answer reads from what they have executed.
          Asking,  \* BOOLEAN: backups answer reads by an index that they ask for.
          Bugs     \* Deliberate defects, a subset of BugNames.

BugNames ==
  { "read_without_round",      \* R19: a primary answers for being primary
    "round_before_arrival",    \* R19: confirmations of an earlier read count
    "prepare_ok_confirms",     \* R19: so does any PrepareOK of the view
    "confirm_any_view",        \* R19: a replica confirms a view that it is not in
    "confirm_by_log_view",     \* R19: it confirms the view of its log, after its vote
    "primary_counts_twice",    \* R19: one less than a replication quorum is enough
    "lease_by_clock",          \* R19: until its own clock ticks a primary need not ask
    "inherited_not_committed", \* R19: a new primary's index ignores the inherited log
    "answer_before_execute",   \* R19: the index is taken and not waited for
    "read_prepared",           \* R19: reads see ops that are prepared only
    "local_read_labelled_linearizable", \* R19: a local read says that it is more
    "index_without_round",     \* R19: a primary tells a backup the index for being primary
    "own_commit_is_index",     \* R19: a backup takes what it knows as committed for the index
    "answer_before_reached",   \* R19: a backup is told the index and does not wait for it
    "commit_own_view_first",   \* R10: inherited ops commit after one of the view only
    "newest_round_only" }      \* R10: a new read takes the place of the one that waits

ASSUME /\ N \in Nat \ {0} /\ MaxOp \in Nat /\ MaxView \in Nat /\ MaxRead \in Nat
       /\ MaxTick \in Nat /\ Local \in BOOLEAN /\ Asking \in BOOLEAN /\ Bugs \subseteq BugNames

VARIABLES status,       \* [Replicas -> {"normal", "view_change"}]
          view,         \* [Replicas -> Views]
          log_view,     \* [Replicas -> Views]: the last view in which its log changed
          log,          \* [Replicas -> Seq(Views)]: place i holds the view of op i
          commit_min,   \* [Replicas -> Nat]: executed up to here
          commit_max    \* [Replicas -> Nat]: known to be committed up to here
\* The network, per view.
VARIABLES started,      \* the views that have started
          prepares,     \* [Views -> Seq(Views)]: the log of its primary, as sent
          inherited,    \* [Views -> Nat]: how much of it the view began with
          commits,      \* [Views -> Nat]: the highest commit number sent
          prepare_oks,  \* [Views -> [Replicas -> Nat]]: acknowledged up to here
          votes         \* [Views -> set of [replica, log_view, log, commit]]
VARIABLES reads,        \* a sequence; what a read is stands at NewRead
          clock,        \* [Replicas -> 0..MaxTick]; no action but Tick looks at it
          acknowledged, \* ghost: the highest op acknowledged to its client
          committed     \* ghost: the log that is committed
replicaVars == <<status, view, log_view, log, commit_min, commit_max>>
viewNetwork == <<started, prepares, inherited, commits, prepare_oks, votes>>
ghosts      == <<acknowledged, committed>>
vars        == <<replicaVars, viewNetwork, reads, clock, ghosts>>

Replicas == 0..N-1
Views    == 0..MaxView
Primary(v) == v % N
Bug(b) == b \in Bugs
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Prefix(s, n) == SubSeq(s, 1, n)
IsPrefix(s, t) == Len(s) <= Len(t) /\ s = Prefix(t, Len(s))

\* Upstream's quorums.  A round is confirmed by a replication quorum: the smallest
\* number that meets each view change quorum, whatever the size of the group.
Replication == IF N = 2 THEN 2 ELSE Min({3, (N + 1) \div 2})
ViewChange  == IF N = 2 THEN 2 ELSE N - Replication + 1
ASSUME Replication + ViewChange > N

IsPrimary(r) == status[r] = "normal" /\ Primary(view[r]) = r
IsBackup(r)  == status[r] = "normal" /\ Primary(view[r]) # r

Waiting(x) == x.label = "waiting"

\* Reads that wait at r: r leaves its view and gives them up; clients ask again.
GivenUp == [label |-> "given_up", at |-> 0, view |-> 0, index |-> 0, asker |-> 0,
            confirmed |-> {}, floor |-> 0, seen |-> 0, shown |-> <<>>]
GiveUpReads(r) ==
  reads' = [i \in 1..Len(reads) |->
              IF Waiting(reads[i]) /\ reads[i].at = r THEN GivenUp ELSE reads[i]]

\* Messages that nobody can act on are removed in the step that makes them useless.
NoOKs == [r \in Replicas |-> 0]
PrepareOKUseful(v) == status[Primary(v)] = "normal" /\ view[Primary(v)] = v
VoteUseful(v) == \/ view[Primary(v)] < v
                 \/ view[Primary(v)] = v /\ status[Primary(v)] = "view_change"
Gc(oks, sent) ==
  /\ prepare_oks' = [v \in Views |-> IF PrepareOKUseful(v)' THEN oks[v] ELSE NoOKs]
  /\ votes' = [v \in Views |-> IF VoteUseful(v)' THEN sent[v] ELSE {}]

Init ==
  /\ status = [r \in Replicas |-> "normal"]
  /\ view = [r \in Replicas |-> 0]
  /\ log_view = [r \in Replicas |-> 0]
  /\ log = [r \in Replicas |-> <<>>]
  /\ commit_min = [r \in Replicas |-> 0]
  /\ commit_max = [r \in Replicas |-> 0]
  /\ started = {0}
  /\ prepares = [v \in Views |-> <<>>]
  /\ inherited = [v \in Views |-> 0]
  /\ commits = [v \in Views |-> 0]
  /\ prepare_oks = [v \in Views |-> NoOKs]
  /\ votes = [v \in Views |-> {}]
  /\ reads = <<>>
  /\ clock = [r \in Replicas |-> 0]
  /\ acknowledged = 0
  /\ committed = <<>>

-----------------------------------------------------------------------------
\* The log, as in Normal and CommitWalk.

\* ClientRequest(p): the primary prepares a request.  VRR 4.1, steps 1 to 3.
\* Go: model/reads clientRequest.
ClientRequest(p) ==
  /\ IsPrimary(p) /\ Len(log[p]) < MaxOp
  /\ log' = [log EXCEPT ![p] = Append(@, view[p])]
  /\ prepares' = [prepares EXCEPT ![view[p]] = log'[p]]
  /\ UNCHANGED <<status, view, log_view, commit_min, commit_max, started, inherited,
                 commits, prepare_oks, votes, reads, clock, ghosts>>

\* ReceivePrepare(r): a backup stores the next op and acknowledges it.  VRR 4.1, 4.
\* Go: model/reads receivePrepare.
CanReceivePrepare(r) == IsBackup(r) /\ Len(log[r]) < Len(prepares[view[r]])
ReceivePrepare(r) ==
  LET v == view[r]
      op == Len(log[r]) + 1
  IN /\ CanReceivePrepare(r)
     /\ log' = [log EXCEPT ![r] = Append(@, prepares[v][op])]
     /\ prepare_oks' = IF PrepareOKUseful(v)
                       THEN [prepare_oks EXCEPT ![v][r] = op] ELSE prepare_oks
     /\ UNCHANGED <<status, view, log_view, commit_min, commit_max, started, prepares,
                    inherited, commits, votes, reads, clock, ghosts>>

\* PrimaryCommit(p): a replication quorum holds the next op.  VRR 4.1, step 5.
\* Go: model/reads primaryCommit.
Held(p, op) ==
  LET by == { r \in Replicas : r = p \/ prepare_oks[view[p]][r] >= op }
  IN Cardinality(by) >= Replication
CanCommit(p) ==
  LET above == commit_max[p] + 1 .. Len(log[p])
  IN /\ IsPrimary(p) /\ above # {} /\ Held(p, commit_max[p] + 1)
     /\ Bug("commit_own_view_first") =>
          \E op \in above : log[p][op] = view[p] /\ Held(p, op)
PrimaryCommit(p) ==
  LET op == commit_max[p] + 1
  IN /\ CanCommit(p)
     /\ commit_max' = [commit_max EXCEPT ![p] = op]
     /\ commits' = [commits EXCEPT ![view[p]] = op]
     /\ committed' = IF op > Len(committed) THEN Append(committed, log[p][op])
                     ELSE committed
     /\ UNCHANGED <<status, view, log_view, log, commit_min, started, prepares,
                    inherited, prepare_oks, votes, reads, clock, acknowledged>>

\* ReceiveCommit(r, k): a backup hears commit number k of its view, the newest or an
\* older one.  VRR 4.1, steps 6 and 7.
\* Go: model/reads receiveCommit.
ReceiveCommit(r, k) ==
  /\ IsBackup(r) /\ commit_max[r] < k /\ k <= Min({commits[view[r]], Len(log[r])})
  /\ commit_max' = [commit_max EXCEPT ![r] = k]
  /\ UNCHANGED <<status, view, log_view, log, commit_min, viewNetwork, reads, clock,
                 ghosts>>

\* WalkExecute(r): r executes the next op; a primary acknowledges it to its client.
\* VRR 4.1, steps 5 and 7; R5.
\* Go: model/reads walkExecute.
CanExecute(r) == commit_min[r] < commit_max[r]
WalkExecute(r) ==
  LET op == commit_min[r] + 1
  IN /\ CanExecute(r)
     /\ commit_min' = [commit_min EXCEPT ![r] = op]
     /\ acknowledged' = IF IsPrimary(r) THEN Max({acknowledged, op}) ELSE acknowledged
     /\ UNCHANGED <<status, view, log_view, log, commit_max, viewNetwork, reads, clock,
                    committed>>

-----------------------------------------------------------------------------
\* The change of views, as in ViewChange.

\* What the mutant lease_by_clock believes: in view 0 nobody leaves before the first
\* tick, so that until then its primary is the only one.  Each looks at its own clock.
Leased(r) == Bug("lease_by_clock") /\ view[r] = 0 /\ clock[r] = 0

\* SendDoViewChange(r, v): r leaves its view and hands its log to the primary of view
\* v.  From here on it confirms no lower view.  VRR 4.2, steps 1 and 2.
\* Go: model/reads sendDoViewChange.
SendDoViewChange(r, v) ==
  /\ view[r] < v /\ ~Leased(r)
  /\ view' = [view EXCEPT ![r] = v]
  /\ status' = [status EXCEPT ![r] = "view_change"]
  /\ GiveUpReads(r)
  /\ Gc(prepare_oks, [votes EXCEPT ![v] = @ \cup
          {[replica |-> r, log_view |-> log_view[r], log |-> log[r],
            commit |-> commit_max[r]]}])
  /\ UNCHANGED <<log_view, log, commit_min, commit_max, started, prepares, inherited,
                 commits, clock, ghosts>>

\* BecomePrimary(p): the new primary has a quorum of votes, its own among them, takes
\* the longest log of the highest log view, and starts the view.  VRR 4.2, steps 3, 4.
\* Go: model/reads becomePrimary.
NotAbove(a, b) == \/ a.log_view < b.log_view
                  \/ a.log_view = b.log_view /\ Len(a.log) <= Len(b.log)
Canonical(D) == CHOOSE m \in D : \A n \in D : NotAbove(n, m)
BecomePrimary(p) ==
  /\ status[p] = "view_change" /\ Primary(view[p]) = p
  /\ \E D \in SUBSET votes[view[p]] :
       LET v == view[p]
           merged == Canonical(D).log
           known == Max({ m.commit : m \in D })
       IN /\ Cardinality(D) = ViewChange /\ \E m \in D : m.replica = p
          /\ status' = [status EXCEPT ![p] = "normal"]
          /\ log_view' = [log_view EXCEPT ![p] = v]
          /\ log' = [log EXCEPT ![p] = merged]
          /\ commit_max' = [commit_max EXCEPT ![p] = known]
          /\ started' = started \cup {v}
          /\ prepares' = [prepares EXCEPT ![v] = merged]
          /\ inherited' = [inherited EXCEPT ![v] = Len(merged)]
          /\ commits' = [commits EXCEPT ![v] = known]
          /\ UNCHANGED view
          /\ Gc(prepare_oks, votes)
  /\ UNCHANGED <<commit_min, reads, clock, ghosts>>

\* ReceiveStartView(r, v): r adopts the log with which view v began, and acknowledges
\* it.  VRR 4.2, step 5.
\* Go: model/reads receiveStartView.
ReceiveStartView(r, v) ==
  /\ v \in started /\ Primary(v) # r
  /\ \/ view[r] < v
     \/ view[r] = v /\ status[r] = "view_change"
  /\ view' = [view EXCEPT ![r] = v]
  /\ status' = [status EXCEPT ![r] = "normal"]
  /\ log_view' = [log_view EXCEPT ![r] = v]
  /\ log' = [log EXCEPT ![r] = Prefix(prepares[v], inherited[v])]
  /\ GiveUpReads(r)
  /\ Gc([prepare_oks EXCEPT ![v][r] = inherited[v]], votes)
  /\ UNCHANGED <<commit_min, commit_max, started, prepares, inherited, commits, clock,
                 ghosts>>

-----------------------------------------------------------------------------
\* Reads.

\* What a read from r shows: the log that it has executed.
Shown(r) == IF Bug("read_prepared") THEN log[r] ELSE Prefix(log[r], commit_min[r])

\* What any linearizable read has shown so far.
Linearizable == { i \in 1..Len(reads) : reads[i].label = "linearizable" }
Seen == Max({0} \cup { Len(reads[i].shown) : i \in Linearizable })

\* The index: what is committed here, and whatever the view began with.
Index(p) == IF Bug("inherited_not_committed") THEN commit_max[p]
            ELSE Max({commit_max[p], inherited[view[p]]})

\* A read.  label: "waiting" for its round, "indexed", "linearizable", "serializable" or
\* "given_up"; at, view, index: where it waits, for what; asker: who answers it then;
\* confirmed: the others that have confirmed the view to it; floor and seen, ghosts: what
\* was acknowledged, and what reads had shown, when it arrived; shown: the answer.  What
\* is of no more use is empty.
NewRead(p) == [GivenUp EXCEPT !.label = "waiting", !.at = p, !.view = view[p], !.asker = p,
                              !.index = Index(p), !.floor = acknowledged, !.seen = Seen]

\* ReceiveRead(p): a read arrives at a replica that believes that it is primary.
\* Go: model/reads receiveRead.
ReceiveRead(p) ==
  /\ IsPrimary(p) /\ Len(reads) < MaxRead
  /\ reads' = Append(reads, NewRead(p))
  /\ UNCHANGED <<replicaVars, viewNetwork, clock, ghosts>>

\* AskIndex(r, p): backup r, of whatever view and status, asks p for the index of a read.
\* Go: model/reads askIndex; impl/node catalogue.reach (after readStrictly of CodePing).
Indexed(r, v, index) ==
  [GivenUp EXCEPT !.label = "indexed", !.at = r, !.view = v, !.index = index,
                  !.floor = acknowledged, !.seen = Seen]
AskIndex(r, p) ==
  /\ Asking /\ r # p /\ IsPrimary(p) /\ Len(reads) < MaxRead
  /\ reads' = Append(reads,
       IF Bug("own_commit_is_index") THEN Indexed(r, view[p], commit_max[r])
       ELSE IF Bug("index_without_round") THEN Indexed(r, view[p], Index(p))
       ELSE [NewRead(p) EXCEPT !.asker = r])
  /\ UNCHANGED <<replicaVars, viewNetwork, clock, ghosts>>

\* ConfirmView(r, i): r is asked for read i whether it is in the view, and it is.  It
\* need not have adopted the view's log, only not have left for a higher one.
\* Go: model/reads confirmView.
CanConfirm(r, i) ==
  LET x == reads[i]
  IN /\ Waiting(x) /\ r # x.at /\ r \notin x.confirmed
     /\ \/ view[r] = x.view
        \/ Bug("confirm_any_view")
        \/ Bug("confirm_by_log_view") /\ log_view[r] = x.view
     /\ Bug("newest_round_only") => i = Len(reads)
ConfirmView(r, i) ==
  /\ CanConfirm(r, i)
  /\ reads' = [reads EXCEPT ![i].confirmed = @ \cup {r}]
  /\ UNCHANGED <<replicaVars, viewNetwork, clock, ghosts>>

\* Who counts as having confirmed the view to read i: those who were asked after it
\* had arrived, and the primary itself.
Confirmers(i) ==
  LET x == reads[i]
      earlier == { j \in 1..i : Waiting(reads[j]) /\ reads[j].at = x.at }
  IN {x.at} \cup x.confirmed
     \cup (IF Bug("round_before_arrival")
           THEN UNION { reads[j].confirmed : j \in earlier } ELSE {})
     \cup (IF Bug("prepare_ok_confirms")
           THEN { r \in Replicas : prepare_oks[x.view][r] > 0 } ELSE {})
Confirmed(i) ==
  \/ Cardinality(Confirmers(i))
       + (IF Bug("primary_counts_twice") THEN 1 ELSE 0) >= Replication
  \/ Bug("read_without_round")
  \/ Leased(reads[i].at)

\* AnswerRead(i): the round is complete and the log executed up to the index.  A backup
\* that has been told the index may have left the view since: what it has executed counts.
\* Go: model/reads answerRead.
CanAnswer(i) ==
  LET x == reads[i]
  IN \/ /\ Waiting(x) /\ Confirmed(i) /\ x.asker = x.at
        /\ commit_min[x.at] >= x.index \/ Bug("answer_before_execute")
     \/ /\ x.label = "indexed"
        /\ commit_min[x.at] >= x.index \/ Bug("answer_before_reached")
Answered(x, label, shown) ==
  [GivenUp EXCEPT !.label = label, !.shown = shown, !.floor = x.floor, !.seen = x.seen]
AnswerRead(i) ==
  /\ CanAnswer(i)
  /\ reads' = [reads EXCEPT ![i] = Answered(@, "linearizable", Shown(reads[i].at))]
  /\ UNCHANGED <<replicaVars, viewNetwork, clock, ghosts>>

\* AnswerIndex(i): the round is complete, and the primary tells the asker how far it has
\* executed, once that is the index.  It waits there from then on, in whatever view.
\* Go: model/reads answerIndex; impl/node group.read.
CanAnswerIndex(i) ==
  LET x == reads[i]
  IN Waiting(x) /\ Confirmed(i) /\ x.asker # x.at /\ commit_min[x.at] >= x.index
AnswerIndex(i) ==
  LET x == reads[i]
  IN /\ CanAnswerIndex(i)
     /\ reads' = [reads EXCEPT ![i] =
          [Indexed(x.asker, x.view, commit_min[x.at]) EXCEPT !.floor = x.floor,
                                                             !.seen = x.seen]]
     /\ UNCHANGED <<replicaVars, viewNetwork, clock, ghosts>>

\* ReadLocally(r): any replica answers from what it has executed, without asking
\* anybody, and says that the answer may be old.
\* Go: model/reads readLocally.
ReadLocally(r) ==
  /\ Local /\ Len(reads) < MaxRead
  /\ reads' = Append(reads,
       IF Bug("local_read_labelled_linearizable")
       THEN Answered(NewRead(r), "linearizable", Shown(r))
       ELSE Answered(GivenUp, "serializable", Shown(r)))
  /\ UNCHANGED <<replicaVars, viewNetwork, clock, ghosts>>

\* Tick(r): r's clock goes on, faster or slower than the others'.
\* Go: model/reads tick.
Tick(r) ==
  /\ clock[r] < MaxTick
  /\ clock' = [clock EXCEPT ![r] = @ + 1]
  /\ UNCHANGED <<replicaVars, viewNetwork, reads, ghosts>>

Next ==
  \/ \E p \in Replicas : ClientRequest(p)
  \/ \E r \in Replicas : ReceivePrepare(r)
  \/ \E p \in Replicas : PrimaryCommit(p)
  \/ \E r \in Replicas, k \in 1..MaxOp : ReceiveCommit(r, k)
  \/ \E r \in Replicas : WalkExecute(r)
  \/ \E r \in Replicas, v \in Views : SendDoViewChange(r, v)
  \/ \E p \in Replicas : BecomePrimary(p)
  \/ \E r \in Replicas, v \in Views : ReceiveStartView(r, v)
  \/ \E p \in Replicas : ReceiveRead(p)
  \/ \E r \in Replicas, p \in Replicas : AskIndex(r, p)
  \/ \E r \in Replicas, i \in 1..Len(reads) : ConfirmView(r, i)
  \/ \E i \in 1..Len(reads) : AnswerIndex(i)
  \/ \E i \in 1..Len(reads) : AnswerRead(i)
  \/ \E r \in Replicas : ReadLocally(r)
  \/ \E r \in Replicas : Tick(r)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* ReadFresh: a linearizable read shows every op that was acknowledged when it
\* arrived.  Mutants read_without_round, round_before_arrival, prepare_ok_confirms,
\* confirm_any_view, primary_counts_twice, lease_by_clock, inherited_not_committed,
\* answer_before_execute, local_read_labelled_linearizable, index_without_round,
\* own_commit_is_index and answer_before_reached break it; and confirm_by_log_view where
\* two replication quorums need not meet: four replicas.
ReadFresh == \A i \in Linearizable : Len(reads[i].shown) >= reads[i].floor

\* ReadOrder: it shows all that any linearizable read had shown when it arrived, so
\* that the reads of one client never go back.  Mutants read_without_round and
\* local_read_labelled_linearizable break it.
ReadOrder == \A i \in Linearizable : Len(reads[i].shown) >= reads[i].seen

\* ReadReal: it shows committed ops only.  Mutant read_prepared breaks it.
ReadReal == \A i \in Linearizable : IsPrefix(reads[i].shown, committed)

\* SerializablePrefix: so does a local read, which may be old and says so.  Mutant
\* read_prepared breaks it.
SerializablePrefix ==
  \A i \in 1..Len(reads) :
    reads[i].label = "serializable" => IsPrefix(reads[i].shown, committed)

\* NoStall: a read that waits at a primary which a replication quorum follows can
\* be answered, or some step that brings it nearer can be taken; and so can one that
\* waits at a backup of that view.  Such steps only consume, so it is answered, also if no
\* client ever sends another request.  Mutants commit_own_view_first and
\* newest_round_only break it.
InView(v) == { r \in Replicas : status[r] = "normal" /\ view[r] = v }
NoStall ==
  \A i \in 1..Len(reads) :
    LET x == reads[i]
    IN /\ Waiting(x) /\ Cardinality(InView(x.view)) >= Replication
          => \/ CanAnswer(i) \/ CanAnswerIndex(i) \/ CanExecute(x.at) \/ CanCommit(x.at)
             \/ \E r \in InView(x.view) : CanConfirm(r, i) \/ CanReceivePrepare(r)
       /\ x.label = "indexed" /\ x.at \in InView(x.view)
          => \/ CanAnswer(i) \/ CanExecute(x.at) \/ CanReceivePrepare(x.at)
             \/ commit_max[x.at] < commits[x.view]
=============================================================================
