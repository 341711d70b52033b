------------------------------- MODULE TraceVSR ------------------------------
(* Accepts recorded traces of groups of replicas, or says where one stops      *)
(* being a behaviour of VSR: the second opinion on traces/conform, by another  *)
(* program and, for what a crash hides, in another way.                        *)
(*                                                                             *)
(* Traces is a sequence of traces, each a sequence of events.  An event names  *)
(* an action, its replica, what is known of its parameters (0, N or {}: not    *)
(* said) and the replica's state afterwards.  Checksums and boots are numbers: *)
(* only equality counts.  Each step prints <<trace, event>>; a trace is        *)
(* accepted if its last event is among what is printed, and else stops being a *)
(* behaviour one event behind the highest that is.                             *)
(*                                                                             *)
(* It has no cfg of its own: traces/conform/tlcbatch writes a module with the  *)
(* traces, and a cfg whose bounds none of them can exceed.                     *)
EXTENDS VSR, TLC

CONSTANT Traces

VARIABLES trace,  \* Which trace is being followed.
          line,   \* Its next event.
          names,  \* <<checksum, entry>>: what checksums stand for, one to one.
          boots,  \* Of each replica, as its last event said; 0: not said (R4).
          hidden  \* What came unseen since the last event, and the op of it:
                  \* "none", "prepares", "bodies" or "change".
traceVars == <<vars, trace, line, names, boots, hidden>>

Nothing == <<"none", 0>>
TraceInit ==
  /\ Init /\ trace \in 1..Len(Traces) /\ line = 1
  /\ names = {} /\ boots = [r \in Replicas |-> 0] /\ hidden = Nothing

Left == line <= Len(Traces[trace])
Event == Traces[trace][line]

Given(x, y, none) == x = none \/ x = y

\* A parameter that is an op, and the checksum that the event gives it, stand for the
\* entry of that op in a log.
Concerns(e, op, log) == Given(e.op, op, 0) /\ op \in 1..Len(log)
Named(e, op, log) == IF e.checksum = 0 \/ op \notin 1..Len(log) THEN {}
                     ELSE {<<e.checksum, log[op]>>}

\* What the names are after the event: none stands for two entries, no entry has two.
\* Not with \A: in an action TLC goes a few calls deeper for each element.
Clash(x, y) == (x[1] = y[1]) # (x[2] = y[2])
Names(pairs) ==
  /\ { y \in names \cup pairs : \E x \in pairs : Clash(x, y) } = {}
  /\ names' = names \cup pairs

\* A replica has one boot for as long as it runs, and another after each restart (R4).
Boots(e) ==
  /\ \/ e.boot = 0 \/ boots[e.replica] = 0
     \/ (e.action = "Restart") <=> (e.boot # boots[e.replica])
  /\ boots' = [boots EXCEPT ![e.replica] = e.boot]

\* The replica's state after the event is the one that it shows.  Whole(r) is
\* Contiguous(r) in one pass: traces are longer than what is model checked.
Stop(r) ==
  CASE status[r] # "normal" -> "NotNormal"
    [] commit_min[r] = commit_max[r] -> "CaughtUp"
    [] commit_min[r] + 1 > Len(headers[r]) -> "MissingHeader"
    [] headers[r][commit_min[r] + 1] \notin bodies[r] -> "MissingBody"
    [] OTHER -> "AwaitingExecution"
Hollow(r) == { i \in 1..Len(headers[r]) : headers[r][i] \notin bodies[r] }
Whole(r, hollow) == IF hollow = {} THEN Len(headers[r]) ELSE Min(hollow) - 1
Span(r) == IF pipeline[r] = <<>> THEN <<>>
           ELSE <<pipeline[r][1].op, pipeline[r][Len(pipeline[r])].op>>
DurableLogView(r) == IF LazyLogView THEN log_view_durable[r] ELSE log_view[r]
Shows(e, r, s) ==
  /\ s.status = status[r] /\ s.view = view[r] /\ s.view_durable = view[r]
  /\ s.log_view = log_view[r] /\ s.log_view_durable = DurableLogView(r)
  /\ s.op_head = Len(headers[r]) /\ (e.head # 0 => headers[r] # <<>>)
  /\ s.commit_min = commit_min[r] /\ s.commit_max = commit_max[r]
  /\ s.pipeline = Span(r) /\ e.stop \in {"", Stop(r)}
  /\ LET hollow == Hollow(r) IN s.hollow = hollow /\ s.contiguous = Whole(r, hollow)
NamedHead(e, log) == IF e.head = 0 \/ log = <<>> THEN {}
                     ELSE {<<e.head, log[Len(log)]>>}

-----------------------------------------------------------------------------
\* An event that is an action: one step of VSR with the parameters that it gives.

AtHead(e) == LET log == headers'[e.replica] IN
  Concerns(e, Len(log), log) /\ Names(Named(e, Len(log), log) \cup NamedHead(e, log))
AtCommitMax(e) == LET log == headers'[e.replica] op == commit_max'[e.replica] IN
  Concerns(e, op, log) /\ Names(Named(e, op, log) \cup NamedHead(e, log))
AtCommitMin(e) == LET log == headers'[e.replica] op == commit_min'[e.replica] IN
  Concerns(e, op, log) /\ Names(Named(e, op, log) \cup NamedHead(e, log))
Elsewhere(e) == Names(NamedHead(e, headers'[e.replica]))

RepairLog(r) == IF merged[r] # <<>> THEN merged[r][1].log ELSE headers[r]
RepairOps(e) == IF e.op = 0 THEN 1..Len(RepairLog(e.replica)) ELSE {e.op}
EventViews(e) == IF e.view = 0 THEN Views ELSE Views \cap {e.view}
EventCommits(e) == IF e.commit = 0 THEN 1..commits[view[e.replica]] ELSE {e.commit}

Act(e) ==
  LET r == e.replica IN
  \/ e.action = "ClientRequest" /\ ClientRequest(r) /\ AtHead(e)
  \/ e.action = "ReceivePrepare" /\ ReceivePrepare(r) /\ AtHead(e)
  \/ e.action = "PrimaryCommit" /\ PrimaryCommit(r) /\ AtCommitMax(e)
  \/ e.action = "WalkExecute" /\ WalkExecute(r) /\ AtCommitMin(e)
  \/ /\ e.action = "RepairPrepare"
     /\ \E op \in RepairOps(e) :
          /\ RepairPrepare(r, op) /\ Concerns(e, op, RepairLog(r)')
          /\ Names(Named(e, op, RepairLog(r)') \cup NamedHead(e, headers'[r]))
  \/ /\ e.action = "ReceiveCommit" /\ \E k \in EventCommits(e) : ReceiveCommit(r, k)
     /\ Elsewhere(e)
  \/ /\ e.action = "ReceiveStartViewChange"
     /\ \E v \in EventViews(e) : ReceiveStartViewChange(r, v)
     /\ Elsewhere(e)
  \/ /\ e.action = "ReceiveStartView" /\ \E v \in EventViews(e) : ReceiveStartView(r, v)
     /\ Elsewhere(e)
  \/ e.action = "Recover" /\ (\E v \in EventViews(e) : Recover(r, v)) /\ Elsewhere(e)
  \/ /\ e.action = "AnswerProbe"
     /\ \E to \in Replicas : Given(e.to, to, N) /\ AnswerProbe(r, to)
     /\ Elsewhere(e)
  \/ /\ e.action = "MergeVotes"
     /\ \E S \in VoterSets :
          /\ MergeVotes(r, S)
          /\ e.quorum # {} => /\ e.quorum = S
                              /\ e.op = Len(merged'[r][1].log)
                              /\ e.commit = merged'[r][1].commit
     /\ Elsewhere(e)
  \/ e.action = "StartViewChange" /\ StartViewChange(r) /\ Elsewhere(e)
  \/ e.action = "SendDoViewChange" /\ SendDoViewChange(r) /\ Elsewhere(e)
  \/ e.action = "BecomePrimary" /\ BecomePrimary(r) /\ Elsewhere(e)
  \/ e.action = "PipelineExecute" /\ PipelineExecute(r) /\ Elsewhere(e)
  \/ e.action = "Restart" /\ Restart(r) /\ Elsewhere(e)

\* A message that nobody can act on any more: VSR sends none, a replica may.
Useless(e) ==
  LET r == e.replica IN
  \/ /\ e.action = "SendDoViewChange" /\ status[r] = "view_change"
     /\ Cardinality(start_view_changes[view[r]]) >= ViewChangeQuorum
     /\ \A m \in do_view_changes[view[r]] : m.replica # r
     /\ ~VoteUseful(view[r])
  \/ /\ e.action = "AnswerProbe" /\ e.to \in Replicas \ {r} /\ IsPrimary(r)
     /\ \/ status[e.to] # "recovering" \/ view[r] < view[e.to]
        \/ [view |-> view[r], log |-> headers[r], commit |-> commit_max[r]]
             \in answers[e.to]

\* The event is bound, so that priming a formula about it does not prime its place.
FollowEvent ==
  /\ Left
  /\ \E e \in {Event} :
       /\ Boots(e)
       /\ \/ ~e.stutter /\ Act(e)
          \/ (e.stutter \/ Useless(e)) /\ UNCHANGED vars /\ Elsewhere(e)
       /\ Shows(e, e.replica, e.after)'
  /\ line' = line + 1 /\ hidden' = Nothing /\ UNCHANGED trace
  /\ PrintT(<<trace, line>>)

-----------------------------------------------------------------------------
\* What a crash hides: writes had landed whose end the replica did not live to see.
\* They were prepares and bodies, or one change of view or log: it starts only when
\* nothing else is being written.  Prepares come first and bodies in their order, since
\* no other order leads elsewhere.  What the log shows after the restart decides which;
\* of the bodies that only a merged log has, any may have landed.

HidePrepare(r) ==
  /\ hidden[1] \in {"none", "prepares"} /\ Len(headers[r]) < Event.after.op_head
  /\ ClientRequest(r) \/ ReceivePrepare(r)
  /\ hidden' = <<"prepares", Len(headers'[r])>>

InLog(r, op) == op <= Len(headers[r]) /\ headers[r][op] = RepairLog(r)[op]
\* The body of op may be the next: it is not hollow after the restart, nor is one left
\* behind that has to be stored too.
HideBody(r, op) ==
  /\ hidden[1] # "change" /\ (hidden[1] = "bodies" => hidden[2] < op)
  /\ InLog(r, op) => op \notin Event.after.hollow
  /\ \A i \in Hollow(r) : i < op /\ InLog(r, i) => i \in Event.after.hollow
  /\ RepairPrepare(r, op)
  /\ hidden' = <<"bodies", op>>

HideChange(r) ==
  /\ hidden = Nothing /\ hidden' = <<"change", 0>>
  /\ \/ StartViewChange(r) \/ BecomePrimary(r)
     \/ \E v \in Views \cap {Event.after.view} :
          ReceiveStartViewChange(r, v) \/ ReceiveStartView(r, v) \/ Recover(r, v)
  /\ view'[r] = Event.after.view
Hide ==
  /\ Left /\ Event.action = "Restart" /\ ~Event.stutter
  /\ \E r \in {Event.replica} :
       \/ HidePrepare(r) \/ HideChange(r)
       \/ \E op \in 1..Len(RepairLog(r)) : HideBody(r, op)
  /\ UNCHANGED <<trace, line, names, boots>>

TraceSpec == TraceInit /\ [][FollowEvent \/ Hide]_traceVars
=============================================================================
