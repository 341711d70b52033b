----------------------------- MODULE TransferLog -----------------------------
(* The log of a group whose replicas release what a checkpoint covers: constants, *)
(* variables, and how an op is prepared, committed, repaired and taken over into  *)
(* the next view (R5-R7, R9-R11, R13).  TransferInstall.tla has checkpoints and   *)
(* the transfer of one, Transfer.tla the invariants and what is left out.         *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,              \* replicas, 0..N-1
          MaxRequest,     \* requests
          MaxView,        \* highest view
          MaxCrash,       \* restarts, of any replicas
          MaxCheckpoint,  \* local checkpoints, of any replicas
          MaxPipeline,    \* ops that a primary prepares above its commit_max
          MaxSuffix,      \* headers in a StartView, the highest: all that is uncommitted
          MaxWindow,      \* missing bodies that a replica asks for at a time
          Chunks,         \* pieces in which a checkpoint is fetched
          PrepareDuring,  \* BOOLEAN: a transferring replica prepares and acknowledges
          Retain,         \* BOOLEAN: a sender keeps the checkpoint that it serves
          LateStartViews, \* BOOLEAN: the StartView of a view may arrive at any time later
          WrongSender,    \* BOOLEAN: senders offer their head, which may not be committed
          Bugs            \* deliberate defects
BugNames ==
  { "suffixless_adoption_trusts_old_entries", \* R11: adoption keeps all below the head
    "no_chain_check_below_suffix",          \* R11: adoption keeps all below the suffix
    "walk_by_op_not_checksum",              \* R5: the walk takes any body of that op
    "startview_never_raises_head",          \* R7: a StartView of the own view is ignored
    "startview_lowers_head",                \* R7: an old StartView of the own view is adopted
    "late_answer_to_probe",                 \* R4: a recovering replica adopts an old StartView
    "repair_stops_at_commit",               \* R9: asks for no body above commit max
    "serve_stops_at_commit",                \* R9: serves no body above commit max
    "window_stands_still",                  \* R9: the window is counted from commit min
    "acks_carry_no_commit",                 \* R11: a primary does not learn of backups
    "barrier_never_lowered",                \* R11: boot's barrier outlives its suffix
    "no_barrier",                           \* R11: a primary admits requests at once
    "hole_disowns",                         \* R12: a vote with a hole disowns the op
    "view_change_keeps_transfer",           \* R21: a fetch goes on without the log it is for
    "view_change_drops_install",            \* R21: an install is dropped half done
    "transfer_keeps_dead_suffix",           \* R21: an old log is kept above the target
    "transfer_jumps_view_before_log",       \* R21: the new log view with a truncated log
    "vote_while_transferring_with_old_log", \* R21: the new log view with the old log
    "transfer_rewinds",                     \* R21: the walk goes on, the install goes back
    "install_truncates",                    \* R21: an install drops the log above its target
    "ack_while_transferring",               \* R21: the same, and it acknowledges meanwhile
    "acks_withheld_stay_withheld",          \* R21: an abandoned transfer leaves them owed
    "install_not_atomic",                   \* R21: the release comes before the snapshot
    "pairing_before_snapshot",              \* R17: the pairing names a snapshot yet to come
    "serve_checkpoint_ahead_of_commit",     \* R21: a head is offered, and nobody compares
    "sticky_repair_peer",                   \* R21: never another sender
    "chunks_of_two_checkpoints",            \* R21: chunks of another checkpoint are added
    "elect_never_transfers",                \* R21: only a backup transfers
    "no_transfer",                          \* R21: release, but no transfer
    "loose" }                               \* R21, rejected: any live peer's checkpoint
ASSUME /\ N \in Nat \ {0} /\ MaxWindow \in Nat \ {0} /\ MaxSuffix \in Nat \ {0}
       /\ Chunks \in Nat \ {0} /\ Bugs \subseteq BugNames

VARIABLES
  status,      \* "normal", "view_change", "recovering": down, or back and asking
  view,        \* the view that the replica is in
  log_view,    \* the view whose log it has (durable together with headers: R2)
  headers,     \* its log; Nil where the header is unknown (a hole) or released
  bodies,      \* stored bodies, by identity
  executed,    \* what it has executed; commit_min is its length
  commit_max,  \* highest op known as committed
  snapshot,    \* durable: the newest complete snapshot
  pairing,     \* durable: the checkpoint that the superblock names
  base,        \* the log up to here is released
  transfer,    \* the state transfer under way
  barrier,     \* a primary admits no request until it has executed so far: boot's head
  prepare_oks, \* at the primary of its view: <<replica, entry>> acknowledged
  start_views, \* [Views -> the StartView that the new primary sent when it started]
  requests, crashes, checkpoints, \* numbers so far
  \* What happened (ghosts).
  view_logs,   \* [Views -> head of the view's log]
  committed,   \* the newest entry that was committed
  rewound      \* a replica executed an op again without a restart
boundVars == <<requests, crashes, checkpoints>>
ghostVars == <<view_logs, committed, rewound>>
viewVars == <<status, view, log_view>>
logVars == <<headers, bodies>>
commitVars == <<executed, commit_max, barrier>>
durableVars == <<snapshot, pairing, base>>
vars == <<status, view, log_view, headers, bodies, executed, commit_max, durableVars,
        transfer, barrier, prepare_oks, start_views, boundVars, ghostVars>>

Replicas == 0..N-1
Views == 0..MaxView
Ops == 1..MaxRequest
Primary(v) == v % N
Bug(b) == b \in Bugs
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y

\* Upstream's quorums.  A nack quorum is as large as that of a view change.
ReplicationQuorum == IF N = 2 THEN 2 ELSE Min({3, (N + 1) \div 2})
ViewChangeQuorum == IF N = 2 THEN 2 ELSE N - ReplicationQuorum + 1
Quorums == { S \in SUBSET Replicas : Cardinality(S) = ViewChangeQuorum }

\* An entry is the sequence of the views in which ops 1..o were prepared: equal entries
\* stand for equal checksums, which name their predecessors.  A replica uses of it the
\* op, the identity, and the identity of the parent.  It also stands for the state after
\* these ops, in executed, snapshot and pairing.
Nil == <<>>
Cut(e, n) == SubSeq(e, 1, IF n < Len(e) THEN n ELSE Len(e))
At(log, i) == IF i \in 1..Len(log) THEN log[i] ELSE Nil
Tip(log) == At(log, Len(log))

\* A transfer.  stage: 0, none; 1, it fetches; 2 to 4, the next is that durable step of
\* the install.  chunks: of each that has come, the checkpoint of which it is one.
NoTransfer == [stage |-> 0, sender |-> 0, target |-> Nil, chunks |-> <<>>]
NoStartView == [headers |-> <<>>, commit_max |-> 0, sent |-> FALSE]

CommitMin(r) == Len(executed[r])
IsPrimary(r) == status[r] = "normal" /\ Primary(view[r]) = r
IsBackup(r) == status[r] = "normal" /\ Primary(view[r]) # r
\* An elect that has merged: it has the log of its view and not yet all bodies.
IsMerged(r) ==
  status[r] = "view_change" /\ Primary(view[r]) = r /\ log_view[r] = view[r]
Live(r) == status[r] # "recovering"
Installing(r) == transfer[r].stage > 1
Stored(r, e) == e \in bodies[r]
Primaries(r) == { p \in Replicas \ {r} : IsPrimary(p) /\ view[p] = view[r] }

Init ==
  /\ status = [r \in Replicas |-> "normal"]
  /\ view = [r \in Replicas |-> 0] /\ log_view = [r \in Replicas |-> 0]
  /\ headers = [r \in Replicas |-> <<>>] /\ bodies = [r \in Replicas |-> {}]
  /\ executed = [r \in Replicas |-> Nil] /\ commit_max = [r \in Replicas |-> 0]
  /\ snapshot = [r \in Replicas |-> Nil] /\ pairing = [r \in Replicas |-> Nil]
  /\ base = [r \in Replicas |-> 0]
  /\ transfer = [r \in Replicas |-> NoTransfer] /\ barrier = [r \in Replicas |-> 0]
  /\ prepare_oks = [r \in Replicas |-> {}]
  /\ start_views = [v \in Views |-> NoStartView]
  /\ requests = 0 /\ crashes = 0 /\ checkpoints = 0
  /\ view_logs = [v \in Views |-> Nil] /\ committed = Nil /\ rewound = FALSE

\* prepare_oks after r has sent, under view v, what it owes for log and stored: one for
\* each op with header and body that the primary does not know as committed.
\* While r transfers (x) they are withheld, and owed at its end.
PrepareOKs(r, v, log, stored, x) ==
  LET p == Primary(v)
      held == { i \in commit_max[p]+1..Len(log) : log[i] # Nil /\ log[i] \in stored }
      sends == x = NoTransfer \/ PrepareDuring \/ Bug("ack_while_transferring")
  IN IF p # r /\ status[p] = "normal" /\ view[p] = v /\ sends
     THEN [prepare_oks EXCEPT ![p] = @ \cup { <<r, log[i]>> : i \in held }, ![r] = {}]
     ELSE [prepare_oks EXCEPT ![r] = {}]
Above(oks, op) == { ok \in oks : Len(ok[2]) > op }

-----------------------------------------------------------------------------
\* Normal operation.  VRR 4.1.

\* ClientRequest(p): p prepares a request.  R11: not before boot's barrier is passed.
\* No log is lost without the barrier.  It is there for the clients: until boot's head is
\* executed, the client table is that of the checkpoint, so the primary would prepare
\* again what is in its log, which apply then ignores (R18: Sessions.tla), and hold those
\* slots of the pipeline.
\* Go: model/transfer machine.clientRequest.
ClientRequest(p) ==
  /\ IsPrimary(p) /\ requests < MaxRequest
  /\ Len(headers[p]) < commit_max[p] + MaxPipeline
  /\ barrier[p] <= CommitMin(p) \/ Bug("no_barrier")
  /\ LET e == Append(Tip(headers[p]), view[p])
     IN /\ headers' = [headers EXCEPT ![p] = Append(@, e)]
        /\ bodies' = [bodies EXCEPT ![p] = @ \cup {e}]
        /\ view_logs' = [view_logs EXCEPT ![view[p]] = e]
  /\ requests' = requests + 1
  /\ UNCHANGED <<viewVars, commitVars, durableVars, transfer, prepare_oks,
                 start_views, committed, rewound, crashes, checkpoints>>

\* ReceivePrepare(r): r takes the next op and acknowledges it.
\* Go: model/transfer machine.receivePrepare.
ReceivePrepare(r) ==
  /\ IsBackup(r)
  /\ transfer[r] = NoTransfer \/ PrepareDuring \/ Bug("ack_while_transferring")
  /\ \E p \in Primaries(r) :
       LET e == At(headers[p], Len(headers[r]) + 1)
       IN /\ Len(headers[r]) < Len(headers[p]) /\ Stored(p, e)
          /\ headers' = [headers EXCEPT ![r] = Append(@, e)]
          /\ bodies' = [bodies EXCEPT ![r] = @ \cup {e}]
          /\ prepare_oks' = PrepareOKs(r, view[r], headers'[r], bodies'[r], transfer[r])
  /\ UNCHANGED <<viewVars, commitVars, durableVars, transfer, start_views, boundVars,
                 ghostVars>>

\* PrimaryCommit(p): a replication quorum holds the next op.
\* Go: model/transfer machine.primaryCommit.
PrimaryCommit(p) ==
  /\ IsPrimary(p) /\ commit_max[p] < Len(headers[p])
  /\ LET op == commit_max[p] + 1
         e == headers[p][op]
         by == {p} \cup { r \in Replicas : <<r, e>> \in prepare_oks[p] }
     IN /\ Cardinality(by) >= ReplicationQuorum
        /\ commit_max' = [commit_max EXCEPT ![p] = op]
        /\ committed' = IF op > Len(committed) THEN Append(committed, e[op])
                        ELSE committed
        /\ prepare_oks' = [prepare_oks EXCEPT ![p] = Above(@, op)]
  /\ UNCHANGED <<viewVars, logVars, executed, durableVars, transfer, barrier,
                 start_views, view_logs, rewound, boundVars>>

\* ReceiveCommit(r, s): a backup hears the commit point of its primary, and a primary
\* what a backup has executed (R11): who has released an op cannot acknowledge it.
\* Go: model/transfer machine.receiveCommit.
ReceiveCommit(r, s) ==
  /\ status[r] = "normal" /\ status[s] = "normal" /\ view[s] = view[r] /\ r # s
  /\ IsPrimary(s) \/ IsPrimary(r)
  /\ LET c == IF IsPrimary(s) THEN commit_max[s]
              ELSE IF Bug("acks_carry_no_commit") THEN 0 ELSE CommitMin(s)
     IN /\ c > commit_max[r]
        /\ commit_max' = [commit_max EXCEPT ![r] = c]
        /\ prepare_oks' = [prepare_oks EXCEPT ![r] = Above(@, c)]
  /\ UNCHANGED <<viewVars, logVars, executed, durableVars, transfer, barrier,
                 start_views, boundVars, ghostVars>>

\* WalkExecute(r): the commit walk executes the next op (R5): its header is known, so it
\* chains to the adopted log; the body is the header's; the parent is what was executed.
\* Go: model/transfer machine.walkExecute.
WalkExecute(r) ==
  /\ status[r] = "normal" /\ (transfer[r] = NoTransfer \/ Bug("transfer_rewinds"))
  /\ LET op == CommitMin(r) + 1
     IN /\ op <= commit_max[r] /\ At(headers[r], op) # Nil
        /\ \E e \in bodies[r] :
             /\ Len(e) = op
             /\ e = headers[r][op] \/ Bug("walk_by_op_not_checksum")
             /\ Cut(e, op - 1) = executed[r]
             /\ executed' = [executed EXCEPT ![r] = e]
        /\ barrier' = [barrier EXCEPT ![r] = IF @ <= op THEN 0 ELSE @]
  /\ UNCHANGED <<viewVars, logVars, commit_max, durableVars, transfer, prepare_oks,
                 start_views, boundVars, ghostVars>>

-----------------------------------------------------------------------------
\* Repair (R9): headers downward by the parent's identity, bodies by identity.  A
\* backup repairs, and an elect that has merged.
Repairs(r) == IsBackup(r) \/ IsMerged(r)

\* RepairHeader(r, i): the header above names its parent; that header comes from a peer's
\* log, or with a body that r or a peer has stored.  A peer may have a hole there and
\* still the body: an elect would wait for ever if it looked at the peers' logs alone.
\* Go: model/transfer machine.repairHeader.
RepairHeader(r, i) ==
  /\ Repairs(r)
  /\ i > CommitMin(r) /\ i < Len(headers[r])
  /\ headers[r][i] = Nil /\ headers[r][i+1] # Nil
  /\ LET e == Cut(headers[r][i+1], i)
     IN /\ \/ Stored(r, e)
           \/ \E s \in Replicas \ {r} :
                Live(s) /\ (Stored(s, e) \/ (i > base[s] /\ At(headers[s], i) = e))
        /\ headers' = [headers EXCEPT ![r][i] = e]
        /\ prepare_oks' = PrepareOKs(r, view[r], headers'[r], bodies[r], transfer[r])
  /\ UNCHANGED <<viewVars, bodies, commitVars, durableVars, transfer, start_views,
                 boundVars, ghostVars>>

\* The window: the lowest missing bodies up to the head.  Counted from commit min it
\* would stand still at an elect, which executes nothing before it has started.
Missing(r) ==
  { i \in CommitMin(r)+1..Len(headers[r]) :
      headers[r][i] # Nil /\ ~Stored(r, headers[r][i]) }
Asks(r, i) ==
  /\ i \in Missing(r)
  /\ IF Bug("window_stands_still") THEN i <= CommitMin(r) + MaxWindow
     ELSE Cardinality({ j \in Missing(r) : j < i }) < MaxWindow
  /\ Bug("repair_stops_at_commit") => i <= commit_max[r]
\* What s serves: any body that it holds, up to its head.
Serves(s, e) ==
  /\ Live(s) /\ Stored(s, e)
  /\ Len(e) <= IF Bug("serve_stops_at_commit") THEN commit_max[s] ELSE Len(headers[s])

\* RepairPrepare(r, i): a missing body comes, from any peer; also as the primary's
\* retransmission.
\* Go: model/transfer machine.repairPrepare.
RepairPrepare(r, i) ==
  /\ Repairs(r)
  /\ Asks(r, i)
  /\ LET e == headers[r][i]
     IN /\ \E s \in Replicas \ {r} : Serves(s, e)
        /\ bodies' = [bodies EXCEPT ![r] = @ \cup {e}]
        /\ prepare_oks' = PrepareOKs(r, view[r], headers[r], bodies'[r], transfer[r])
  /\ UNCHANGED <<viewVars, headers, commitVars, durableVars, transfer, start_views,
                 boundVars, ghostVars>>

-----------------------------------------------------------------------------
\* View change.  VRR 4.2.  A vote is what the replica has, durably, at the merge.

\* StartViewChange(r, v): r enters view v.  A transfer ends with the view, unless it is
\* installing.
\* Go: model/transfer machine.startViewChange.
StartViewChange(r, v) ==
  /\ v > view[r]
  /\ view' = [view EXCEPT ![r] = v]
  /\ status' = [status EXCEPT ![r] = "view_change"]
  /\ LET stays == IF Installing(r) THEN ~Bug("view_change_drops_install")
                  ELSE Bug("view_change_keeps_transfer")
     IN transfer' = [transfer EXCEPT ![r] = IF stays THEN @ ELSE NoTransfer]
  /\ prepare_oks' = [prepare_oks EXCEPT ![r] = {}]
  /\ UNCHANGED <<log_view, logVars, commitVars, durableVars, start_views, boundVars,
                 ghostVars>>

\* MergeVotes(p, S): the elect decides the log of its view from the votes of quorum S
\* and takes it over, headers and log view in one record (R2, R12): the longest log of
\* the highest log view, up to the first op that no vote proves and all of S disown; a
\* hole is neither proved nor disowned.  The pipeline bounds what is not committed.
\* Go: model/transfer machine.mergeVotes.
Disowns(s, i) == IF i > Len(headers[s]) THEN TRUE
                 ELSE headers[s][i] # Nil \/ Bug("hole_disowns")
MergeVotes(p, S) ==
  /\ status[p] = "view_change" /\ Primary(view[p]) = p /\ log_view[p] < view[p]
  /\ p \in S /\ \A s \in S : status[s] = "view_change" /\ view[s] = view[p]
  /\ LET top == { s \in S : \A q \in S : log_view[s] >= log_view[q] }
         best == CHOOSE s \in top : \A q \in top :
                   \/ Len(headers[s]) > Len(headers[q])
                   \/ Len(headers[s]) = Len(headers[q]) /\ s <= q
         n == Len(headers[best])
         commit == Max({ commit_max[s] : s \in S } \cup
                       {IF n > MaxPipeline THEN n - MaxPipeline ELSE 0})
         H(i) == IF headers[best][i] # Nil THEN headers[best][i]
                 ELSE Cut(Tip(headers[best]), i)
         known(i) == \E s \in S : At(headers[s], i) = H(i)
         kept(i) == \/ i <= commit
                    \/ \E s \in S : Stored(s, H(i)) /\ At(headers[s], i) = H(i)
         k == Max({ j \in 0..n : \A i \in 1..j : kept(i) })
     IN /\ k < n => \A s \in S : Disowns(s, k + 1)
        /\ headers' = [headers EXCEPT ![p] = [i \in 1..k |->
             IF i >= base[p] /\ (i = k \/ known(i)) THEN H(i) ELSE Nil]]
        /\ commit_max' = [commit_max EXCEPT ![p] = Max({@, commit})]
        /\ view_logs' = [view_logs EXCEPT ![view[p]] = IF k = 0 THEN Nil ELSE H(k)]
        /\ barrier' = [barrier EXCEPT ![p] =
             IF @ <= k \/ Bug("barrier_never_lowered") THEN @ ELSE k]
  /\ log_view' = [log_view EXCEPT ![p] = view[p]]
  /\ UNCHANGED <<status, view, bodies, executed, durableVars, transfer, prepare_oks,
                 start_views, boundVars, committed, rewound>>

