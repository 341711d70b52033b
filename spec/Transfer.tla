------------------------------- MODULE Transfer -------------------------------
(* Rejoin, repair of identity, release below checkpoints and state transfer: R2,   *)
(* R5-R7, R9-R11, R13, R17, R21.  TransferLog.tla has the log, TransferInstall.tla *)
(* checkpoints and their transfer.  It stands alone.  Abstractions:                *)
(*  - messages are read from the sender as it is, except the StartView of a view's *)
(*    start, which may come late; acknowledgements are per view and never lost;    *)
(*  - headers, bodies, log view, snapshot and pairing are durable at once; views,  *)
(*    too.  Of an install each durable step is explicit; Journal.tla has those of  *)
(*    a local checkpoint, which is one step here, each replica at its own time;    *)
(*  - commit points, transfers and chunks are in memory.  "recovering" is down or  *)
(*    probing: such a replica serves nobody, and votes once it leaves its view;    *)
(*  - any replica may leave its view at any time: no step waits for a timer.       *)
(* Not verified here: damage, torn writes and doubt (Journal.tla); nacks and lost  *)
(* bodies (here a vote that lacks a body disowns the op); client tables            *)
(* (Sessions.tla); several groups; late messages other than the StartView of a     *)
(* view's start; what a sender does to retain a checkpoint (with Retain it has it, *)
(* also after its own restart); chunks that survive a restart of the receiver.     *)
(* Groups of four and five: at the bounds of transfer-four* and transfer-five.     *)
EXTENDS TransferInstall

\* Steps that a live replica takes without anybody's leave.  They only consume: no
\* cycle consists of them (the Go model checks that), so every run of them ends.
FairStep(r) ==
  \/ ReceivePrepare(r) \/ PrimaryCommit(r) \/ WalkExecute(r) \/ BecomePrimary(r)
  \/ RaiseHead(r) \/ FetchChunk(r) \/ AbandonTransfer(r) \/ Install(r)
  \/ \E i \in Ops : RepairHeader(r, i) \/ RepairPrepare(r, i)
  \/ \E s \in Replicas :
       \/ ReceiveCommit(r, s) \/ ReceiveStartView(r, s)
       \/ StartTransfer(r, s) \/ ResumeTransfer(r, s)

Next ==
  \/ \E r \in Replicas :
       \/ ClientRequest(r) \/ ReceivePrepare(r) \/ PrimaryCommit(r) \/ WalkExecute(r)
       \/ BecomePrimary(r) \/ RaiseHead(r) \/ TakeCheckpoint(r) \/ FetchChunk(r)
       \/ AbandonTransfer(r) \/ Install(r) \/ Restart(r)
  \/ \E r \in Replicas, i \in Ops : RepairHeader(r, i) \/ RepairPrepare(r, i)
  \/ \E r \in Replicas, v \in Views : StartViewChange(r, v) \/ LateStartView(r, v)
  \/ \E r, s \in Replicas :
       \/ ReceiveCommit(r, s) \/ ReceiveStartView(r, s) \/ Recover(r, s)
       \/ StartTransfer(r, s) \/ ResumeTransfer(r, s)
  \/ \E r \in Replicas, S \in Quorums : MergeVotes(r, S)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* Agreement: what a replica has executed, or holds in a snapshot, is what was
\* committed, in order.  Mutants suffixless_adoption_trusts_old_entries,
\* no_chain_check_below_suffix, walk_by_op_not_checksum, transfer_keeps_dead_suffix,
\* serve_checkpoint_ahead_of_commit, vote_while_transferring_with_old_log and
\* chunks_of_two_checkpoints break it.
Prefix(a, b) == Len(a) <= Len(b) /\ a = Cut(b, Len(a))
Agreement ==
  \A r \in Replicas : Prefix(executed[r], committed) /\ Prefix(snapshot[r], committed)

\* NoRewind: only a restart takes commit_min back: no op executes twice in one boot.
\* Mutant transfer_rewinds breaks it.
NoRewind == ~rewound

\* AckedDurable: a committed entry is in the logs, or covered by the snapshots, of a
\* replication quorum.  Mutants transfer_jumps_view_before_log, install_truncates,
\* ack_while_transferring, late_answer_to_probe, startview_lowers_head and hole_disowns
\* break it.
Holds(r, i) ==
  \/ Len(snapshot[r]) >= i
  \/ /\ Stored(r, Cut(committed, i))
     /\ i <= Len(headers[r]) /\ headers[r][i] \in {Nil, Cut(committed, i)}
AckedDurable ==
  \A i \in 1..Len(committed) :
      Cardinality({ r \in Replicas : Holds(r, i) }) >= ReplicationQuorum

\* LogSpeaks: the log view speaks for the log that the replica has (R2).  Mutant loose
\* breaks it, the rejected variant: it loses nothing committed if senders are honest.
LogSpeaks ==
  \A r \in Replicas : \A i \in 1..Len(headers[r]) :
      headers[r][i] # Nil => headers[r][i] = Cut(view_logs[log_view[r]], i)

\* Bootable: a crash now leaves what a boot can start from.  Mutants install_not_atomic
\* and pairing_before_snapshot break it.
Bootable ==
  \A r \in Replicas : base[r] <= Len(snapshot[r]) /\ Len(pairing[r]) <= Len(snapshot[r])

\* CommitKnown: nothing executes that is not known as committed, and nothing is known as
\* committed that is not.  Mutant serve_checkpoint_ahead_of_commit breaks it.
CommitKnown ==
  \A r \in Replicas : CommitMin(r) <= commit_max[r] /\ commit_max[r] <= Len(committed)

\* FetchFollows: who fetches a checkpoint has adopted the log in whose chain that is; a
\* view change drops the fetch.  Mutant view_change_keeps_transfer breaks it.
FetchFollows == \A r \in Replicas : transfer[r].stage = 1 => Repairs(r)

\* SnapshotExecuted: but in an install, memory is not behind the snapshot.  Mutant
\* view_change_drops_install breaks it.
SnapshotExecuted ==
  \A r \in Replicas : Installing(r) \/ Len(snapshot[r]) <= CommitMin(r)

\* Admission: a primary prepares nothing of its view before it has executed what it booted
\* with, as far as that is of its log.  Mutant no_barrier breaks it.
Admission ==
  \A r \in Replicas :
    /\ status[r] = "recovering" => barrier[r] = Len(headers[r])
    /\ IsPrimary(r) /\ barrier[r] > CommitMin(r) =>
         LET tip == Tip(headers[r]) IN tip = Nil \/ tip[Len(tip)] < view[r]

\* NoStall: where a quorum follows a primary and somebody has not caught up, or an elect
\* has merged and all replicas are there, some fair step can be taken (R9, R10).  Since
\* fair steps only consume, every run of them ends where all have caught up.  Mutants
\* repair_stops_at_commit, serve_stops_at_commit, window_stands_still,
\* sticky_repair_peer, startview_never_raises_head, acks_carry_no_commit,
\* barrier_never_lowered, no_transfer, acks_withheld_stay_withheld and
\* elect_never_transfers break it.
Followed(p) ==
  /\ IsPrimary(p)
  /\ Cardinality({ r \in Replicas : status[r] = "normal" /\ view[r] = view[p] })
       >= ReplicationQuorum
CaughtUp(p) ==
  /\ barrier[p] <= CommitMin(p)
  /\ \A r \in Replicas : Live(r) /\ view[r] <= view[p] =>
       /\ status[r] = "normal" /\ view[r] = view[p] /\ transfer[r] = NoTransfer
       /\ Tip(headers[r]) = Tip(headers[p]) /\ CommitMin(r) = Len(headers[p])
Starting(p) == IsMerged(p) /\ \A r \in Replicas : Live(r) /\ view[r] <= view[p]
NoStall ==
  \A p \in Replicas :
      (Followed(p) /\ ~CaughtUp(p)) \/ Starting(p)
      => \E r \in Replicas : ENABLED FairStep(r)
=============================================================================
