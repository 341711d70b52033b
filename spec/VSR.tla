--------------------------------- MODULE VSR ---------------------------------
(* Viewstamped Replication: the composition of the sub-protocols, and what     *)
(* must hold of it.  With Bugs = {} every property holds; with any single      *)
(* member of BugNames the property that cfg/bug-*.cfg names is violated.       *)
EXTENDS Normal, Repair, CommitWalk, Recovery

Init ==
  /\ status = [r \in Replicas |-> "normal"]
  /\ view = [r \in Replicas |-> 0] /\ log_view = [r \in Replicas |-> 0]
  /\ log_view_durable = [r \in Replicas |-> 0]
  /\ headers = [r \in Replicas |-> <<>>] /\ bodies = [r \in Replicas |-> {}]
  /\ commit_min = [r \in Replicas |-> 0] /\ commit_max = [r \in Replicas |-> 0]
  /\ pipeline = [r \in Replicas |-> <<>>] /\ merged = [r \in Replicas |-> <<>>]
  /\ prepares = [v \in Views |-> {}] /\ prepare_oks = [v \in Views |-> {}]
  /\ commits = [v \in Views |-> 0] /\ start_view_changes = [v \in Views |-> {}]
  /\ do_view_changes = [v \in Views |-> {}] /\ start_views = [v \in Views |-> {}]
  /\ answers = [r \in Replicas |-> {}]
  /\ requests = 0 /\ restarts = 0 /\ acknowledged = <<>>

Next ==
  \/ \E r \in Replicas :
       \/ ClientRequest(r) \/ ReceivePrepare(r) \/ PrimaryCommit(r)
       \/ WalkExecute(r) \/ PipelineExecute(r) \/ StallTruncate(r)
       \/ StartViewChange(r) \/ SendDoViewChange(r) \/ BecomePrimary(r) \/ Restart(r)
  \/ \E r \in Replicas, k \in Ops : ReceiveCommit(r, k) \/ RepairPrepare(r, k)
  \/ \E r \in Replicas, v \in Views :
       ReceiveStartViewChange(r, v) \/ ReceiveStartView(r, v) \/ Recover(r, v)
  \/ \E r \in Replicas, j \in Replicas : AnswerProbe(r, j)
  \/ \E r \in Replicas, S \in VoterSets : MergeVotes(r, S)

Spec == Init /\ [][Next]_vars

\* What a live system keeps doing.  Requests, timeouts, crashes and the comeback
\* of a crashed replica are owed to nobody, nor is a second merge.
FirstMerge(r) == merged[r] = <<>> /\ \E S \in Quorums : MergeVotes(r, S)
FairStep(r) ==
  \/ ReceivePrepare(r) \/ PrimaryCommit(r) \/ WalkExecute(r) \/ PipelineExecute(r)
  \/ LiveRepair(r) \/ SendDoViewChange(r) \/ BecomePrimary(r)
  \/ \E k \in Ops : ReceiveCommit(r, k)
  \/ \E v \in Views : ReceiveStartViewChange(r, v) \/ ReceiveStartView(r, v)
  \/ FirstMerge(r)
\* Each replica is fair to each kind of step: one that stays possible is taken.  That is
\* less than fairness of FairStep(r) as a whole would be where one kind can go on for
\* ever; a replica owes its steps to no other one.
LiveSpec ==
  Spec /\ \A r \in Replicas :
    /\ WF_vars(ReceivePrepare(r)) /\ WF_vars(PrimaryCommit(r)) /\ WF_vars(WalkExecute(r))
    /\ WF_vars(PipelineExecute(r)) /\ WF_vars(LiveRepair(r)) /\ WF_vars(SendDoViewChange(r))
    /\ WF_vars(BecomePrimary(r)) /\ WF_vars(\E k \in Ops : ReceiveCommit(r, k))
    /\ WF_vars(\E v \in Views : ReceiveStartViewChange(r, v))
    /\ WF_vars(\E v \in Views : ReceiveStartView(r, v))
    /\ WF_vars(FirstMerge(r))

-----------------------------------------------------------------------------
\* Invariants.  Each names the mutant that breaks it.

Entry == [op : Ops, view : Views, request : Ops]
\* Shapes, and log_view <= view; entries lie at their op.
\* No mutant breaks it: it guards the module itself against slips.
TypeOK ==
  /\ status \in [Replicas -> {"normal", "view_change", "recovering"}]
  /\ view \in [Replicas -> Views] /\ log_view \in [Replicas -> Views]
  /\ \A r \in Replicas :
       /\ log_view[r] <= view[r] /\ bodies[r] \subseteq Entry
       /\ Entries(headers[r]) \subseteq Entry
       /\ \A i \in 1..Len(headers[r]) : headers[r][i].op = i
  /\ commit_min \in [Replicas -> 0..MaxRequest] /\ commit_max \in [Replicas -> 0..MaxRequest]