\* What p says in a StartView: its head and the headers of the suffix below it (R11).
\* With MaxSuffix below MaxPipeline an uncommitted op may become a hole.  Nothing breaks
\* by that in a group of three, where who has started a view makes one holder more.
InSuffix(p, i) == i + MaxSuffix > Len(headers[p])
StartViewOf(p) ==
  [headers |-> [i \in 1..Len(headers[p]) |->
                 IF InSuffix(p, i) THEN headers[p][i] ELSE Nil],
   commit_max |-> commit_max[p], sent |-> TRUE]

\* BecomePrimary(p): p has every body of its log, or the checkpoint that covers it, and
\* starts its view (R13).
\* Go: model/transfer machine.becomePrimary.
BecomePrimary(p) ==
  /\ IsMerged(p) /\ transfer[p] = NoTransfer
  /\ \A i \in CommitMin(p)+1..Len(headers[p]) :
       headers[p][i] # Nil /\ Stored(p, headers[p][i])
  /\ status' = [status EXCEPT ![p] = "normal"]
  /\ start_views' = IF ~LateStartViews THEN start_views
                    ELSE [start_views EXCEPT ![view[p]] = StartViewOf(p)]
  /\ UNCHANGED <<view, log_view, logVars, commitVars, durableVars, transfer,
                 prepare_oks, boundVars, ghostVars>>

