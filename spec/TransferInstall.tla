--------------------------- MODULE TransferInstall ---------------------------
(* Checkpoints, the release of what they cover, the transfer of one to a replica   *)
(* that needs what is released, and a crash at any step of it: R17, R21.  VRR 5.1, *)
(* 5.2: "state transfer" there is also what we call repair.                        *)
EXTENDS TransferLog

\* What is left of a log and of bodies above checkpoint t; its own header stays.
Released(log, t) ==
  [i \in 1..Len(log) |-> IF i < Len(t) THEN Nil ELSE IF i = Len(t) THEN t ELSE log[i]]
OnlyCheckpoint(t) == [i \in 1..Len(t) |-> IF i = Len(t) THEN t ELSE Nil]
BodiesAbove(stored, op) == { e \in stored : Len(e) > op }

\* TakeCheckpoint(r): r makes its state durable and releases the log below (R17).
\* Journal.tla has its steps; here it is one.
\* Go: model/transfer machine.takeCheckpoint.
TakeCheckpoint(r) ==
  /\ status[r] = "normal" /\ transfer[r] = NoTransfer
  /\ checkpoints < MaxCheckpoint /\ CommitMin(r) > Len(snapshot[r])
  /\ snapshot' = [snapshot EXCEPT ![r] = executed[r]]
  /\ pairing' = [pairing EXCEPT ![r] = executed[r]]
  /\ base' = [base EXCEPT ![r] = CommitMin(r)]
  /\ headers' = [headers EXCEPT ![r] = Released(@, executed[r])]
  /\ bodies' = [bodies EXCEPT ![r] = BodiesAbove(@, CommitMin(r))]
  /\ checkpoints' = checkpoints + 1
  /\ UNCHANGED <<viewVars, commitVars, transfer, prepare_oks, start_views, requests,
                 crashes, ghostVars>>

\* The checkpoint that s offers.
Offer(s) ==
  IF WrongSender \/ Bug("serve_checkpoint_ahead_of_commit") THEN Tip(headers[s])
  ELSE pairing[s]

\* R21: a target is in the verified chain of the adopted log, and known as committed.
InChain(r, t) ==
  LET above == At(headers[r], Len(t) + 1)
  IN At(headers[r], Len(t)) = t \/ (above # Nil /\ Cut(above, Len(t)) = t)
Acceptable(r, t) ==
  /\ Len(t) > CommitMin(r)
  /\ \/ Bug("loose")
     \/ /\ InChain(r, t)
        /\ Len(t) <= commit_max[r] \/ Bug("serve_checkpoint_ahead_of_commit")

\* StartTransfer(r, s): s has released an op that r needs.  The walk stops.
\* Go: model/transfer machine.startTransfer.
StartTransfer(r, s) ==
  /\ IsBackup(r) \/ (IsMerged(r) /\ ~Bug("elect_never_transfers"))
  /\ transfer[r] = NoTransfer /\ ~Bug("no_transfer")
  /\ r # s /\ Live(s)
  /\ \E i \in CommitMin(r)+1..Len(headers[r]) :
       i <= base[s] /\ ~Stored(r, headers[r][i])
  /\ Acceptable(r, Offer(s))
  /\ transfer' = [transfer EXCEPT ![r] =
       [stage |-> 1, sender |-> s, target |-> Offer(s), chunks |-> <<>>]]
  /\ UNCHANGED <<viewVars, logVars, commitVars, durableVars, prepare_oks, start_views,
                 boundVars, ghostVars>>

\* Does the sender still have the target?  If it retains what it serves, as long as it
\* lives, whatever it has checkpointed since.
Serving(r) ==
  LET x == transfer[r]
  IN Live(x.sender) /\ (Retain \/ Offer(x.sender) = x.target)

\* The checkpoint that chunks make up; one of two checkpoints is that of no log.
Assembled(t, chunks) ==
  IF \A c \in 1..Len(chunks) : chunks[c] = t THEN t
  ELSE [i \in 1..Len(t) |-> MaxView + 1]

\* FetchChunk(r): one more chunk of the target.  With the last the install begins.
\* Go: model/transfer machine.fetchChunk.
FetchChunk(r) ==
  /\ transfer[r].stage = 1 /\ Serving(r)
  /\ LET x == transfer[r]
         chunks == Append(x.chunks, x.target)
     IN transfer' = [transfer EXCEPT ![r] =
          IF Len(chunks) < Chunks THEN [x EXCEPT !.chunks = chunks]
          ELSE [stage |-> 2, sender |-> 0, target |-> Assembled(x.target, chunks),
                chunks |-> <<>>]]
  /\ UNCHANGED <<viewVars, logVars, commitVars, durableVars, prepare_oks, start_views,
                 boundVars, ghostVars>>

