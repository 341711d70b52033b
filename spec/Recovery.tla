------------------------------- MODULE Recovery ------------------------------
(* Restart from disk, and the way back into a view: R1, R2, R4, R11.           *)
(* VRR 4.3 recovers a replica without a disk; this protocol restarts from its  *)
(* own log and asks the primary for the view's.                                *)
EXTENDS ViewChange

\* Restart(r): r crashes and comes back with what was durable: the superblock's
\* view and log view, the headers, the bodies (R2, R3).  Commit numbers are found
\* out again.
\* Go: model/vsr Restart; impl/vsr New(Config, Recovered).
Restart(r) ==
  /\ restarts < MaxCrash
  /\ restarts' = restarts + 1
  /\ status' = [status EXCEPT ![r] = "recovering"]
  /\ LET n == Contiguous(r)
         rebuilt == LazyLogView \/ Bug("headers_volatile") \* from the journal alone
         log == IF rebuilt THEN SubSeq(headers[r], 1, n) ELSE headers[r]
         last == IF n = 0 THEN 0 ELSE headers[r][n].view
     IN /\ headers' = [headers EXCEPT ![r] = log]
        /\ bodies' = IF rebuilt THEN [bodies EXCEPT ![r] = { b \in @ : b.op <= n }] ELSE bodies
        /\ view' = [view EXCEPT ![r] =
             CASE Bug("volatile_view") -> last
               [] Bug("send_first") /\ status[r] = "view_change" -> log_view[r]
               [] OTHER -> @]
        /\ log_view' = [log_view EXCEPT ![r] =
             CASE Bug("volatile_view") -> last
               [] LazyLogView -> log_view_durable[r]
               [] OTHER -> @]
  /\ commit_min' = [commit_min EXCEPT ![r] = 0]
  /\ commit_max' = [commit_max EXCEPT ![r] = 0]
  /\ pipeline' = [pipeline EXCEPT ![r] = <<>>]
  /\ merged' = [merged EXCEPT ![r] = <<>>]
  /\ answers' = [answers EXCEPT ![r] = {}]
  /\ Gc(Network)
  /\ UNCHANGED <<log_view_durable, requests, acknowledged>>

\* AnswerProbe(p, r): a primary answers the probe (RequestStartView) of a
\* recovering replica with its log and commit number as they are now.  The answer
\* carries the probe's incarnation, so it is younger than the restart (R4, R11).
\* Go: model/vsr AnswerProbe; impl/vsr Replica.onRequestStartView.
AnswerProbe(p, r) ==
  /\ status[r] = "recovering" /\ p # r /\ IsPrimary(p) /\ view[p] >= view[r]
  /\ answers' = [answers EXCEPT ![r] = @ \cup
       {[view |-> view[p], log |-> headers[p], commit |-> commit_max[p]]}]
  /\ answers' # answers
  /\ UNCHANGED <<replicaVars, viewNetwork, bounds, acknowledged>>

\* Recover(r, v): r adopts an answer to its own probe.
\* Go: model/vsr Recover; impl/vsr Replica.onStartView.
Recover(r, v) ==
  /\ status[r] = "recovering"
  /\ \E m \in answers[r] : m.view = v /\ Adopt(r, v, m.log, m.commit)
=============================================================================