\* Adoption (R7, R11): of its old log r keeps what it has executed and what chains up to
\* the suffix; the rest below it becomes holes.  The record holds headers and log view
\* (R2).  A transfer ends, unless it is installing: its target is committed.
Adopt(r, v, m) ==
  LET n == Len(m.headers)
      low == Min({ i \in 1..n : m.headers[i] # Nil } \cup {n + 1})
      old(i) == At(headers[r], i)
      chained(i) == \A j \in i..low-1 : old(j) = Cut(m.headers[low], j)
      kept(i) == i <= CommitMin(r) \/ chained(i) \/ Bug("no_chain_check_below_suffix")
      p == Primary(v)
      keeps_dead == Bug("transfer_keeps_dead_suffix") /\ base[p] > CommitMin(r)
      log == CASE Bug("transfer_jumps_view_before_log") /\ low > CommitMin(r) + 1
                    -> SubSeq(headers[r], 1, CommitMin(r))
               [] Bug("vote_while_transferring_with_old_log") /\ low > CommitMin(r) + 1
                    -> headers[r]
               [] Bug("suffixless_adoption_trusts_old_entries") \/ keeps_dead
                    -> [i \in 1..n |-> old(i)]
               [] OTHER -> [i \in 1..n |-> IF m.headers[i] # Nil THEN m.headers[i]
                                           ELSE IF kept(i) THEN old(i) ELSE Nil]
      x == CASE keeps_dead -> [stage |-> 1, sender |-> p, target |-> pairing[p],
                               chunks |-> <<>>]
             [] Installing(r) -> transfer[r]
             [] OTHER -> NoTransfer
  IN /\ headers' = [headers EXCEPT ![r] = log]
     /\ view' = [view EXCEPT ![r] = v]
     /\ log_view' = [log_view EXCEPT ![r] = v]
     /\ status' = [status EXCEPT ![r] = "normal"]
     /\ commit_max' = [commit_max EXCEPT ![r] = Max({@, m.commit_max})]
     /\ barrier' = [barrier EXCEPT ![r] =
          IF @ <= n \/ Bug("barrier_never_lowered") THEN @ ELSE n]
     /\ transfer' = [transfer EXCEPT ![r] = x]
     /\ prepare_oks' = PrepareOKs(r, v, log, bodies[r], x)
     /\ UNCHANGED <<bodies, executed, durableVars, start_views, boundVars, ghostVars>>

Joins(r, v) ==
  /\ status[r] # "recovering"
  /\ \/ v > view[r]
     \/ v = view[r] /\ status[r] = "view_change"

\* ReceiveStartView(r, p): r adopts the log of p's view, as p has it now.
\* Go: model/transfer machine.receiveStartView.
ReceiveStartView(r, p) ==
  r # p /\ IsPrimary(p) /\ Joins(r, view[p]) /\ Adopt(r, view[p], StartViewOf(p))

\* LateStartView(r, v): r adopts what the primary of view v sent when it started; it may
\* have prepared more since, or have left the view.
\* Go: model/transfer machine.lateStartView.
LateStartView(r, v) ==
  /\ start_views[v].sent /\ r # Primary(v)
  /\ \/ Joins(r, v)
     \/ Bug("late_answer_to_probe") /\ status[r] = "recovering" /\ v >= view[r]
     \/ Bug("startview_lowers_head") /\ status[r] = "normal" /\ v = view[r]
  /\ Adopt(r, v, start_views[v])

\* Recover(r, p): p answers the probe of this boot of r (R4), and r adopts.  VRR 4.3.
\* Go: model/transfer machine.recover.
Recover(r, p) ==
  /\ status[r] = "recovering" /\ r # p /\ IsPrimary(p) /\ view[p] >= view[r]
  /\ Adopt(r, view[p], StartViewOf(p))

\* RaiseHead(r): a StartView of r's own view only raises its head (R7): the next op has
\* been released, so no prepare of it will come.
\* Go: model/transfer machine.raiseHead.
RaiseHead(r) ==
  /\ IsBackup(r) /\ ~Bug("startview_never_raises_head")
  /\ \E p \in Primaries(r) :
       LET n == Len(headers[r])
       IN /\ Len(headers[p]) > n /\ ~Stored(p, headers[p][n+1])
          /\ headers' = [headers EXCEPT ![r] = [i \in 1..Len(headers[p]) |->
               IF i <= n THEN headers[r][i]
               ELSE IF InSuffix(p, i) THEN headers[p][i] ELSE Nil]]
          /\ prepare_oks' = PrepareOKs(r, view[r], headers'[r], bodies[r], transfer[r])
  /\ UNCHANGED <<viewVars, bodies, commitVars, durableVars, transfer, start_views,
                 boundVars, ghostVars>>
=============================================================================