\* ResumeTransfer(r, s): the sender is gone or has replaced its checkpoint; s has the
\* same one, and r goes on behind the chunks that it has.
\* Go: model/transfer machine.resumeTransfer.
ResumeTransfer(r, s) ==
  /\ transfer[r].stage = 1 /\ ~Serving(r) /\ ~Bug("sticky_repair_peer")
  /\ r # s /\ Live(s)
  /\ \/ Offer(s) = transfer[r].target
     \/ Bug("chunks_of_two_checkpoints") /\ Acceptable(r, Offer(s))
  /\ transfer' = [transfer EXCEPT ![r].sender = s, ![r].target = Offer(s)]
  /\ UNCHANGED <<viewVars, logVars, commitVars, durableVars, prepare_oks, start_views,
                 boundVars, ghostVars>>

\* AbandonTransfer(r): the sender is gone or has replaced its checkpoint, and r gives up
\* its chunks.  It owes the acknowledgements that it held back.
\* Go: model/transfer machine.abandonTransfer.
AbandonTransfer(r) ==
  /\ transfer[r].stage = 1 /\ ~Serving(r) /\ ~Bug("sticky_repair_peer")
  /\ transfer' = [transfer EXCEPT ![r] = NoTransfer]
  /\ prepare_oks' = IF Bug("acks_withheld_stay_withheld") THEN prepare_oks
                    ELSE PrepareOKs(r, view[r], headers[r], bodies[r], NoTransfer)
  /\ UNCHANGED <<viewVars, logVars, commitVars, durableVars, start_views, boundVars,
                 ghostVars>>

\* The log over checkpoint t.  What does not chain to t is dead; an adoption has already
\* decided the log, so nothing is.
Fit(log, t) ==
  LET above == At(log, Len(t) + 1)
      chains == \/ above = Nil
                \/ Cut(above, Len(t)) = t
                \/ Bug("transfer_keeps_dead_suffix")
      truncates == Bug("install_truncates") \/ Bug("ack_while_transferring")
  IN IF Len(log) > Len(t) /\ chains /\ ~truncates THEN Released(log, t)
     ELSE OnlyCheckpoint(t)

\* Install(r): the next durable step of an install.  Snapshot, pairing, then a state
\* record over the new base with the release; memory comes with the last.
\* Go: model/transfer machine.install.
Order == CASE Bug("install_not_atomic") -> <<"log", "snapshot", "pairing">>
         [] Bug("pairing_before_snapshot") -> <<"pairing", "snapshot", "log">>
         [] OTHER -> <<"snapshot", "pairing", "log">>
Install(r) ==
  /\ Installing(r)
  /\ LET t == transfer[r].target
         step == Order[transfer[r].stage - 1]
         last == transfer[r].stage = 4
     IN /\ snapshot' = [snapshot EXCEPT ![r] = IF step = "snapshot" THEN t ELSE @]
        /\ pairing' = [pairing EXCEPT ![r] = IF step = "pairing" THEN t ELSE @]
        /\ base' = [base EXCEPT ![r] = IF step = "log" THEN Len(t) ELSE @]
        /\ headers' = [headers EXCEPT ![r] = IF step = "log" THEN Fit(@, t) ELSE @]
        /\ bodies' = [bodies EXCEPT ![r] =
             IF step = "log" THEN BodiesAbove(@, Len(t)) ELSE @]
        /\ executed' = [executed EXCEPT ![r] = IF last THEN t ELSE @]
        /\ rewound' = (rewound \/ (last /\ Len(t) < CommitMin(r)))
        /\ commit_max' = [commit_max EXCEPT ![r] = IF last THEN Max({@, Len(t)}) ELSE @]
        /\ barrier' = [barrier EXCEPT ![r] = IF last /\ @ <= Len(t) THEN 0 ELSE @]
        /\ transfer' = [transfer EXCEPT ![r] = IF last THEN NoTransfer
                                               ELSE [@ EXCEPT !.stage = @ + 1]]
        /\ prepare_oks' =
             IF last /\ IsBackup(r)
             THEN PrepareOKs(r, view[r], headers'[r], bodies'[r], NoTransfer)
             ELSE prepare_oks
  /\ UNCHANGED <<viewVars, start_views, boundVars, view_logs, committed>>

\* Restart(r): r crashes, and comes back with what is durable: the newest complete
\* snapshot, also one newer than the pairing, and the log that fits it.  VRR 4.3.
\* Go: model/transfer machine.restart.
Restart(r) ==
  /\ crashes < MaxCrash /\ status[r] # "recovering"
  /\ crashes' = crashes + 1
  /\ status' = [status EXCEPT ![r] = "recovering"]
  /\ executed' = [executed EXCEPT ![r] = snapshot[r]]
  /\ commit_max' = [commit_max EXCEPT ![r] = Len(snapshot[r])]
  /\ headers' = [headers EXCEPT ![r] =
       IF snapshot[r] = Nil THEN @ ELSE Fit(@, snapshot[r])]
  /\ transfer' = [transfer EXCEPT ![r] = NoTransfer]
  /\ barrier' = [barrier EXCEPT ![r] = Len(headers'[r])]
  /\ prepare_oks' = [prepare_oks EXCEPT ![r] = {}]
  /\ UNCHANGED <<view, log_view, bodies, durableVars, start_views, requests,
                 checkpoints, ghostVars>>
=============================================================================