\* What a replica executed is what was acknowledged, with the right body.
\* Mutants volatile_view, dvc_drops_hollow, headers_volatile, stall_truncates,
\* half_is_quorum.
Agreement ==
  \A r \in Replicas : \A i \in 1..commit_min[r] :
    i <= Len(headers[r]) /\ i <= Len(acknowledged) /\ Holds(r, acknowledged[i])

\* Nothing else is ever known as committed at an acknowledged op.
\* Mutant longest_log.
CommitAgree ==
  \A r \in Replicas : \A i \in 1..commit_max[r] :
    i <= Len(acknowledged) /\ (i <= Len(headers[r]) => headers[r][i] = acknowledged[i])

\* An acknowledged op is in the logs and journals of a replication quorum, whatever
\* happens.
\* Mutants send_first, longest_log, half_is_quorum, one_quorum.
AckedDurable ==
  \A i \in 1..Len(acknowledged) :
    Cardinality({ r \in Replicas : Holds(r, acknowledged[i]) })
      >= Rules!ReplicationQuorum(N)

\* The pipeline is backed by the log: "committed prepare must be in journal".
\* Mutants stall_is_pipeline, start_hollow.
PipelineBacked ==
  \A r \in Replicas : \A i \in 1..Len(pipeline[r]) :
    LET e == pipeline[r][i]
    IN e.op <= Len(headers[r]) /\ headers[r][e.op] = e /\ Stored(r, e)

\* No op has two owners: the pipeline lies above what was executed.
\* Mutant walk_takes_pipeline.
PipelineAhead == \A r \in Replicas : pipeline[r] # <<>> => pipeline[r][1].op > commit_min[r]

\* A PrepareOK of the log's view vouches for that very body and its place (R3).
\* Mutants no_nonce, stale_body, same_view_sv, ack_over_hole.
PrepareOKBacked ==
  \A v \in Views : \A x \in prepare_oks[v] :
    log_view[x[1]] = v /\ status[x[1]] # "recovering" => Holds(x[1], x[2])

\* A view starts once, with one log: its primary does not start it again, with another
\* log, after it has forgotten that it did.
\* Mutant volatile_view.
OneStart == \A v \in Views : Cardinality(start_views[v]) <= 1

\* Nothing is executed that is not known to be committed.
\* No mutant breaks it: the guards of the two drivers state it.
CommitOrder == \A r \in Replicas : commit_min[r] <= commit_max[r]

-----------------------------------------------------------------------------
\* Liveness.

\* A replication quorum follows primary p.
Stable(p) ==
  /\ IsPrimary(p)
  /\ Cardinality({ r \in Replicas : status[r] = "normal" /\ view[r] = view[p] })
       >= ReplicationQuorum
CaughtUp(p) == \A r \in Replicas : status[r] = "normal" /\ view[r] = view[p]
                                   => commit_min[r] = Len(headers[p])
\* A view change quorum and its primary p have entered a view's change, and it is not over.
Changing(p) ==
  /\ status[p] = "view_change" /\ Primary(view[p]) = p
  /\ Cardinality({ r \in Replicas : status[r] = "view_change" /\ view[r] = view[p] })
       >= ViewChangeQuorum
\* A new primary waits for a body of its merged log that only crashed replicas
\* hold.  Its view cannot start; the next one takes its votes from the living.
Starved(p) ==
  /\ merged[p] # <<>>
  /\ \E e \in Entries(merged[p][1].log) :
       ~Stored(p, e) /\ \A s \in Replicas : e \in bodies[s] => status[s] = "recovering"

\* Under a primary that a quorum follows, the whole log commits, and all who follow
\* execute it (R9, R10).
\* Mutants narrow_repair, fill_is_duplicate, prepare_ok_once, commit_number_not_sent,
\* same_view_sv.
Progress == \A p \in Replicas : Stable(p) ~> (~Stable(p) \/ CaughtUp(p))

\* A view change that a quorum and its primary have entered ends: the view starts, or
\* somebody crashes or leaves for a higher view; unless the primary starves: then a
\* timeout is the way on (R9, R13).
\* Mutants repair_only_when_normal, join_is_silent.
ViewChangeCompletes ==
  \A p \in Replicas : Changing(p) ~> (~Changing(p) \/ Starved(p))

\* Both as an invariant.  Fair steps only consume, so every run of them ends in a quiet
\* state (the Go model checks that: fair steps make no cycle); there nothing may be
\* left undone.  It cannot see a run of fair steps that never ends, which one mutant
\* has: that is what the properties above are for.
\* Mutants narrow_repair, fill_is_duplicate, prepare_ok_once, commit_number_not_sent,
\* repair_only_when_normal, join_is_silent.
Quiet == \A r \in Replicas : ~ENABLED FairStep(r)
NoStall == Quiet => \A p \in Replicas : /\ Stable(p) => CaughtUp(p)
                                        /\ Changing(p) => Starved(p)
=============================================================================
