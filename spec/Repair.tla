-------------------------------- MODULE Repair -------------------------------
(* Repair of bodies: R6, R9, R10, R13.  VRR 5.2 (state transfer of log         *)
(* entries) is the nearest relative; VRR has no log without bodies.            *)
EXTENDS Replica

\* The entry that r lacks at op: of its log, if it is a backup; of the merged
\* log, if it is a new primary that repairs before it starts (R13).
Wanted(r, op) ==
  IF IsBackup(r) /\ op <= Len(headers[r]) THEN {headers[r][op]}
  ELSE IF merged[r] # <<>> /\ op <= Len(merged[r][1].log) /\ ~Bug("repair_only_when_normal")
  THEN {merged[r][1].log[op]}
  ELSE {}

\* Repair is level-triggered and reaches the head: any missing body, in any
\* order, at any time (R9).  Under LazyLogView a backup fills its holes upwards,
\* since what lies above a hole is lost in a restart.
RepairFrom(r, op, sources) ==
  /\ IsBackup(r) => /\ Bug("narrow_repair") => op <= commit_max[r]
                    /\ ~Bug("fill_is_duplicate")
                    /\ LazyLogView => \/ op = Contiguous(r) + 1
                                      \/ Bug("ack_over_hole")
  /\ \E e \in Wanted(r, op) :
       /\ ~Stored(r, e)
       /\ \E s \in sources : e \in bodies[s]
       /\ bodies' = [bodies EXCEPT ![r] = @ \cup {e}]
       /\ IF IsBackup(r) THEN SendPrepareOK(r, view[r], e) ELSE UNCHANGED prepare_oks
       /\ log_view_durable' =
            IF LazyLogView /\ IsBackup(r) /\ Entries(headers[r]) \subseteq bodies[r] \cup {e}
            THEN [log_view_durable EXCEPT ![r] = log_view[r]] ELSE log_view_durable
  /\ UNCHANGED <<status, view, merged, log_view, headers, commitVars, prepares, commits,
                 start_view_changes, do_view_changes, start_views, answers, bounds,
                 acknowledged>>

\* RepairPrepare(r, op): the body of op arrives from any other replica, which may
\* have crashed or moved on since it sent it: bodies are immutable, so when it was
\* sent does not matter.  R8, class "fill".
\* Go: model/vsr RepairPrepare; impl/vsr Replica.onRepairPrepare, onPrepareStored.
RepairPrepare(r, op) == RepairFrom(r, op, Replicas \ {r})

\* For liveness only replicas that are up count as sources.
LiveRepair(r) ==
  \E op \in Ops : RepairFrom(r, op, { s \in Replicas \ {r} : status[s] # "recovering" })
=============================================================================
