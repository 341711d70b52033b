-------------------------------- MODULE Normal -------------------------------
(* Normal operation: VRR section 4.1; R1, R3, R8.                              *)
EXTENDS Replica

\* ClientRequest(p): the primary assigns the next op to a request, stores the
\* prepare and sends it to every backup.  VRR 4.1, steps 1 to 3.
\* Go: model/vsr ClientRequest; impl/vsr Replica.onRequest.
\* Not in VRR: the primary's own copy is durable before the Prepare leaves.
ClientRequest(p) ==
  /\ IsPrimary(p) /\ requests < MaxRequest
  /\ LET e == [op |-> Len(headers[p]) + 1, view |-> view[p], request |-> requests + 1]
     IN /\ headers' = [headers EXCEPT ![p] = Append(@, e)]
        /\ bodies' = [bodies EXCEPT ![p] = @ \cup {e}]
        /\ pipeline' = [pipeline EXCEPT ![p] = Append(@, e)]
        /\ prepares' = [prepares EXCEPT ![view[p]] = @ \cup {e}]
  /\ requests' = requests + 1
  /\ UNCHANGED <<status, view, merged, log_view, log_view_durable, commit_min, commit_max,
                 prepare_oks, commits, start_view_changes, do_view_changes, start_views,
                 answers, restarts, acknowledged>>

\* ReceivePrepare(r): a backup in the primary's view takes the next op, stores it
\* and acknowledges it.  VRR 4.1, step 4; R8, class "next".
\* Go: model/vsr ReceivePrepare; impl/vsr Replica.onPrepare, onPrepareStored.
\* With durable headers a hollow op below the new one is no obstacle: it is
\* acknowledged op by op.  Under LazyLogView it is, since a restart would fall
\* back to the log below the hole (mutant ack_over_hole).
ReceivePrepare(r) ==
  /\ IsBackup(r)
  /\ LazyLogView => ~HasHole(r) \/ Bug("ack_over_hole")
  /\ \E e \in prepares[view[r]] :
       /\ e.op = Len(headers[r]) + 1
       /\ headers' = [headers EXCEPT ![r] = Append(@, e)]
       /\ bodies' = [bodies EXCEPT ![r] = IF Stored(r, e) THEN @ ELSE @ \cup {e}]
       /\ SendPrepareOK(r, view[r], e)
  /\ UNCHANGED <<status, view, merged, log_view, log_view_durable, commitVars, prepares,
                 commits, start_view_changes, do_view_changes, start_views, answers,
                 bounds, acknowledged>>

\* PrimaryCommit(p): a replication quorum holds the op above commit_max, so it is
\* committed and the client may be told.  VRR 4.1, step 5; R3.
\* Go: model/vsr PrimaryCommit; impl/vsr Replica.onPrepareOK.
\* In upstream's shape the primary also executes it here if it heads the
\* pipeline (on_ack); with one walk, execution is WalkExecute alone (R5).
PrimaryCommit(p) ==
  /\ IsPrimary(p) /\ commit_max[p] < Len(headers[p])
  /\ LET op   == commit_max[p] + 1
         e    == headers[p][op]
         by   == {p} \cup { r \in Replicas : <<r, e>> \in prepare_oks[view[p]] }
         head == pipeline[p] # <<>> /\ pipeline[p][1].op = op
         execute == ~Walk /\ commit_min[p] = commit_max[p] /\ head
     IN /\ Cardinality(by) >= ReplicationQuorum
        /\ commit_max' = [commit_max EXCEPT ![p] = op]
        /\ commit_min' = IF execute THEN [commit_min EXCEPT ![p] = op] ELSE commit_min
        /\ pipeline' = IF execute \/ (Walk /\ head)
                       THEN [pipeline EXCEPT ![p] = Tail(@)] ELSE pipeline
        /\ acknowledged' = IF op > Len(acknowledged) THEN Append(acknowledged, e)
                           ELSE acknowledged
        /\ commits' = IF Bug("commit_number_not_sent") THEN commits
                      ELSE [commits EXCEPT ![view[p]] = op]
  /\ UNCHANGED <<status, view, merged, logVars, prepares, prepare_oks, start_view_changes,
                 do_view_changes, start_views, answers, bounds>>

\* ReceiveCommit(r, k): a backup hears commit number k of its view: the newest,
\* or an older one that was delayed.  VRR 4.1, steps 6 and 7.
\* Go: model/vsr ReceiveCommit; impl/vsr Replica.onCommit.
ReceiveCommit(r, k) ==
  /\ IsBackup(r) /\ commit_max[r] < k /\ k <= commits[view[r]]
  /\ commit_max' = [commit_max EXCEPT ![r] = k]
  /\ UNCHANGED <<status, view, merged, logVars, commit_min, pipeline, viewNetwork, answers,
                 bounds, acknowledged>>
=============================================================================
