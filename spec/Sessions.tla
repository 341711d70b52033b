------------------------------- MODULE Sessions -------------------------------
(* Client sessions: the client table of each replica as a function of the      *)
(* committed log, what a replica may answer from it, and what a client may     *)
(* conclude from an answer.  R17, R18, R19.  VRR 4.1 has the table and its     *)
(* watermark; sessions, their end and the many replies in a row are ours.      *)
(* Abstractions, each of which a finer system refines:                         *)
(*  - the log is what survives: any message that a client ever sent may commit *)
(*    at any time, any number of times, in any order.  That covers each view   *)
(*    change, pipeline, forward, late duplicate and request given up, and so   *)
(*    nothing here rests on what a primary checked before it prepared: what is *)
(*    checked when an op executes is the authority;                            *)
(*  - every replica may answer any message from its table at any time; one     *)
(*    that lags stands for a deposed primary and for answers that come late;   *)
(*  - an answer is given in the step in which the client takes it.  No step is *)
(*    forced, so it may be lost; a resend changes nothing, as messages stay;   *)
(*  - a payload is a number that a client uses for one request only; Checksum  *)
(*    tells it from another process's, not from the client's other requests,   *)
(*    which may have the same bytes;                                           *)
(*  - the result of a request is the op at which it executed;                  *)
(*  - replica 0 checkpoints and restarts, the others may install its           *)
(*    checkpoint; what else they store is the matter of other modules;         *)
(*  - a node has authenticated the user whose Register it forwards; no request *)
(*    of another user is modelled, as it would name a session.                 *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,           \* replicas, 0..N-1
          Clients,     \* clients, 1..Clients
          Shape,       \* "numbered": clients number their Registers and leave no gaps;
                       \* "upstream": they do neither
          Capacity,    \* slots of the client table, before any Resize
          MaxCapacity, \* operators agree on up to so many slots; 0: they never do
          Ring,        \* replies that a row keeps
          Window,      \* span of the numbers that a client has open: <= Ring
          MaxOp,       \* length of the log
          MaxRegister, \* registrations of a client
          MaxRequest,  \* requests of a client
          MaxRestart,  \* restarts of replica 0
          Logouts,     \* BOOLEAN: clients log out
          Misuse,      \* BOOLEAN: a second process uses the client's session
          Intruders,   \* BOOLEAN: another user registers under the client's id
          Transfers,   \* BOOLEAN: a replica that lags installs the checkpoint
          Bugs         \* deliberate defects
BugNames ==
    { "dedup_only_in_memory",            \* R17: a restart loses watermarks and replies
      "table_not_in_checkpoint",         \* R17: a restart begins with an empty table
      "snapshot_loses_slots",            \* R17: rows are packed at a restart
      "snapshot_loses_ring",             \* R17: a snapshot holds the newest reply only
      "eviction_order_by_local_time",    \* R18: each replica chooses its own victim
      "capacity_of_own_config",          \* R18: replicas differ in capacity
      "session_from_counter_not_op",     \* R18: a row counts its sessions: 1, 2, ...
      "old_register_accepted",           \* R18: a late Register of a lower number rebinds
      "register_not_idempotent",         \* R18: so does a duplicate
      "logout_replayed",                 \* R18: a late Logout ends a newer session
      "request_of_old_session_executes", \* R18: execution compares the client only
      "request_without_session_executes",\* R18: execution trusts preflight, though the row is gone
      "duplicate_in_pipeline",           \* R18: execution does not compare the number
      "ring_too_small_reexecutes",       \* R18: an old number without a reply executes again
      "gaps_allowed",                    \* R18: any number above the watermark executes
      "gone_is_success",                 \* R18: the client takes "gone" for its own success
      "window_counts_open",              \* R18: the window is a count of open requests, not a span
      "reply_cached_before_commit",      \* R19: a retry is answered from a prepared request
      "preflight_on_stale_primary",      \* R18: "over" for a session that it has not heard of yet
      "refusal_while_in_flight",         \* R18: "not accepted" is taken as final
      "over_is_refusal",                 \* R18: "over" is taken for "never executed"
      "birth_ignored",                   \* R18: the client trusts a new row's watermark: iggy#3905
      "checksum_ignored",                \* R18: other bytes get the cached reply
      "reply_without_checksum",          \* R18: the client compares no checksum
      "reply_matched_by_number",         \* R18: the client takes a reply of a session before born
      "client_skips_number",             \* R18: the client gives up a number within its session
      "dead_session_unanswered",         \* R18: no answer to a request of an ended session
      "owner_in_preflight_only",         \* R18: execution rebinds whoever asks
      "session_told_to_anyone",          \* R18: the answer to Register compares no owner
      "capacity_not_in_checkpoint",      \* R17: a restart goes back to the capacity at the start
      "transfer_packs_slots",            \* R21: a transfer moves rows to the first slots
      "numbers_start_again" }            \* R18: upstream's client begins at 1 under an id it had
ASSUME /\ Shape \in {"numbered", "upstream"} /\ MaxCapacity \in Nat
       /\ N \in Nat \ {0} /\ Clients \in Nat \ {0} /\ Capacity \in Nat \ {0}
       /\ Ring \in Nat \ {0} /\ Window \in 1..Ring
       /\ Bugs \subseteq BugNames

VARIABLES
  sent,       \* messages that clients have sent
  log,        \* committed messages; a message's place is its op
  commit_min, \* [Replicas -> Nat]: the op that the replica has executed
  table,      \* [Replicas -> client table]
  checkpoint, \* of replica 0: [op, table]
  client,     \* [ClientIDs -> what the client knows]
  restarts,   \* number of restarts so far
  \* What happened (ghosts).
  executed,   \* ops at which some replica executed a request
  ended,      \* <<client, session, op, why>>: sessions that some replica ended
  confirmed,  \* <<client, payload, op>>: positive answers taken; op 0: without result
  refused     \* <<client, payload>>: taken for never executed, for ever
vars == <<sent, log, commit_min, table, checkpoint, client, restarts,
          executed, ended, confirmed, refused>>
ghosts == <<executed, ended>>
replica_vars == <<commit_min, table, checkpoint, restarts, ghosts>>
client_vars == <<sent, client, confirmed, refused>>

Replicas == 0..N-1
ClientIDs == 1..Clients
Upstream == Shape = "upstream"
Bug(b) == b \in Bugs
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y

\* Messages.  A client raises the number of its registrations each time.  user is
\* who asks: 1 is the client's own, 2 another.
RegisterMessage(c, registration, user) ==
    [kind |-> "register", client |-> c, registration |-> registration, user |-> user]
RequestMessage(c, session, number, payload) ==
    [kind |-> "request", client |-> c, session |-> session, number |-> number,
     payload |-> payload]
LogoutMessage(c, session) == [kind |-> "logout", client |-> c, session |-> session]
ResizeMessage(capacity) == [kind |-> "resize", client |-> 0, capacity |-> capacity]
\* Payload 0 is the second process's.
Checksum(payload) == IF payload = 0 THEN 0 ELSE 1

-----------------------------------------------------------------------------
\* The client table: slots, each with a row or None.  A row:
\*   client, registration: whose it is, and the Register that bound the session;
\*   owner: the user to whom it belongs, for as long as it is there;
\*   session: the op of that Register;
\*   born: the op of the Register that created the row.  Later ones keep it, and
\*     the watermark and the replies: that is what makes them a proof;
\*   watermark: the highest number that executed; bound_watermark: the same at
\*     the last Register;
\*   replies: the newest Ring of them; newest: the op that last touched the row.
None == [client |-> 0]
CapacityOf(r) == IF Bug("capacity_of_own_config") /\ r > 0 THEN Capacity + 1 ELSE Capacity
EmptyTable(r) == [i \in 1..CapacityOf(r) |-> None]
Used(t) == { i \in DOMAIN t : t[i] # None }
SlotOf(t, c) == LET S == { i \in DOMAIN t : t[i].client = c } IN IF S = {} THEN 0 ELSE Min(S)
LastOf(replies, k) ==
    IF Len(replies) > k THEN SubSeq(replies, Len(replies) - k + 1, Len(replies)) ELSE replies
Cached(row, number) == { i \in 1..Len(row.replies) : row.replies[i].number = number }

\* The slots whose row a full table may give up: the one that no op has touched for
\* longest.  Each op touches one row, so there is no tie.
Victims(t) ==
    IF Bug("eviction_order_by_local_time") THEN DOMAIN t
    ELSE { i \in DOMAIN t : \A j \in DOMAIN t : t[i].newest <= t[j].newest }

\* What executing m needs: a victim, or none (0).
VictimsFor(t, m) ==
    IF m.kind = "register" /\ SlotOf(t, m.client) = 0 /\ Used(t) = DOMAIN t
    THEN Victims(t) ELSE {0}

Unchanged(t) == [table |-> t, executed |-> FALSE, ended |-> {}]

\* Register: a higher number than the row's rebinds, or creates the row.  The same
\* or a lower one changes nothing, however often it commits, and neither does another
\* user's.  Upstream's has no number, so that each one that commits rebinds.
\* Go: model/sessions executeRegister.
ExecuteRegister(t, op, m, victim) ==
    LET i == SlotOf(t, m.client)
        free == DOMAIN t \ Used(t)
        at == IF i # 0 THEN i ELSE IF free # {} THEN Min(free) ELSE victim
        session == IF ~Bug("session_from_counter_not_op") THEN op
                   ELSE IF i = 0 THEN 1 ELSE t[i].session + 1
        row == IF i # 0
               THEN [t[i] EXCEPT !.registration = m.registration, !.session = session,
                                 !.bound_watermark = t[i].watermark, !.newest = op]
               ELSE [client |-> m.client, registration |-> m.registration,
                     owner |-> m.user, session |-> session, born |-> session, watermark |-> 0,
                     bound_watermark |-> 0, replies |-> <<>>, newest |-> op]
        old == /\ i # 0 /\ ~Upstream
               /\ \/ m.registration < t[i].registration /\ ~Bug("old_register_accepted")
                  \/ m.registration = t[i].registration /\ ~Bug("register_not_idempotent")
        foreign == i # 0 /\ t[i].owner # m.user /\ ~Bug("owner_in_preflight_only")
        why == IF i # 0 THEN "rebound" ELSE "evicted"
    IN IF old \/ foreign THEN Unchanged(t)
       ELSE [table |-> [t EXCEPT ![at] = row], executed |-> FALSE,
             ended |-> IF t[at] = None THEN {}
                       ELSE {<<t[at].client, t[at].session, op, why>>}]

\* May a number be skipped?  Upstream's clients do.
Gaps == Upstream \/ Bug("gaps_allowed")

\* A request executes if and only if its session is the row's and its number is the
\* next.  Whatever preflight let through, this decides.
\* Go: model/sessions executeRequest.
ExecuteRequest(t, op, m) ==
    LET i == SlotOf(t, m.client)
        live == i # 0 /\ (t[i].session = m.session \/ Bug("request_of_old_session_executes"))
        next == \/ m.number = t[i].watermark + 1
                \/ m.number > t[i].watermark /\ Gaps
                \/ m.number <= t[i].watermark /\ Bug("duplicate_in_pipeline")
                \/ /\ m.number <= t[i].watermark /\ Cached(t[i], m.number) = {}
                   /\ Bug("ring_too_small_reexecutes")
        reply == [session |-> m.session, number |-> m.number, payload |-> m.payload,
                  op |-> op]
    IN IF live /\ next
       THEN [table |-> [t EXCEPT ![i].watermark = Max({@, m.number}), ![i].newest = op,
                                 ![i].replies = LastOf(Append(@, reply), Ring)],
             executed |-> TRUE, ended |-> {}]
       ELSE [Unchanged(t) EXCEPT !.executed = i = 0 /\ Bug("request_without_session_executes")]

\* Logout removes the row if it names the row's session.
\* Go: model/sessions executeLogout.
ExecuteLogout(t, op, m) ==
    LET i == SlotOf(t, m.client)
    IN IF i # 0 /\ (t[i].session = m.session \/ Bug("logout_replayed"))
       THEN [table |-> [t EXCEPT ![i] = None], executed |-> FALSE,
             ended |-> {<<m.client, t[i].session, op, "logout">>}]
       ELSE Unchanged(t)

\* Resize: replicas agree on their capacity in the log, since it decides who is
\* evicted.  The newest rows stay, those beyond the new end in the first free slots.
\* It has no number: a late duplicate resizes again, at every replica alike.
\* Go: model/sessions executeResize.
NthOf(S, k) == { j \in S : Cardinality({ h \in S : h <= j }) = k }
ExecuteResize(t, op, m) ==
    LET slots == 1..m.capacity
        kept == { i \in Used(t) :
                    Cardinality({ j \in Used(t) : t[j].newest > t[i].newest }) < m.capacity }
        stay == kept \cap slots
        free == slots \ stay
        moved(i) == NthOf(kept \ slots, Cardinality({ h \in free : h <= i }))
        row(i) == IF i \in stay THEN t[i]
                  ELSE IF moved(i) = {} THEN None ELSE t[Min(moved(i))]
    IN [table |-> [i \in slots |-> row(i)], executed |-> FALSE,
        ended |-> { <<t[i].client, t[i].session, op, "evicted">> : i \in Used(t) \ kept }]

\* The function of the committed log that the table is.
ExecuteOn(t, op, m, victim) ==
    CASE m.kind = "register" -> ExecuteRegister(t, op, m, victim)
      [] m.kind = "request" -> ExecuteRequest(t, op, m)
      [] m.kind = "logout" -> ExecuteLogout(t, op, m)
      [] m.kind = "resize" -> ExecuteResize(t, op, m)

-----------------------------------------------------------------------------
\* Answers: what a replica whose table is t and whose commit_min is k says to a
\* message: an answer, "prepare" (it would prepare it), or nothing.
Silent == [kind |-> "silent"]
Prepare == [kind |-> "prepare"]

\* "Over" holds for ever, so that even a replica that lags may say it; but only of a
\* session that it has heard of.  That session = op makes the test possible.
Over(m, k) ==
    IF Bug("dead_session_unanswered") THEN Silent
    ELSE IF m.session <= k \/ Bug("preflight_on_stale_primary")
    THEN [kind |-> "over", client |-> m.client, session |-> m.session] ELSE Silent

\* For a request of the row's session.  Few refusals are definite: other bytes under
\* a number that executed is one, "not accepted" is none.
AnswerRequest(row, m, k) ==
    LET hits == Cached(row, m.number)
        reply == row.replies[Max(hits)]
        refusal == [kind |-> "refused", client |-> m.client, session |-> m.session,
                    number |-> m.number, payload |-> m.payload]
    IN IF m.number > row.watermark + 1 /\ ~Gaps THEN Silent
       ELSE IF m.number > row.watermark
       THEN IF Bug("reply_cached_before_commit")
            THEN [kind |-> "reply", client |-> m.client, session |-> m.session,
                  number |-> m.number, payload |-> m.payload, op |-> k + 1]
            ELSE IF Bug("refusal_while_in_flight") THEN refusal ELSE Prepare
       ELSE IF hits = {}
       THEN [kind |-> "gone", client |-> m.client, session |-> m.session,
             number |-> m.number]
       ELSE IF Checksum(reply.payload) = Checksum(m.payload) \/ Bug("checksum_ignored")
       THEN [kind |-> "reply", client |-> m.client, session |-> reply.session,
             number |-> reply.number, payload |-> reply.payload, op |-> reply.op]
       ELSE refusal

\* The id of a row of another user is taken; only "session" tells of what is in it.
\* Upstream's Registers are all alike (registration 0): for them "session" stands for the
\* answer to the one that bound the row's session.
\* Go: model/sessions answer.
AnswerFrom(t, k, m) ==
    LET i == SlotOf(t, m.client)
        row == t[i]
    IN IF m.kind = "register"
       THEN IF i = 0 THEN Prepare
            ELSE IF row.owner # m.user /\ ~Bug("session_told_to_anyone")
            THEN [kind |-> "taken", client |-> m.client]
            ELSE IF m.registration = row.registration
            THEN [kind |-> "session", client |-> m.client, registration |-> m.registration,
                  session |-> row.session, born |-> row.born,
                  watermark |-> row.bound_watermark]
            ELSE IF m.registration < row.registration THEN Silent ELSE Prepare
       ELSE IF i = 0 THEN Over(m, k)
       ELSE IF row.session # m.session THEN Over(m, k)
       ELSE IF m.kind = "logout" THEN Prepare ELSE AnswerRequest(row, m, k)
Answer(r, m) == AnswerFrom(table[r], commit_min[r], m)

IsOver(r, c, session) ==
    \E m \in sent : /\ m.client = c /\ m.kind # "register"
                    /\ Answer(r, m) = [kind |-> "over", client |-> c, session |-> session]

-----------------------------------------------------------------------------
Init ==
    /\ sent = {}
    /\ log = <<>>
    /\ commit_min = [r \in Replicas |-> 0]
    /\ table = [r \in Replicas |-> EmptyTable(r)]
    /\ checkpoint = [op |-> 0, table |-> EmptyTable(0)]
    /\ client = [c \in ClientIDs |->
         [phase |-> "new", registration |-> 0, session |-> 0, born |-> 0, number |-> 0,
          payload |-> 0, open |-> {}]]
    /\ restarts = 0
    /\ executed = {}
    /\ ended = {}
    /\ confirmed = {}
    /\ refused = {}

\* CommitMessage(m): any message that was ever sent gets the next op.
\* Go: model/sessions commitMessage.
CommitMessage(m) ==
    /\ m \in sent
    /\ Len(log) < MaxOp
    /\ log' = Append(log, m)
    /\ UNCHANGED <<replica_vars, client_vars>>

\* Execute(r, victim): r executes its next op.  R5: in op order, each once.  If that
\* evicts a row it is the one in slot victim, else victim is 0.
\* Go: model/sessions execute.
Execute(r, victim) ==
    /\ commit_min[r] < Len(log)
    /\ LET op == commit_min[r] + 1
           x == ExecuteOn(table[r], op, log[op], victim)
       IN /\ victim \in VictimsFor(table[r], log[op])
          /\ commit_min' = [commit_min EXCEPT ![r] = op]
          /\ table' = [table EXCEPT ![r] = x.table]
          /\ ended' = ended \cup x.ended
          /\ executed' = IF x.executed THEN executed \cup {op} ELSE executed
    /\ UNCHANGED <<log, checkpoint, restarts, client_vars>>

\* CheckpointTable: replica 0 makes its table durable.  R17: the whole of it.
\* Go: model/sessions checkpointTable.
CheckpointTable ==
    /\ restarts < MaxRestart
    /\ commit_min[0] > checkpoint.op
    /\ checkpoint' = [op |-> commit_min[0], table |-> table[0]]
    /\ UNCHANGED <<log, commit_min, table, restarts, ghosts, client_vars>>

Packed(t) ==
    [i \in DOMAIN t |->
        LET S == NthOf(Used(t), i) IN IF S = {} THEN None ELSE t[Min(S)]]
Rows(t, change(_)) == [i \in DOMAIN t |-> IF t[i] = None THEN None ELSE change(t[i])]
Restored(t) ==
    LET bare(row) == [row EXCEPT !.watermark = 0, !.bound_watermark = 0, !.replies = <<>>]
        newest(row) == [row EXCEPT !.replies = LastOf(@, 1)]
    IN CASE Bug("table_not_in_checkpoint") -> EmptyTable(0)
         [] Bug("dedup_only_in_memory") -> Rows(t, bare)
         [] Bug("snapshot_loses_ring") -> Rows(t, newest)
         [] Bug("snapshot_loses_slots") -> Packed(t)
         [] Bug("capacity_not_in_checkpoint") ->
              [i \in 1..Capacity |-> IF i \in DOMAIN t THEN t[i] ELSE None]
         [] OTHER -> t

\* RestartReplica: replica 0 comes back from its checkpoint.
\* Go: model/sessions restartReplica.
RestartReplica ==
    /\ restarts < MaxRestart
    /\ commit_min[0] > 0
    /\ restarts' = restarts + 1
    /\ commit_min' = [commit_min EXCEPT ![0] = checkpoint.op]
    /\ table' = [table EXCEPT ![0] = Restored(checkpoint.table)]
    /\ UNCHANGED <<log, checkpoint, ghosts, client_vars>>

\* InstallTable(r): r lags and installs the checkpoint of replica 0.  R21: above its
\* commit_min only; the table comes whole, with slots, replies and order.
\* Go: model/sessions installTable.
InstallTable(r) ==
    /\ Transfers
    /\ r # 0
    /\ commit_min[r] < checkpoint.op
    /\ commit_min' = [commit_min EXCEPT ![r] = checkpoint.op]
    /\ table' = [table EXCEPT ![r] = IF Bug("transfer_packs_slots") THEN Packed(checkpoint.table)
                                     ELSE checkpoint.table]
    /\ UNCHANGED <<log, checkpoint, restarts, ghosts, client_vars>>

\* ProposeCapacity(n): an operator asks for n slots.
\* Go: model/sessions proposeCapacity.
ProposeCapacity(n) ==
    /\ ResizeMessage(n) \notin sent
    /\ sent' = sent \cup {ResizeMessage(n)}
    /\ UNCHANGED <<log, replica_vars, client, confirmed, refused>>

-----------------------------------------------------------------------------
\* Clients.  phase: "new"; "registering", it waits for a session; "on", it holds
\* session; "over", it was told that session has ended; "out", it has logged out;
\* "taken", its id belongs to another user.
\* number and payload are the last it used.  open: its requests without an outcome.
Set(c, known) == client' = [client EXCEPT ![c] = known]

\* Register(c): asks for a session, at any time: also the only way to give up a
\* request, as numbers have no gaps.
\* Go: model/sessions register.
Register(c) ==
    LET registration == client[c].registration + 1
    IN /\ client[c].registration < MaxRegister /\ client[c].phase # "taken"
       /\ Set(c, [client[c] EXCEPT !.phase = "registering", !.registration = registration])
       /\ sent' = sent \cup {RegisterMessage(c, IF Upstream THEN 0 ELSE registration, 1)}
       /\ UNCHANGED <<log, replica_vars, confirmed, refused>>

\* The Register that c waits for an answer to.
AsksFor(c) == RegisterMessage(c, IF Upstream THEN 0 ELSE client[c].registration, 1)

\* TakeSession(c, r, refuse): the session comes with born and the watermark.  If the
\* row has been there since the client's last session, the watermark decides each
\* open request: those above it never execute, and the client takes them for refused
\* (refuse) or sends them again.  Else the outcome of all stays unknown.
\* Upstream's client is told the session only.  It takes one above its last, knows
\* nothing of what is open, and goes on with the next number of its id.
\* Go: model/sessions takeSession.
TakeSession(c, r, refuse) ==
    /\ client[c].phase = "registering"
    /\ LET x == client[c]
           a == Answer(r, AsksFor(c))
           known == /\ x.session > 0 /\ ~Upstream
                    /\ a.born <= x.session \/ Bug("birth_ignored")
           never == { o \in x.open : o.number > a.watermark }
           keep == IF ~known THEN {} ELSE IF refuse THEN x.open \ never ELSE x.open
           born == IF Upstream THEN 0 ELSE a.born
           number == IF ~Upstream THEN Max({a.watermark} \cup { o.number : o \in keep })
                     ELSE IF Bug("numbers_start_again") THEN 0 ELSE x.number
       IN /\ a.kind = "session"
          /\ Upstream => a.session > x.session /\ ~refuse
          /\ Set(c, [x EXCEPT !.phase = "on", !.session = a.session, !.born = born,
                              !.number = number, !.open = keep])
          /\ sent' = sent \cup { RequestMessage(c, a.session, o.number, o.payload) : o \in keep }
          /\ refused' = IF known /\ refuse
                        THEN refused \cup { <<c, o.payload>> : o \in never } ELSE refused
    /\ UNCHANGED <<log, replica_vars, confirmed>>

\* LearnTaken(c, r): r says that the id is another user's.  The client needs a new id.
\* Go: model/sessions learnTaken.
LearnTaken(c, r) ==
    /\ client[c].phase = "registering"
    /\ Answer(r, AsksFor(c)).kind = "taken"
    /\ Set(c, [client[c] EXCEPT !.phase = "taken", !.open = {}])
    /\ UNCHANGED <<sent, log, replica_vars, confirmed, refused>>

\* IntruderRegister(c, n): another user registers under c's id, with any number.
\* Go: model/sessions intruderRegister.
IntruderRegister(c, n) ==
    /\ Intruders
    /\ RegisterMessage(c, n, 2) \notin sent
    /\ sent' = sent \cup {RegisterMessage(c, n, 2)}
    /\ UNCHANGED <<log, replica_vars, client, confirmed, refused>>

\* SendRequest(c): the next number, within the window: the span from the oldest open
\* number, so that no reply which is still wanted falls out of the ring.
\* Go: model/sessions sendRequest.
SendRequest(c) ==
    LET x == client[c]
        number == x.number + 1
        payload == x.payload + 1
        open == IF Bug("client_skips_number") THEN {} ELSE x.open
    IN /\ x.phase = "on"
       /\ x.payload < MaxRequest
       /\ IF Bug("window_counts_open") THEN Cardinality(open) < Window
          ELSE \A o \in open : number - o.number < Window
       /\ Set(c, [x EXCEPT !.number = number, !.payload = payload,
                           !.open = open \cup {[number |-> number, payload |-> payload]}])
       /\ sent' = sent \cup {RequestMessage(c, x.session, number, payload)}
       /\ UNCHANGED <<log, replica_vars, confirmed, refused>>

\* ForeignRequest(c, n): a second process sends its own bytes under c's session.
\* Go: model/sessions foreignRequest.
ForeignRequest(c, n) ==
    /\ Misuse
    /\ client[c].phase = "on"
    /\ sent' = sent \cup {RequestMessage(c, client[c].session, n, 0)}
    /\ UNCHANGED <<log, replica_vars, client, confirmed, refused>>

\* Is answer a about the open request o of client x?  A reply that is replayed after
\* a rebind names the session in which it executed: not below born is enough.
\* Go: model/sessions fits.
Fits(x, a, o) ==
    CASE a.kind = "reply" ->
           /\ a.number = o.number
           /\ Checksum(a.payload) = Checksum(o.payload) \/ Bug("reply_without_checksum")
           /\ a.session >= x.born \/ Bug("reply_matched_by_number")
      [] a.kind = "gone" -> a.number = o.number /\ a.session = x.session
      [] a.kind = "refused" -> /\ a.number = o.number /\ a.session = x.session
                               /\ Checksum(a.payload) = Checksum(o.payload)
      [] OTHER -> FALSE

\* TakeAnswer(c, r, n, m): what r answers to m settles c's open request n.  "Gone"
\* settles it without an outcome: it executed, or another process's bytes did.
\* Go: model/sessions takeAnswer.
TakeAnswer(c, r, n, m) ==
    /\ client[c].phase = "on"
    /\ m \in sent /\ m.client = c /\ m.kind = "request"
    /\ \E o \in client[c].open :
         LET a == Answer(r, m)
         IN /\ o.number = n
            /\ Fits(client[c], a, o)
            /\ Set(c, [client[c] EXCEPT !.open = @ \ {o}])
            /\ confirmed' = IF a.kind = "reply" THEN confirmed \cup {<<c, o.payload, a.op>>}
                            ELSE IF a.kind = "gone" /\ Bug("gone_is_success")
                            THEN confirmed \cup {<<c, o.payload, 0>>} ELSE confirmed
            /\ refused' = IF a.kind = "refused" THEN refused \cup {<<c, o.payload>>} ELSE refused
    /\ UNCHANGED <<sent, log, replica_vars>>

\* LearnOver(c, r): r says that c's session has ended.  The outcome of what is open
\* is unknown; only another registration can tell.
\* Go: model/sessions learnOver.
LearnOver(c, r) ==
    /\ client[c].phase = "on"
    /\ IsOver(r, c, client[c].session)
    /\ LET final == Bug("over_is_refusal")
       IN /\ Set(c, [client[c] EXCEPT !.phase = "over", !.open = IF final THEN {} ELSE @])
          /\ refused' = IF final THEN refused \cup { <<c, o.payload>> : o \in client[c].open }
                        ELSE refused
    /\ UNCHANGED <<sent, log, replica_vars, confirmed>>

\* Logout(c): gives the session back, and with it what is open.
\* Go: model/sessions logout.
Logout(c) ==
    /\ Logouts
    /\ client[c].phase = "on"
    /\ Set(c, [client[c] EXCEPT !.phase = "out", !.open = {}])
    /\ sent' = sent \cup {LogoutMessage(c, client[c].session)}
    /\ UNCHANGED <<log, replica_vars, confirmed, refused>>

Next ==
    \/ \E m \in sent : CommitMessage(m)
    \/ \E r \in Replicas, victim \in 0..Max({Capacity + 1, MaxCapacity}) : Execute(r, victim)
    \/ CheckpointTable
    \/ RestartReplica
    \/ \E r \in Replicas : InstallTable(r)
    \/ \E n \in 1..MaxCapacity : ProposeCapacity(n)
    \/ \E c \in ClientIDs : Register(c)
    \/ \E c \in ClientIDs, r \in Replicas, refuse \in BOOLEAN : TakeSession(c, r, refuse)
    \/ \E c \in ClientIDs, r \in Replicas : LearnTaken(c, r)
    \/ \E c \in ClientIDs, n \in 1..MaxRegister : IntruderRegister(c, n)
    \/ \E c \in ClientIDs : SendRequest(c)
    \/ \E c \in ClientIDs, n \in 1..MaxRequest : ForeignRequest(c, n)
    \/ \E c \in ClientIDs, r \in Replicas, m \in sent :
         \E o \in client[c].open : TakeAnswer(c, r, o.number, m)
    \/ \E c \in ClientIDs, r \in Replicas : LearnOver(c, r)
    \/ \E c \in ClientIDs : Logout(c)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* AtMostOnce: a payload executes at most once, over all replicas, sessions and
\* restarts.  Mutants dedup_only_in_memory, duplicate_in_pipeline and
\* ring_too_small_reexecutes break it.
AtMostOnce ==
    \A i, j \in executed :
        log[i].client = log[j].client /\ log[i].payload = log[j].payload /\ log[i].payload > 0
        => i = j

\* NumberOnce: a number executes at most once in its session, whatever its payload.
\* Mutant duplicate_in_pipeline breaks it.
NumberOnce ==
    \A i, j \in executed :
        /\ log[i].client = log[j].client /\ log[i].session = log[j].session
        /\ log[i].number = log[j].number
        => i = j

\* PositiveExecuted: a positive answer is about this very payload, and names the op
\* that executed it.  Mutants gone_is_success, reply_cached_before_commit,
\* reply_without_checksum, reply_matched_by_number and numbers_start_again break it.
PositiveExecuted ==
    \A x \in confirmed : \E i \in executed :
        log[i].client = x[1] /\ log[i].payload = x[2] /\ x[3] \in {0, i}

\* RefusedNever: what is definitely refused never executes, now or later.  Mutants
\* request_of_old_session_executes, refusal_while_in_flight, over_is_refusal and
\* birth_ignored break it.
RefusedNever ==
    \A x \in refused : \A i \in executed : ~(log[i].client = x[1] /\ log[i].payload = x[2])

\* ReplyRight: each reply that a replica would give to a message is that of its
\* execution.  Mutant checksum_ignored breaks it.
ReplyRight ==
    \A r \in Replicas : \A m \in { x \in sent : x.kind = "request" } :
        LET a == Answer(r, m)
        IN a.kind = "reply" =>
             /\ a.payload = m.payload
             /\ a.op \in executed /\ log[a.op].payload = m.payload /\ log[a.op].client = m.client

\* GoneIsForeign: with Window <= Ring only a second process can push out a reply that
\* is still wanted.  Mutants gaps_allowed and window_counts_open break it.  In upstream's
\* shape it holds for a window of one: a request that its successor overtakes is gone.
GoneIsForeign ==
    Misuse \/ \A r \in Replicas, c \in ClientIDs : client[c].phase = "on" =>
        \A o \in client[c].open :
            Answer(r, RequestMessage(c, client[c].session, o.number, o.payload)).kind # "gone"

\* TablesEqual: tables at the same op are equal, slot by slot, and a checkpoint is such
\* a table.  Mutants snapshot_loses_slots, snapshot_loses_ring, transfer_packs_slots,
\* eviction_order_by_local_time and capacity_of_own_config break it.
Content(t) == { <<i, t[i]>> : i \in Used(t) }
TablesEqual ==
    \A r, q \in Replicas :
        /\ commit_min[r] = commit_min[q] => Content(table[r]) = Content(table[q])
        /\ checkpoint.op = commit_min[q] => Content(checkpoint.table) = Content(table[q])

\* CapacityAgreed: replicas at the same op have the same slots, used or not.  Mutant
\* capacity_not_in_checkpoint breaks it.
CapacityAgreed ==
    \A r, q \in Replicas :
        /\ commit_min[r] = commit_min[q] => DOMAIN table[r] = DOMAIN table[q]
        /\ checkpoint.op = commit_min[q] => DOMAIN checkpoint.table = DOMAIN table[q]

\* OwnerOnly: a row is bound by Registers of its owner alone, and nobody else is told of
\* its session.  Mutants owner_in_preflight_only and session_told_to_anyone break it.
BoundBy(op, user) == log[op].kind = "register" /\ log[op].user = user
OwnerOnly ==
    \A r \in Replicas :
        /\ \A i \in Used(table[r]) :
             LET row == table[r][i]
             IN BoundBy(row.session, row.owner) /\ BoundBy(row.born, row.owner)
        /\ \A m \in { x \in sent : x.kind = "register" } :
             Answer(r, m).kind = "session" => BoundBy(Answer(r, m).session, m.user)

\* DeadStaysDead: nothing executes in a session after its end.  Mutants
\* session_from_counter_not_op and request_without_session_executes break it.
DeadStaysDead ==
    \A x \in ended : \A i \in executed :
        log[i].client = x[1] /\ log[i].session = x[2] => i < x[3]

\* OverTrue: "over" is said only of sessions that have ended.  Mutants
\* table_not_in_checkpoint and preflight_on_stale_primary break it.
OverTrue ==
    \A r \in Replicas, c \in ClientIDs, s \in 1..MaxOp :
        IsOver(r, c, s) => \E x \in ended : x[1] = c /\ x[2] = s

\* OnlyEviction: a client that uses a session loses it to eviction alone, never to its
\* own past.  Mutants old_register_accepted, register_not_idempotent and
\* logout_replayed break it.  Upstream's shape does not have it: a late Register ends the
\* session in use, and the client learns that it is over.
OnlyEviction ==
    \A x \in ended :
        client[x[1]].phase = "on" /\ client[x[1]].session = x[2] => x[4] = "evicted"

\* NoStuck: where the whole log is executed, whatever a client waits for gets an answer
\* that it takes, at once or by the next op.  Mutants client_skips_number and
\* dead_session_unanswered break it: the second is TigerBeetle's commit 1955acc45, a
\* client that waited for ever in a session that a late Register had replaced.
Oldest(open) == CHOOSE o \in open : \A y \in open : o.number <= y.number
WaitsFor(c) ==
    IF client[c].phase = "registering" THEN {AsksFor(c)}
    ELSE IF client[c].phase = "on" /\ client[c].open # {}
    THEN LET o == Oldest(client[c].open)
         IN {RequestMessage(c, client[c].session, o.number, o.payload)}
    ELSE {}
Settles(c, a, m) ==
    \/ a.kind = "session" /\ (Upstream => a.session > client[c].session)
    \/ a.kind = "taken"
    \/ a = [kind |-> "over", client |-> c, session |-> client[c].session]
    \/ m.kind = "request" /\ Fits(client[c], a, [number |-> m.number, payload |-> m.payload])
NoStuck ==
    \A r \in Replicas, c \in ClientIDs : commit_min[r] = Len(log) => \A m \in WaitsFor(c) :
        LET a == Answer(r, m)
            op == commit_min[r] + 1
            victim == Min(VictimsFor(table[r], m))
            after == ExecuteOn(table[r], op, m, victim).table
            executes == a.kind = "prepare" \/ (Upstream /\ a.kind = "session")
        IN Settles(c, IF executes THEN AnswerFrom(after, op, m) ELSE a, m)
=============================================================================
