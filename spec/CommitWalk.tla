------------------------------ MODULE CommitWalk -----------------------------
(* Who executes committed ops, and what a stall may do: R5, R6, R7.            *)
(* VRR 4.1, steps 5 and 7.                                                     *)
EXTENDS Replica

\* Some committed op is in the log and not executed.
Pending(r) == /\ status[r] = "normal"
              /\ commit_min[r] < commit_max[r] /\ commit_min[r] < Len(headers[r])
\* The next op to execute heads the pipeline: in upstream's shape it belongs to
\* the pipeline's driver.  (With one walk the pipeline lies above commit_max.)
AtPipelineHead(r) == pipeline[r] # <<>> /\ pipeline[r][1].op = commit_min[r] + 1
Walkable(r) == /\ Pending(r) /\ Stored(r, headers[r][commit_min[r] + 1])
               /\ ~AtPipelineHead(r) \/ Bug("walk_takes_pipeline")

\* WalkExecute(r): the commit walk executes the next committed op from the
\* journal.  R5; primary and backup alike.  What the state machine finishes in a
\* view change counts when the replica is normal again.
\* Go: model/vsr WalkExecute; impl/vsr Replica.commitWalk, onExecuted.
WalkExecute(r) ==
  /\ Walkable(r)
  /\ commit_min' = [commit_min EXCEPT ![r] = @ + 1]
  /\ UNCHANGED <<status, view, merged, logVars, commit_max, pipeline, viewNetwork, answers,
                 bounds, acknowledged>>

\* PipelineExecute(p): upstream's second driver, which executes the head of the
\* pipeline.  Seed 000 is what happens when the two disagree on the owner.
\* Go: model/vsr PipelineExecute; impl/vsr has one driver only.
PipelineExecute(p) ==
  /\ ~Walk /\ status[p] = "normal"
  /\ AtPipelineHead(p) /\ commit_min[p] < commit_max[p]
  /\ commit_min' = [commit_min EXCEPT ![p] = @ + 1]
  /\ pipeline' = [pipeline EXCEPT ![p] = Tail(@)]
  /\ UNCHANGED <<status, view, merged, logVars, commit_max, viewNetwork, answers, bounds,
                 acknowledged>>

\* StallTruncate(r): mutants only.  A detector takes a walk that moved nothing
\* for a missing body and truncates the log there.  R6: a stall never truncates;
\* a missing body is repaired in place, and a walk that stops at the pipeline's
\* head is no stall.
\* Go: model/vsr StallTruncate; impl/vsr defects.go (seed 000).
StallTruncate(r) ==
  /\ Pending(r) /\ ~Walkable(r)
  /\ IF AtPipelineHead(r) THEN Bug("stall_is_pipeline") ELSE Bug("stall_truncates")
  /\ LET op == commit_min[r] + 1
         above == { headers[r][i] : i \in op..Len(headers[r]) }
     IN /\ headers' = [headers EXCEPT ![r] = SubSeq(@, 1, op - 1)]
        /\ bodies' = [bodies EXCEPT ![r] = @ \ above]
  /\ UNCHANGED <<status, view, merged, log_view, log_view_durable, commitVars, viewNetwork,
                 answers, bounds, acknowledged>>
=============================================================================
