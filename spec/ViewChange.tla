------------------------------ MODULE ViewChange -----------------------------
(* View change: VRR section 4.2; R1, R2, R7, R12, R13.                         *)
EXTENDS Replica

\* r enters view v's change and says so.  The pipeline dies with the view; the log
\* stays.
EnterView(r, v, said) ==
  /\ view' = [view EXCEPT ![r] = v]
  /\ status' = [status EXCEPT ![r] = "view_change"]
  /\ pipeline' = [pipeline EXCEPT ![r] = <<>>]
  /\ merged' = [merged EXCEPT ![r] = <<>>]
  /\ answers' = [answers EXCEPT ![r] = {}]
  /\ Gc([Network EXCEPT !.start_view_changes[v] = @ \cup said])
  /\ UNCHANGED <<logVars, commit_min, commit_max, bounds, acknowledged>>

\* StartViewChange(r): r has waited long enough for its primary, for the end of a
\* view change or for an answer to its probe.  VRR 4.2, step 1.
\* Go: model/vsr StartViewChange; impl/vsr Replica.startViewChange.
\* Not in VRR: a recovering replica may do so too, with its durable log, so that
\* a cluster that lost power as a whole elects a primary from disk.
StartViewChange(r) == view[r] < MaxView /\ EnterView(r, view[r] + 1, {r})

\* ReceiveStartViewChange(r, v): r hears of a view change above its view and joins.
\* VRR 4.2, step 1.  Go: model/vsr ReceiveStartViewChange; impl/vsr
\* Replica.onStartViewChange.
ReceiveStartViewChange(r, v) ==
  /\ v > view[r] /\ start_view_changes[v] # {}
  /\ EnterView(r, v, IF Bug("join_is_silent") THEN {} ELSE {r})

\* SendDoViewChange(r): a quorum wants to leave the old view, so r hands its log
\* to the new primary: the headers with the log view that they speak for, and
\* which of them it holds a body of.  VRR 4.2, step 2; R12.
\* Go: model/vsr SendDoViewChange; impl/vsr Replica.sendDoViewChange.
SendDoViewChange(r) ==
  /\ status[r] = "view_change" /\ VoteUseful(view[r])
  /\ Cardinality(start_view_changes[view[r]]) >= ViewChangeQuorum
  /\ \A m \in do_view_changes[view[r]] : m.replica # r
  /\ do_view_changes' = [do_view_changes EXCEPT ![view[r]] = @ \cup
       {[replica |-> r, log_view |-> log_view[r], commit |-> commit_min[r],
         log |-> IF Bug("dvc_drops_hollow") THEN SubSeq(headers[r], 1, Contiguous(r))
                 ELSE headers[r],
         present |-> { e \in Entries(headers[r]) : Stored(r, e) }]}]
  /\ UNCHANGED <<replicaVars, prepares, prepare_oks, commits, start_view_changes,
                 start_views, answers, bounds, acknowledged>>

\* The merge of a set D of votes, by the rules of MergeVote (R12).  The bodies of the
\* entries in stored count as proved.
Said(m) == [replica |-> m.replica, log_view |-> m.log_view, commit |-> m.commit,
            trusted |-> TRUE, headers |-> m.log,
            bodies |-> [i \in 1..Len(m.log) |->
                          IF m.log[i] \in m.present THEN "stored" ELSE "hollow"]]
Decided(D, stored) ==
  LET votes == { Said(m) : m \in D }
      log == Rules!Canonical(votes)
      held == { i \in 1..Len(log) : log[i] \in stored }
  IN [log |-> SubSeq(log, 1, Rules!KeptOps(votes, log, held)),
      commit |-> Rules!MergedCommit(votes)]

\* MergeVotes(p, S): the new primary has the votes of quorum S, its own among
\* them, and decides the log of its view.  It parks with it.  VRR 4.2, step 3; R12.
\* Under MergeAgain a parked primary may decide anew by all the votes that it has by
\* then, more than a quorum, if they say something else; what it has fetched since
\* counts as proved.  Nothing forces it to: each quorum's decision is sound.
\* Go: model/vsr MergeVotes; impl/vsr Replica.mergeVotes.
MergeVotes(p, S) ==
  /\ status[p] = "view_change" /\ Primary(view[p]) = p
  /\ p \in S
  /\ LET D == { m \in do_view_changes[view[p]] : m.replica \in S }
         first == merged[p] = <<>>
         decided == Decided(D, IF first THEN {} ELSE bodies[p])
     IN /\ \A s \in S : \E m \in D : m.replica = s
        /\ IF first THEN S \in Quorums
           ELSE /\ MergeAgain /\ Cardinality(S) > ViewChangeQuorum
                /\ D = do_view_changes[view[p]] /\ decided # merged[p][1]
        /\ merged' = [merged EXCEPT ![p] = <<decided>>]
  /\ UNCHANGED <<status, view, logVars, commitVars, viewNetwork, answers, bounds,
                 acknowledged>>

