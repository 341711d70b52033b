-------------------------------- MODULE Merge --------------------------------
(* The merge of a view change, alone: which votes may drop an op, what becomes *)
(* of bodies that were lost after they were acknowledged, of logs that may     *)
(* lack an acknowledged suffix (untrusted), and of replicas without a disk.    *)
(* VRR 4.2; R12, R13, R15, R16.  MergeVote has the rules, this module the      *)
(* steps that lead to the votes and from them.                                 *)
(*                                                                             *)
(* Abstractions, each of which a finer system refines:                         *)
(*  - a view's log only grows (view_log), and its prepares stay receivable;    *)
(*  - a prepare is stored and acknowledged in one step, a log adopted and its  *)
(*    stored bodies acknowledged in one step.  An acknowledgement that is lost *)
(*    only disables PrimaryCommit, which nothing forces, so none is;           *)
(*  - any set of the votes sent, its own among them, may be what the new       *)
(*    primary has received so far;                                             *)
(*  - view, log_view and the adopted headers are durable before any send (R2); *)
(*  - what was fetched for a merge is forgotten with it, except the bodies of  *)
(*    the replica's own log.                                                   *)
EXTENDS MergeVote

CONSTANTS Together,    \* BOOLEAN: the first votes of a view are a quorum's, in one step.
                       \* FALSE only where no replica is wiped: see SendDoViewChange
          OneSlot,     \* BOOLEAN: a fetched body displaces another entry's of its op
          CommitKept,  \* BOOLEAN: commit numbers survive a restart
          SpareCopy,   \* BOOLEAN: no fault takes the last copy of a committed op
          Bases,       \* BOOLEAN: a StartView's log may begin above a committed op
          MaxOp, MaxView,
          MaxRequest,  \* Requests in one behaviour.
          MaxRot,      \* Bodies that become unreadable.
          MaxRestart,  \* Restarts with a trusted log.
          MaxPower,    \* Restarts with an untrusted log,
          MaxLoss,     \* of which so many lose something.
          MaxWipe      \* Replicas that lose their disk.
ASSUME /\ Together \/ MaxWipe = 0
       /\ {Together, OneSlot, CommitKept, SpareCopy, Bases} \subseteq BOOLEAN
       /\ {MaxOp, MaxView, MaxRequest, MaxRot, MaxRestart, MaxPower, MaxLoss, MaxWipe}
            \subseteq Nat

VARIABLES status,      \* "normal", "view_change", "recovering" or "wiped"
          view,        \* durable, and so is log_view
          log_view,
          headers,     \* [Replicas -> Seq(view)]: entry i is <<i, headers[r][i]>>
          bodies,      \* [Replicas -> Seq(what is known of the body)], see MergeVote
          adopted,     \* headers up to here survive any crash: the adopted head
          commit,      \* the commit number known
          trusted,     \* R15
          merged,      \* of a parked primary: <<[voters, log, bodies, commit]>>;
                       \* bodies counts only where its own log has another entry
          votes,       \* [Views -> set of votes]
          view_log,    \* [Views -> Seq(view)]: the log of the view as it is now
          start_head,  \* [Views -> Nat]: its length when it started
          started,     \* the views that have started
          prepare_oks, \* <<replica, op, entry's view, view of the acknowledgement>>
          committed,   \* ghost: <<op, entry's view, view of the commit>>
          count        \* what counts towards the bounds

roleVars == <<status, view, log_view, trusted>>
logVars  == <<headers, bodies, adopted>>
viewVars == <<votes, view_log, start_head, started>>
vars     == <<roleVars, logVars, commit, merged, viewVars, prepare_oks, committed,
              count>>

Views == 0..MaxView
Ops == 1..MaxOp
Parked(p) == merged[p] # <<>>
IsPrimary(r) == status[r] = "normal" /\ Primary(view[r]) = r
IsBackup(r)  == status[r] = "normal" /\ Primary(view[r]) # r

Init ==
  /\ status = [r \in Replicas |-> "normal"]
  /\ view = [r \in Replicas |-> 0] /\ log_view = [r \in Replicas |-> 0]
  /\ headers = [r \in Replicas |-> <<>>] /\ bodies = [r \in Replicas |-> <<>>]
  /\ adopted = [r \in Replicas |-> 0] /\ commit = [r \in Replicas |-> 0]
  /\ trusted = [r \in Replicas |-> TRUE] /\ merged = [r \in Replicas |-> <<>>]
  /\ votes = [v \in Views |-> {}] /\ view_log = [v \in Views |-> <<>>]
  /\ start_head = [v \in Views |-> 0] /\ started = {0}
  /\ prepare_oks = {} /\ committed = {}
  /\ count = [request |-> 0, rot |-> 0, restart |-> 0, power |-> 0, loss |-> 0,
              wipe |-> 0]

\* Votes for a view that has started, or that its primary has left, are garbage.
VotesUseful(v) == \/ view[Primary(v)] < v
                  \/ view[Primary(v)] = v /\ status[Primary(v)] = "view_change"
Gc(sent) == votes' = [v \in Views |-> IF VotesUseful(v)' THEN sent[v] ELSE {}]

\* r's log has that entry, and its body is there.
Holds(r, i, v) == i <= Len(headers[r]) /\ headers[r][i] = v /\ bodies[r][i] = "stored"
InLog(log, i, v) == i <= Len(log) /\ log[i] = v
\* The base of r's log: the highest op that it has neither header nor body of.  headers
\* shows what stands there all the same, as a ghost.
Base(r) == Max({0} \cup { i \in 1..Len(headers[r]) : bodies[r][i] = "below" })
\* Whose acknowledgements of entry <<i, v>> a commit in view w counts.
Counted(i, v, w) ==
  LET views == IF Bug("prepare_ok_of_any_view") THEN Views ELSE {w}
  IN { r \in Replicas : \E x \in views : <<r, i, v, x>> \in prepare_oks }

-----------------------------------------------------------------------------
(* Normal operation. *)

\* ClientRequest(p): the primary prepares, stores and acknowledges the next op.
\* VRR 4.1, step 2.  Go: model/merge ClientRequest.
ClientRequest(p) ==
  /\ IsPrimary(p) /\ count.request < MaxRequest /\ Len(headers[p]) < MaxOp
  /\ count' = [count EXCEPT !.request = @ + 1]
  /\ headers' = [headers EXCEPT ![p] = Append(@, view[p])]
  /\ bodies' = [bodies EXCEPT ![p] = Append(@, "stored")]
  /\ view_log' = [view_log EXCEPT ![view[p]] = Append(@, view[p])]
  /\ prepare_oks' = prepare_oks \cup {<<p, Len(headers[p]) + 1, view[p], view[p]>>}
  /\ UNCHANGED <<roleVars, adopted, commit, merged, votes, start_head, started,
                 committed>>

\* ReceivePrepare(r): a backup stores and acknowledges the next op; not above one
\* whose body it has yet to get.  VRR 4.1, step 4.  Go: model/merge ReceivePrepare.
ReceivePrepare(r) ==
  /\ IsBackup(r)
  /\ LET v == view[r]
         i == Len(headers[r]) + 1
     IN /\ InLog(view_log[v], i, v)
        /\ \A j \in 1..i-1 : bodies[r][j] \notin {"hollow", "doubtful"}
        /\ headers' = [headers EXCEPT ![r] = Append(@, v)]
        /\ bodies' = [bodies EXCEPT ![r] = Append(@, "stored")]
        /\ prepare_oks' = prepare_oks \cup {<<r, i, v, v>>}
  /\ UNCHANGED <<roleVars, adopted, commit, merged, viewVars, committed, count>>

\* PrimaryCommit(p): a replication quorum has acknowledged the next op, in this view.
\* VRR 4.1, step 5.  Go: model/merge PrimaryCommit.
PrimaryCommit(p) ==
  /\ IsPrimary(p) /\ commit[p] < Len(headers[p])
  /\ LET i == commit[p] + 1
         v == headers[p][i]
     IN /\ Cardinality(Counted(i, v, view[p])) >= ReplicationQuorum(N)
        /\ commit' = [commit EXCEPT ![p] = i]
        /\ committed' = committed \cup {<<i, v, view[p]>>}
  /\ UNCHANGED <<roleVars, logVars, merged, viewVars, prepare_oks, count>>

\* ReceiveCommit(r): a backup learns the commit number.  VRR 4.1, step 7.
\* Go: model/merge ReceiveCommit.
ReceiveCommit(r) ==
  /\ IsBackup(r)
  /\ LET p == Primary(view[r])
         known == Min({commit[p], Len(headers[r])})
     IN /\ IsPrimary(p) /\ view[p] = view[r] /\ commit[r] < known
        /\ commit' = [commit EXCEPT ![r] = known]
  /\ UNCHANGED <<roleVars, logVars, merged, viewVars, prepare_oks, committed, count>>

\* RepairPrepare(r, i): the lowest body that r lacks comes from any replica, and r
\* acknowledges it.  R9.  Go: model/merge RepairPrepare.
RepairPrepare(r, i) ==
  /\ status[r] = "normal" /\ i <= Len(headers[r])
  /\ bodies[r][i] # "stored" /\ \A j \in 1..i-1 : bodies[r][j] = "stored"
  /\ bodies[r][i] = "doubtful" => ~Bug("doubtful_not_repaired")
  /\ \E s \in Replicas \ {r} : Holds(s, i, headers[r][i])
  /\ bodies' = [bodies EXCEPT ![r][i] = "stored"]
  /\ prepare_oks' = prepare_oks \cup {<<r, i, headers[r][i], view[r]>>}
  /\ UNCHANGED <<roleVars, headers, adopted, commit, merged, viewVars, committed,
                 count>>

-----------------------------------------------------------------------------
(* View change. *)

VoteOf(r) ==
  LET n == IF Bug("vote_forgets_hollow")
           THEN Max({ k \in 0..Len(headers[r]) :
                        \A j \in 1..k : bodies[r][j] \notin {"hollow", "doubtful"} })
           ELSE Len(headers[r])
  IN [replica |-> r, log_view |-> log_view[r], headers |-> SubSeq(headers[r], 1, n),
      bodies |-> SubSeq(bodies[r], 1, n), commit |-> commit[r], trusted |-> trusted[r]]

\* SendDoViewChange(S, v): the replicas S leave their views for view v, and hand their
\* logs to its primary: headers, and what is known of each body.  VRR 4.2, step 2; R12.
\* A wiped replica has no log to vote with (R16).  Nobody votes before a quorum has left
\* (StartViewChange: VRR 4.2, step 1), so a vote tells that one has.  What a wiped replica
\* may adopt rests on that; all else holds without it too (Together = FALSE).
\* Go: model/merge SendDoViewChange.
SendDoViewChange(S, v) ==
  /\ \A r \in S : view[r] < v /\ (status[r] # "wiped" \/ Bug("wiped_votes"))
  /\ LET alone == ~Together \/ Bug("vote_before_quorum")
         first == \A r \in Replicas : view[r] < v
     IN Cardinality(S) = IF first /\ ~alone THEN ViewChangeQuorum(N) ELSE 1
  /\ view' = [r \in Replicas |-> IF r \in S THEN v ELSE view[r]]
  /\ status' = [r \in Replicas |-> IF r \in S THEN "view_change" ELSE status[r]]
  /\ merged' = [r \in Replicas |-> IF r \in S /\ ~Bug("merge_kept_over_views")
                                   THEN <<>> ELSE merged[r]]
  /\ Gc([votes EXCEPT ![v] = @ \cup { VoteOf(r) : r \in S }])
  /\ UNCHANGED <<log_view, logVars, commit, trusted, view_log, start_head, started,
                 prepare_oks, committed, count>>

\* One vote of each of the replicas S for view v, if they have sent it.
VotesFrom(S, v) == { D \in SUBSET votes[v] :
                       { m.replica : m \in D } = S /\ Cardinality(D) = Cardinality(S) }

\* Where the new primary's own log has the merged entry, its body is the one there.
OwnEntry(p, log, i) == InLog(headers[p], i, log[i])
MergedBody(p, i) == LET m == merged[p][1]
                    IN IF OwnEntry(p, m.log, i) THEN bodies[p][i] ELSE m.bodies[i]
FetchedBefore(p, log, i) == Parked(p) /\ InLog(merged[p][1].log, i, log[i])
\* The ops of a log whose bodies p holds by now.
HeldOf(p, log) ==
  { i \in 1..Len(log) : \/ Holds(p, i, log[i])
                        \/ FetchedBefore(p, log, i) /\ MergedBody(p, i) = "stored" }

\* MergeVotes(p, S): the new primary has the votes of S, its own among them, and parks
\* with the log that they decide.  A further vote, or a body lost, may change that: the
\* merge is done again, and what was fetched meanwhile counts as proved.  VRR 4.2,
\* step 3; R12.  Go: model/merge MergeVotes.
Merge(p, D) ==
  LET log  == Canonical(D)
      kept == SubSeq(log, 1, KeptOps(D, log, HeldOf(p, log)))
      body(i) == IF FetchedBefore(p, log, i) /\ ~OwnEntry(p, log, i)
                 THEN merged[p][1].bodies[i] ELSE "hollow"
  IN [voters |-> { m.replica : m \in D }, log |-> kept, commit |-> MergedCommit(D),
      bodies |-> [i \in 1..Len(kept) |-> body(i)]]
MayMerge(p, D) ==
  /\ HasQuorum(D)
  /\ Parked(p) => /\ merged[p][1].voters \subseteq { m.replica : m \in D }
                  /\ Merge(p, D) # merged[p][1] /\ ~Bug("merge_not_redone")
MergeVotes(p, S) ==
  /\ status[p] = "view_change" /\ Primary(view[p]) = p /\ p \in S
  /\ \E D \in VotesFrom(S, view[p]) :
       /\ MayMerge(p, D)
       /\ merged' = [merged EXCEPT ![p] = <<Merge(p, D)>>]
  /\ UNCHANGED <<roleVars, logVars, commit, viewVars, prepare_oks, committed, count>>

\* What a fetch of op i of the log may yield; by op alone (mutant), another's body.
Fetched(p, log, i) ==
  LET others == Replicas \ {p}
  IN { "stored" : s \in { x \in others : Holds(x, i, log[i]) } } \cup
     { "other" : s \in { x \in others :
         /\ Bug("present_by_op") /\ i <= Len(headers[x])
         /\ headers[x][i] # log[i] /\ bodies[x][i] = "stored" } }

\* RepairMerged(p, i): a parked primary gets a body of the merged log from any live
\* replica.  It acknowledges nothing yet.  With one slot for an op the fetched body
\* displaces that of the own entry: it may have been acknowledged, but a higher log view
\* has another entry, so no commit counts that and "hollow" is no lie; of an untrusted
\* log nothing is said that it would have to be trusted for.  R12, R13.
\* Go: model/merge RepairMerged.
RepairMerged(p, i) ==
  /\ status[p] = "view_change" /\ Parked(p) /\ i <= Len(merged[p][1].log)
  /\ MergedBody(p, i) \notin {"stored", "other"}
  /\ LET log == merged[p][1].log
         own == OwnEntry(p, log, i)
         displaces == OneSlot /\ ~own /\ i <= Len(headers[p]) /\ bodies[p][i] = "stored"
         gone == CASE Bug("displaced_is_stored") -> "stored"
                   [] trusted[p] -> "hollow"
                   [] OTHER -> "doubtful"
     IN \E got \in Fetched(p, log, i) :
          /\ bodies' = IF own THEN [bodies EXCEPT ![p][i] = got]
                       ELSE IF displaces THEN [bodies EXCEPT ![p][i] = gone]
                       ELSE bodies
          /\ merged' = IF own THEN merged ELSE [merged EXCEPT ![p][1].bodies[i] = got]
  /\ UNCHANGED <<roleVars, headers, adopted, commit, viewVars, prepare_oks, committed,
                 count>>

\* BecomePrimary(p): it holds every body of the merged log, still, and starts the view
\* with it.  VRR 4.2, step 4; R13.  Go: model/merge BecomePrimary.
BecomePrimary(p) ==
  /\ status[p] = "view_change" /\ Parked(p) /\ Primary(view[p]) = p
  /\ LET log  == merged[p][1].log
         ops  == 1..Len(log)
         held == { i \in ops : MergedBody(p, i) \in {"stored", "other", "below"} }
     IN /\ \A i \in ops \ held :
             \/ Bug("start_before_repair")
             \/ Bug("start_with_rotten_body") /\ MergedBody(p, i) = "faulty"
        /\ headers' = [headers EXCEPT ![p] = log]
        /\ bodies' = [bodies EXCEPT ![p] =
             [i \in ops |-> IF i \in held THEN MergedBody(p, i) ELSE "hollow"]]
        /\ adopted' = [adopted EXCEPT ![p] = Len(log)]
        /\ commit' = [commit EXCEPT ![p] = Max({@, merged[p][1].commit})]
        /\ view_log' = [view_log EXCEPT ![view[p]] = log]
        /\ start_head' = [start_head EXCEPT ![view[p]] = Len(log)]
        /\ started' = started \cup {view[p]}
        /\ prepare_oks' = prepare_oks \cup
             { <<p, i, log[i], view[p]>> :
                 i \in { j \in held : MergedBody(p, j) # "below" } }
  /\ status' = [status EXCEPT ![p] = "normal"]
  /\ log_view' = [log_view EXCEPT ![p] = view[p]]
  /\ trusted' = [trusted EXCEPT ![p] = @ \/ ~Bug("adoption_keeps_doubt")]
  /\ merged' = [merged EXCEPT ![p] = <<>>]
  /\ UNCHANGED <<view, committed, count>>
  /\ Gc(votes)

\* ReceiveStartView(r, v): r adopts the log of a view that has started, as it was at
\* the start, or as it is now in the answer to a probe.  VRR 4.2, step 5; R2, R4, R11.
\* A recovering replica takes only the answer of a primary that is in that view now.
\* So does a wiped one, and only if so few of the others have gone beyond that view that
\* it sent no vote for a later one before it lost its disk: a vote needs a quorum that
\* has left (R16).
\* With Bases the log may begin above any op that is committed by then: r learns of what
\* lies below only that it is committed, and forgets what it knew to be missing there.
\* A later log may begin lower.  What is known to be committed and has no body is then in
\* doubt: it may have been acknowledged, and the base cut off the doubt (R12, R15).
\* Go: model/merge ReceiveStartView.
BasesOf(v, n) ==
  {0} \cup { i \in 1..n : /\ Bases
                         /\ \E c \in committed :
                              /\ c[1] = i /\ c[2] = view_log[v][i] /\ c[3] <= v }
ReceiveStartView(r, v) ==
  /\ v \in started /\ Primary(v) # r
  /\ \/ status[r] = "view_change" /\ v >= view[r]
     \/ status[r] = "normal" /\ v > view[r]
     \/ /\ status[r] \in {"recovering", "wiped"} /\ v >= view[r]
        /\ IsPrimary(Primary(v)) /\ view[Primary(v)] = v
        /\ \/ status[r] = "recovering" \/ Bug("wiped_any_view")
           \/ LET within == { s \in Replicas \ {r} : view[s] <= v }
              IN Cardinality(within) > N - ViewChangeQuorum(N)
  /\ \E n \in {start_head[v], Len(view_log[v])} :
     \E b \in BasesOf(v, n) :
       /\ status[r] \in {"recovering", "wiped"} => n = Len(view_log[v])
       /\ LET log  == SubSeq(view_log[v], 1, n)
              doubt(i) == \/ ~trusted[r] /\ ~Bug("adoption_clears_doubt")
                          \/ Bases /\ i <= commit[r] /\ ~Bug("doubt_ends_below_base")
              none(i) == IF doubt(i) THEN "doubtful" ELSE "hollow"
              known(i) == OwnEntry(r, log, i) /\ bodies[r][i] # "below"
              lost(i) == bodies[r][i] = "hollow" /\ Bases /\ doubt(i)
              body == [i \in 1..n |->
                         CASE known(i) /\ bodies[r][i] = "stored" -> "stored"
                           [] i <= b -> "below"
                           [] known(i) /\ ~lost(i) -> bodies[r][i]
                           [] OTHER -> none(i)]
          IN /\ headers' = [headers EXCEPT ![r] = log]
             /\ bodies' = [bodies EXCEPT ![r] = body]
             /\ prepare_oks' = prepare_oks \cup
                  { <<r, i, log[i], v>> : i \in { j \in 1..n : body[j] = "stored" } }
             /\ adopted' = [adopted EXCEPT ![r] = n]
             /\ commit' = [commit EXCEPT ![r] = Max({b, Min({@, n})})]
  /\ view' = [view EXCEPT ![r] = v]
  /\ log_view' = [log_view EXCEPT ![r] = v]
  /\ status' = [status EXCEPT ![r] = "normal"]
  /\ trusted' = [trusted EXCEPT ![r] = @ \/ ~Bug("adoption_keeps_doubt")]
  /\ merged' = [merged EXCEPT ![r] = <<>>]
  /\ UNCHANGED <<view_log, start_head, started, committed, count>>
  /\ Gc(votes)

-----------------------------------------------------------------------------
(* Faults.  What lies below the base of a log is committed: a boot knows that. *)

\* May r lose the body of entry <<i, v>>?
Spared(r, i, v) ==
  /\ SpareCopy /\ \E c \in committed : c[1] = i /\ c[2] = v
  /\ \A s \in Replicas \ {r} : ~Holds(s, i, v)

\* Rot(r, i): a stored body becomes unreadable, and r knows.  It may be one that was
\* fetched for a merge.  R12, R14.  Go: model/merge Rot.
Rot(r, i) ==
  /\ count.rot < MaxRot /\ count' = [count EXCEPT !.rot = @ + 1]
  /\ \/ /\ i <= Len(headers[r]) /\ bodies[r][i] = "stored"
        /\ ~Spared(r, i, headers[r][i])
        /\ bodies' = [bodies EXCEPT ![r][i] = "faulty"] /\ UNCHANGED merged
     \/ /\ Parked(r) /\ i <= Len(merged[r][1].log) /\ ~OwnEntry(r, merged[r][1].log, i)
        /\ merged[r][1].bodies[i] = "stored" /\ ~Spared(r, i, merged[r][1].log[i])
        /\ merged' = [merged EXCEPT ![r][1].bodies[i] = "hollow"] /\ UNCHANGED bodies
  /\ UNCHANGED <<roleVars, headers, adopted, commit, viewVars, prepare_oks, committed>>

\* What each restart does.
Boot(r) ==
  /\ status' = [status EXCEPT ![r] = "recovering"]
  /\ commit' = IF CommitKept THEN commit ELSE [commit EXCEPT ![r] = Base(r)]
  /\ merged' = [merged EXCEPT ![r] = <<>>]
  /\ UNCHANGED <<view, log_view, adopted, view_log, start_head, started, prepare_oks,
                 committed>>
  /\ Gc(votes)

\* Restart(r): the process is killed and finds everything that it had written: its log
\* stays trusted if it was.  The mutant takes a rotten last record for a torn tail.
\* VRR 4.3; R15.  Go: model/merge Restart.
Restart(r) ==
  /\ count.restart < MaxRestart /\ status[r] # "wiped"
  /\ count' = [count EXCEPT !.restart = @ + 1]
  /\ LET n == Len(headers[r])
         cut == Bug("cut_rotten_tail") /\ n > adopted[r] /\ bodies[r][n] = "faulty"
         left == IF cut THEN n - 1 ELSE n
     IN /\ headers' = [headers EXCEPT ![r] = SubSeq(@, 1, left)]
        /\ bodies' = [bodies EXCEPT ![r] = SubSeq(@, 1, left)]
  /\ trusted' = [trusted EXCEPT ![r] = @ \/ Bug("restart_clears_doubt")]
  /\ Boot(r)

\* PowerLoss(r, c): the log comes back untrusted.  Bodies above c are gone, and headers
\* above the adopted head with them; what is missing may have been there.  That holds of
\* a hollow op too: the disk shows a header without a body, as it does of one that came,
\* was acknowledged and is lost.  R15.
\* Go: model/merge PowerLoss.
PowerLoss(r, c) ==
  /\ count.power < MaxPower /\ status[r] # "wiped" /\ c <= Len(headers[r])
  /\ LET n    == Max({c, adopted[r]})
         gone == { i \in c+1..Len(headers[r]) : bodies[r][i] = "stored" }
         kept(i) == i <= c /\ (bodies[r][i] # "hollow" \/ Bug("hollow_outlives_restart"))
         missing == IF Bug("lost_is_hollow") THEN "hollow" ELSE "doubtful"
     IN /\ gone # {} => count.loss < MaxLoss
        /\ \A i \in gone : ~Spared(r, i, headers[r][i])
        /\ gone # {} \/ c = Len(headers[r])
        /\ count' = [count EXCEPT !.power = @ + 1,
                                  !.loss = IF gone # {} THEN @ + 1 ELSE @]
        /\ headers' = [headers EXCEPT ![r] = SubSeq(@, 1, n)]
        /\ bodies' = [bodies EXCEPT ![r] =
             [i \in 1..n |-> IF kept(i) \/ @[i] = "below" THEN @[i] ELSE missing]]
  /\ trusted' = [trusted EXCEPT ![r] = FALSE]
  /\ Boot(r)

\* Wipe(r): the disk is lost, and with it all that r ever promised.  R16.
\* Go: model/merge Wipe.
Wipe(r) ==
  /\ count.wipe < MaxWipe /\ count' = [count EXCEPT !.wipe = @ + 1]
  /\ \A i \in 1..Len(headers[r]) :
       bodies[r][i] = "stored" => ~Spared(r, i, headers[r][i])
  /\ status' = [status EXCEPT ![r] = "wiped"]
  /\ view' = [view EXCEPT ![r] = 0] /\ log_view' = [log_view EXCEPT ![r] = 0]
  /\ headers' = [headers EXCEPT ![r] = <<>>] /\ bodies' = [bodies EXCEPT ![r] = <<>>]
  /\ adopted' = [adopted EXCEPT ![r] = 0] /\ commit' = [commit EXCEPT ![r] = 0]
  /\ trusted' = [trusted EXCEPT ![r] = Bug("wiped_votes") \/ Bug("wiped_is_trusted")]
  /\ merged' = [merged EXCEPT ![r] = <<>>]
  /\ UNCHANGED <<viewVars, prepare_oks, committed>>

-----------------------------------------------------------------------------
Next ==
  \/ \E r \in Replicas :
       \/ ClientRequest(r) \/ ReceivePrepare(r) \/ PrimaryCommit(r) \/ ReceiveCommit(r)
       \/ BecomePrimary(r) \/ Restart(r) \/ Wipe(r)
  \/ \E r \in Replicas, i \in Ops :
       \/ RepairPrepare(r, i) \/ RepairMerged(r, i) \/ Rot(r, i)
  \/ \E r \in Replicas, c \in 0..MaxOp : PowerLoss(r, c)
  \/ \E r \in Replicas, v \in Views : ReceiveStartView(r, v)
  \/ \E S \in SUBSET Replicas, v \in Views : SendDoViewChange(S, v)
  \/ \E r \in Replicas, S \in SUBSET Replicas : MergeVotes(r, S)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Invariants. *)

\* Values have their shapes.
\* No mutant: it guards the module against slips.
TypeOK ==
  /\ \A r \in Replicas :
       /\ log_view[r] <= view[r] /\ Len(headers[r]) = Len(bodies[r])
       /\ Len(headers[r]) <= MaxOp /\ adopted[r] <= Len(headers[r])
       /\ status[r] = "normal" => log_view[r] = view[r]
       /\ Parked(r) => status[r] = "view_change"
       /\ Base(r) <= commit[r] /\ (~Bases => Base(r) = 0)
  /\ \A v \in Views \ started : view_log[v] = <<>> /\ start_head[v] = 0

\* What was committed is in the log of each view that starts later.
\* Broken by most mutants; drop_without_nacks, untrusted_counts, nack_faulty and
\* last_resort_ignores_faulty first.
CommittedKept ==
  \A c \in committed : \A v \in started : v >= c[3] => InLog(view_log[v], c[1], c[2])

\* One op, one committed entry.
\* Broken by longest_ignores_log_view.
OneCommit == \A a, b \in committed : a[1] = b[1] => a[2] = b[2]

\* A vote that would nack an entry which some log of an equal or higher log view holds
\* comes from a replica whose acknowledgement no commit of the entry has counted.  It
\* may well have acknowledged it in another view, which is why those do not count.
\* Broken by untrusted_nacks, prepare_ok_of_any_view, lost_is_hollow and
\* doubt_ends_below_base.
NackTrue ==
  \A r, s \in Replicas : log_view[s] >= log_view[r] /\ status[r] # "wiped" =>
    \A i \in 1..Len(headers[s]) :
      Nacks(VoteOf(r), i, headers[s][i]) =>
        \A c \in committed :
          c[1] = i /\ c[2] = headers[s][i] => r \notin Counted(i, c[2], c[3])

\* Were all replicas to vote now, the merge would not be blocked.
\* Broken by no_last_resort and adopted_never_nacks.
AllVotes == { VoteOf(r) : r \in Replicas }
NoBlock ==
  (\A r \in Replicas : status[r] # "wiped") => Outcome(AllVotes, {}) # "Blocked"

\* A parked primary to which all votes were sent is not kept waiting by a merge of
\* fewer: it has the log that all of them decide, or it may merge again.
\* Broken by merge_not_redone.
NoWait ==
  \A p \in Replicas : Parked(p) /\ Primary(view[p]) = p =>
    \A D \in VotesFrom(Replicas, view[p]) :
      merged[p][1].log = Merge(p, D).log \/ MayMerge(p, D)

\* A primary has a body for each op that it starts with; rot may take it later.
\* Broken by start_before_repair and start_with_rotten_body.
PrimaryWhole ==
  \A p \in Replicas : IsPrimary(p) =>
    \A i \in 1..Len(headers[p]) : bodies[p][i] \notin {"hollow", "doubtful"}

\* A body is the one that its header names.
\* Broken by present_by_op.
BodyTrue == \A r \in Replicas : \A i \in 1..Len(headers[r]) : bodies[r][i] # "other"

\* An entry determines what lies below it, in the logs of views and of replicas.
\* Broken by keep_superseded.
LogMatching ==
  LET logs == { view_log[v] : v \in started } \cup { headers[r] : r \in Replicas }
  IN \A a, b \in logs : \A i \in 1..Min({Len(a), Len(b)}) :
       a[i] = b[i] => \A j \in 1..i-1 : a[j] = b[j]

\* No merge drops what its votes know to be committed.
\* Broken by drop_below_commit.
KnownKept ==
  \A D \in SUBSET { m \in AllVotes : status[m.replica] # "wiped" } : HasQuorum(D) =>
    LET log == Canonical(D)
    IN KeptOps(D, log, {}) >= Min({MergedCommit(D), Len(log)})

\* Where nothing was lost, any quorum decides each op and proves what it keeps: a crash
\* never makes a view change wait for the crashed replica.
\* Broken by present_top_only and adopted_never_nacks.
QuorumDecides ==
  count.rot = 0 /\ count.power = 0 /\ count.wipe = 0 =>
    \A D \in SUBSET AllVotes : Cardinality(D) >= ViewChangeQuorum(N) =>
      LET log == Canonical(D)
      IN /\ OpenOps(D, {}) = {}
         /\ \A i \in 1..KeptOps(D, log, {}) : \E m \in D : Proves(m, i, log[i])

\* Doubt ends: a replica that takes part in a view has a log that it may trust, and the
\* body of an op that is still in doubt comes as soon as anybody has it (R15).
\* Broken by adoption_keeps_doubt and doubtful_not_repaired.
DoubtEnds ==
  \A r \in Replicas : status[r] = "normal" =>
    /\ trusted[r]
    /\ \A i \in 1..Len(headers[r]) :
         /\ bodies[r][i] # "stored" /\ \A j \in 1..i-1 : bodies[r][j] = "stored"
         /\ \E s \in Replicas \ {r} : Holds(s, i, headers[r][i])
         => ENABLED RepairPrepare(r, i)

\* What an untrusted log lacks may have been there: it says of no body that it never
\* came.  Nothing is lost here by saying so, since this module knows which bodies came; a
\* replica that boots does not (R15).
\* Broken by hollow_outlives_restart and lost_is_hollow.
DoubtWide ==
  \A r \in Replicas : ~trusted[r] =>
    \A i \in 1..Len(headers[r]) : bodies[r][i] # "hollow"

\* A slot has one body: one that was displaced proves nothing (R13).
\* Broken by displaced_is_stored.
SlotTrue ==
  \A p \in Replicas : OneSlot /\ Parked(p) =>
    \A i \in 1..Min({Len(headers[p]), Len(merged[p][1].log)}) :
      /\ ~OwnEntry(p, merged[p][1].log, i) /\ merged[p][1].bodies[i] = "stored"
      => bodies[p][i] # "stored"
=============================================================================