\* BecomePrimary(p): the new primary holds every body of the merged log (R13): it
\* adopts the log, rebuilds its pipeline and starts the view.  VRR 4.2, step 4.
\* Go: model/vsr BecomePrimary; impl/vsr Replica.becomePrimary.
BecomePrimary(p) ==
  /\ merged[p] # <<>>
  /\ LET log  == merged[p][1].log
         known == Max({commit_max[p], merged[p][1].commit})
         \* Upstream rebuilds its pipeline from the merged commit, below what the
         \* new primary itself may know to be committed: seed 000.
         base == IF Walk THEN known ELSE merged[p][1].commit
     IN /\ Bug("start_hollow") \/ \A e \in Entries(log) : Stored(p, e)
        /\ status' = [status EXCEPT ![p] = "normal"]
        /\ merged' = [merged EXCEPT ![p] = <<>>]
        /\ log_view' = [log_view EXCEPT ![p] = view[p]]
        /\ log_view_durable' = IF LazyLogView THEN [log_view_durable EXCEPT ![p] = view[p]]
                               ELSE log_view_durable
        /\ headers' = [headers EXCEPT ![p] = log]
        /\ pipeline' = [pipeline EXCEPT ![p] = SubSeq(log, base + 1, Len(log))]
        /\ commit_max' = [commit_max EXCEPT ![p] = known]
        /\ UNCHANGED view
        /\ Gc([Network EXCEPT !.start_views[view[p]] = @ \cup {[log |-> log, commit |-> base]},
                              !.commits[view[p]] = known])
  /\ UNCHANGED <<bodies, commit_min, answers, bounds, acknowledged>>

\* r adopts a primary's log of view v, from a StartView or an answer to its probe,
\* and acknowledges what of it is uncommitted and stored.  VRR 4.2, step 5; R2, R11.
\* Under LazyLogView its journal is written anew from the first hole on.
StoredPrefix(r, log) == Max({ i \in 0..Len(log) : \A j \in 1..i : Stored(r, log[j]) })
Adopt(r, v, log, commit) ==
  LET kept == IF LazyLogView THEN { b \in bodies[r] : b.op <= StoredPrefix(r, log) }
              ELSE bodies[r]
      acked == { j \in commit+1..Len(log) :
                   /\ Stored(r, log[j]) /\ (LazyLogView => j <= StoredPrefix(r, log))
                   /\ ~Bug("prepare_ok_once") }
  IN
  /\ view' = [view EXCEPT ![r] = v]
  /\ log_view' = [log_view EXCEPT ![r] = v]
  /\ log_view_durable' = IF LazyLogView /\ Entries(log) \subseteq bodies[r]
                         THEN [log_view_durable EXCEPT ![r] = v] ELSE log_view_durable
  /\ status' = [status EXCEPT ![r] = "normal"]
  /\ headers' = [headers EXCEPT ![r] = log]
  /\ commit_max' = [commit_max EXCEPT ![r] = Max({@, commit})]
  /\ pipeline' = [pipeline EXCEPT ![r] = <<>>]
  /\ merged' = [merged EXCEPT ![r] = <<>>]
  /\ answers' = [answers EXCEPT ![r] = {}]
  /\ Gc([Network EXCEPT !.prepare_oks[v] = @ \cup
          { <<r, log[i]>> : i \in acked }])
  /\ bodies' = [bodies EXCEPT ![r] = kept]
  /\ UNCHANGED <<commit_min, bounds, acknowledged>>

\* ReceiveStartView(r, v): r learns that view v has started.  VRR 4.2, step 5; R7.
\* A recovering replica takes no unsolicited one (R4): it may be older than what
\* this replica acknowledged before it crashed.
\* Go: model/vsr ReceiveStartView; impl/vsr Replica.onStartView.
ReceiveStartView(r, v) ==
  \E m \in start_views[v] :
    /\ Primary(v) # r
    /\ \/ status[r] = "view_change" /\ v >= view[r]
       \/ status[r] = "normal" /\ v > view[r]
       \/ status[r] = "normal" /\ Bug("same_view_sv") /\ v = view[r]
       \/ status[r] = "recovering" /\ Bug("no_nonce") /\ v >= view[r]
    /\ Adopt(r, v, m.log, m.commit)
=============================================================================
