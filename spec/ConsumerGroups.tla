--------------------------- MODULE ConsumerGroups ---------------------------
(* Who reads which partition: consumers join a group, leave it, or lose their  *)
(* session, and the partitions of the topic are dealt out anew each time.  The *)
(* log of the metadata decides all of it (R5: a state is a function of the     *)
(* log): who is a member at an op, in which order, under which generation.     *)
(* A member is in the group for as long as its session is in the client table  *)
(* (R18), whatever connection it uses; so a table that evicts a session tells  *)
(* the group, and so does a Logout, which a node sends for a member that has   *)
(* been away for too long.                                                     *)
(* Abstractions, each of which a finer system refines:                         *)
(*  - one topic and one group; another one is another function of the log;     *)
(*  - a request commits once and may do so at any time, also after its session *)
(*    has ended: what commits twice executes once (R18: Sessions has it, and   *)
(*    the numbers, replies and owners of sessions);                            *)
(*  - the client table is a set of rows with the order in which ops touched    *)
(*    them; its slots are Sessions' matter;                                    *)
(*  - replica 0 checkpoints and restarts (R17); a transferred checkpoint is a  *)
(*    restart from it;                                                         *)
(*  - a poll is held to what the process that it reaches has executed.  So two *)
(*    members may read a partition for as long as one of those lags; each op   *)
(*    has one reader for a partition, and strict questions tell which is the   *)
(*    newest (Reads: AskIndex).                                                *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,             \* replicas, 0..N-1
          Clients,       \* clients, 1..Clients
          Capacity,      \* rows of the client table
          Partitions,    \* partitions of the topic, before any change
          MaxPartitions, \* the topic changes to up to so many; 0: never
          MaxOp,         \* length of the log
          MaxRestart,    \* restarts of replica 0
          Logouts,       \* BOOLEAN: sessions are logged out
          Bugs           \* deliberate defects
BugNames ==
    { "share_counts_departed",        \* R5: partitions are dealt to all who have ever joined
      "joins_twice",                  \* R5: who is a member and joins is one once more
      "id_is_place",                  \* R5: an id is given again when a member has left
      "join_keeps_generation",        \* R5: the partitions are dealt out in the old generation
      "leave_keeps_generation",       \* R5: ... when a member leaves
      "end_keeps_generation",         \* R5: ... when a session ends
      "change_keeps_generation",      \* R5: ... when the topic has other partitions
      "generation_is_size",           \* R5: a generation is the number of members
      "eviction_keeps_member",        \* R18: a client that was evicted stays a member
      "logout_keeps_member",          \* R18: so does one that has logged out
      "rebind_ends_membership",       \* R18: a client that comes back is a member no more
      "logout_of_older_session",      \* R18: a late Logout ends a newer session
      "join_without_session",         \* R18: a join executes though its session has ended
      "members_unknown_at_boot",      \* R17: after a restart no end of a session is noticed
      "generation_not_in_checkpoint", \* R17: ... generations begin again
      "order_not_in_checkpoint" }     \* R17: ... members are in the order of their clients
ASSUME /\ N \in Nat \ {0} /\ Clients \in Nat \ {0} /\ Capacity \in Nat \ {0}
       /\ Partitions \in Nat /\ MaxPartitions \in Nat /\ MaxOp \in Nat
       /\ MaxRestart \in Nat /\ Logouts \in BOOLEAN /\ Bugs \subseteq BugNames

VARIABLES
  log,        \* committed messages; a message's place is its op
  commit_min, \* [Replicas -> Nat]: the op that the replica has executed
  table,      \* [Replicas -> client table]
  group,      \* [Replicas -> the consumer group and its topic]
  checkpoint, \* of replica 0: [op, table, group]
  restarts,   \* number of restarts so far
  \* What happened (ghosts).
  ended,      \* <<client, op>>: clients that ceased to be members at an op
  ids,        \* <<op, id>>: member ids that were given
  dealt       \* <<op, generation, shares>>: who could read what after an op
vars == <<log, commit_min, table, group, checkpoint, restarts, ended, ids, dealt>>

Replicas == 0..N-1
ClientIDs == 1..Clients
Bug(b) == b \in Bugs
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y

\* Messages.  number: of "join", "leave" and "logout" the session, which is the op of the
\* Register that bound it; of "change" the number of partitions.
Message(kind, client, number) == [kind |-> kind, client |-> client, number |-> number]

-----------------------------------------------------------------------------
\* The client table: for each client its session, 0 if it has no row, and the op that last
\* touched the row.
NoRow == [session |-> 0, newest |-> 0]
Used(t) == { c \in ClientIDs : t[c].session > 0 }
\* The client whose row a Register of c at a full table takes, 0 if there is room.
Victim(t, c) ==
    IF c \in Used(t) \/ Cardinality(Used(t)) < Capacity THEN 0
    ELSE CHOOSE v \in Used(t) : \A w \in Used(t) : t[v].newest <= t[w].newest

\* The group: members, in the order in which they joined; last, the last id that was given;
\* generation, that of the deal; partitions, those of the topic; known, clients that may be
\* members: of all others an end of a session is no news.  A checkpoint does not have it, as
\* it follows from the members.
Empty == [members |-> <<>>, last |-> 0, generation |-> 0, partitions |-> Partitions,
          known |-> {}]
Places(g, c) == { i \in 1..Len(g.members) : g.members[i].client = c }
\* The member at a place has each n-th partition, from its place on.
Share(g, place) ==
    LET n == IF Bug("share_counts_departed") THEN g.last ELSE Len(g.members)
    IN { p \in 1..g.partitions : (p - place) % n = 0 }
Shares(g) == { <<g.members[i].client, Share(g, i)>> : i \in 1..Len(g.members) }

Dealt(g, bug) ==
    [g EXCEPT !.generation = IF Bug("generation_is_size") THEN Len(g.members)
                             ELSE IF Bug(bug) THEN @ ELSE @ + 1]
Without(g, c) == [g EXCEPT !.members = SelectSeq(@, LAMBDA m : m.client # c)]

\* Join: the client is the last member; who is one stays what it is.
\* Go: model/consumergroups join; impl/statemachine/metadata execution.join.
Join(g, c) ==
    LET id == IF Bug("id_is_place") THEN Len(g.members) + 1 ELSE g.last + 1
    IN IF Places(g, c) # {} /\ ~Bug("joins_twice") THEN g
       ELSE Dealt([g EXCEPT !.members = Append(@, [id |-> id, client |-> c]),
                            !.last = id, !.known = @ \cup {c}], "join_keeps_generation")
\* Leave: the others move up.
\* Go: model/consumergroups leave; impl/statemachine/metadata execution.leave.
Leave(g, c) ==
    IF Places(g, c) = {} THEN g ELSE Dealt(Without(g, c), "leave_keeps_generation")
\* The session of c has ended: by an eviction or a Logout, not by a rebind.
\* Go: model/consumergroups end; impl/statemachine/metadata Machine.SessionEnded.
End(g, c) ==
    LET rest == [Without(g, c) EXCEPT !.known = @ \ {c}]
    IN IF c \notin g.known THEN g
       ELSE IF Places(g, c) = {} THEN rest ELSE Dealt(rest, "end_keeps_generation")
\* The topic has other partitions than before: a new deal, if there is anybody.
\* Go: model/consumergroups change; impl/statemachine/metadata topic.redistribute.
Change(g, n) ==
    LET other == [g EXCEPT !.partitions = n]
    IN IF g.members = <<>> THEN other ELSE Dealt(other, "change_keeps_generation")

\* What a message makes of table t and group g.  A request executes if its session is the
\* row's.
After(t, g, op, m) ==
    LET c == m.client
        victim == Victim(t, c)
        live == t[c].session > 0 /\ t[c].session = m.number
        out == t[c].session > 0 /\ (t[c].session = m.number \/ Bug("logout_of_older_session"))
        touched == [t EXCEPT ![c].newest = op]
    IN CASE m.kind = "register" ->
              [table |-> [x \in ClientIDs |-> IF x = c THEN [session |-> op, newest |-> op]
                                              ELSE IF x = victim THEN NoRow ELSE t[x]],
               group |-> IF victim > 0 /\ ~Bug("eviction_keeps_member") THEN End(g, victim)
                         ELSE IF t[c].session > 0 /\ Bug("rebind_ends_membership") THEN End(g, c)
                         ELSE g]
         [] m.kind = "join" ->
              IF live THEN [table |-> touched, group |-> Join(g, c)]
              ELSE [table |-> t, group |-> IF Bug("join_without_session") THEN Join(g, c) ELSE g]
         [] m.kind = "leave" ->
              IF live THEN [table |-> touched, group |-> Leave(g, c)]
              ELSE [table |-> t, group |-> g]
         [] m.kind = "logout" ->
              [table |-> IF out THEN [t EXCEPT ![c] = NoRow] ELSE t,
               group |-> IF out /\ ~Bug("logout_keeps_member") THEN End(g, c) ELSE g]
         [] m.kind = "change" -> [table |-> t, group |-> Change(g, m.number)]

-----------------------------------------------------------------------------
Init ==
    /\ log = <<>>
    /\ commit_min = [r \in Replicas |-> 0]
    /\ table = [r \in Replicas |-> [c \in ClientIDs |-> NoRow]]
    /\ group = [r \in Replicas |-> Empty]
    /\ checkpoint = [op |-> 0, table |-> table[0], group |-> Empty]
    /\ restarts = 0
    /\ ended = {}
    /\ ids = {}
    /\ dealt = {}

\* CommitMessage(m): a message gets the next op.  A request names a session that its client
\* was once told.
\* Go: model/consumergroups commitMessage.
Registered(c, op) ==
    op \in 1..Len(log) /\ log[op].kind = "register" /\ log[op].client = c
Messages ==
    { Message("register", c, 0) : c \in ClientIDs }
    \cup { Message(k, c, s) : k \in {"join", "leave"} \cup (IF Logouts THEN {"logout"} ELSE {}),
                              c \in ClientIDs, s \in 1..MaxOp }
    \cup { Message("change", 1, n) : n \in 1..MaxPartitions }
CommitMessage(m) ==
    /\ Len(log) < MaxOp
    /\ m.kind \in {"join", "leave", "logout"} => Registered(m.client, m.number)
    /\ log' = Append(log, m)
    /\ UNCHANGED <<commit_min, table, group, checkpoint, restarts, ended, ids, dealt>>

\* Execute(r): r executes its next op.  R5: in op order, each once.
\* Go: model/consumergroups execute; impl/statemachine Sessions.Decide.
Execute(r) ==
    /\ commit_min[r] < Len(log)
    /\ LET op == commit_min[r] + 1
           before == group[r]
           x == After(table[r], before, op, log[op])
       IN /\ commit_min' = [commit_min EXCEPT ![r] = op]
          /\ table' = [table EXCEPT ![r] = x.table]
          /\ group' = [group EXCEPT ![r] = x.group]
          /\ ended' = ended \cup { <<c, op>> : c \in { d \in ClientIDs :
                                    Places(before, d) # {} /\ Places(x.group, d) = {} } }
          /\ ids' = IF Len(x.group.members) > Len(before.members)
                    THEN ids \cup {<<op, x.group.last>>} ELSE ids
          /\ dealt' = dealt \cup {<<op, x.group.generation, Shares(x.group)>>}
    /\ UNCHANGED <<log, checkpoint, restarts>>

\* CheckpointGroup: replica 0 makes table and group durable.  R17: the whole of both.
\* Go: model/consumergroups checkpointGroup; impl/statemachine/metadata Machine.AppendSnapshot.
CheckpointGroup ==
    /\ restarts < MaxRestart
    /\ commit_min[0] > checkpoint.op
    /\ checkpoint' = [op |-> commit_min[0], table |-> table[0], group |-> group[0]]
    /\ UNCHANGED <<log, commit_min, table, group, restarts, ended, ids, dealt>>

\* RestartReplica: replica 0 comes back from its checkpoint.
\* Go: model/consumergroups restartReplica; impl/statemachine/metadata Machine.Restore.
Sorted(members) ==
    LET at(i) == CHOOSE m \in { members[k] : k \in 1..Len(members) } :
                   Cardinality({ k \in 1..Len(members) : members[k].client < m.client }) = i - 1
    IN [i \in 1..Len(members) |-> at(i)]
Restored(g) ==
    [g EXCEPT !.known = IF Bug("members_unknown_at_boot") THEN {}
                        ELSE { g.members[i].client : i \in 1..Len(g.members) },
              !.generation = IF Bug("generation_not_in_checkpoint") THEN 0 ELSE @,
              !.members = IF Bug("order_not_in_checkpoint") THEN Sorted(@) ELSE @]
RestartReplica ==
    /\ restarts < MaxRestart
    /\ commit_min[0] > 0
    /\ restarts' = restarts + 1
    /\ commit_min' = [commit_min EXCEPT ![0] = checkpoint.op]
    /\ table' = [table EXCEPT ![0] = checkpoint.table]
    /\ group' = [group EXCEPT ![0] = Restored(checkpoint.group)]
    /\ UNCHANGED <<log, checkpoint, ended, ids, dealt>>

Next ==
    \/ \E m \in Messages : CommitMessage(m)
    \/ \E r \in Replicas : Execute(r)
    \/ CheckpointGroup
    \/ RestartReplica
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* OneReader, R5: where there are members each partition is in the share of exactly one.
\* Mutant share_counts_departed breaks it.
OneReader ==
    \A r \in Replicas : group[r].members # <<>> =>
        \A p \in 1..group[r].partitions :
            Cardinality({ x \in Shares(group[r]) : p \in x[2] }) = 1

\* MembersLive, R18: each member has a session: so no partition waits for somebody who does
\* not come.  Mutants eviction_keeps_member, logout_keeps_member, join_without_session and
\* members_unknown_at_boot break it.
MembersLive ==
    \A r \in Replicas : \A i \in 1..Len(group[r].members) :
        group[r].members[i].client \in Used(table[r])

\* EndsForAReason, R18: who is a member stays one until it leaves, logs out of its own
\* session, or is evicted by another's Register.  Mutants rebind_ends_membership and
\* logout_of_older_session break it.
EndsForAReason ==
    \A x \in ended :
        LET m == log[x[2]]
        IN CASE m.kind = "register" -> m.client # x[1]
             [] m.kind = "leave" -> m.client = x[1]
             [] m.kind = "logout" -> /\ m.client = x[1]
                                     /\ \A op \in m.number+1..x[2] : ~Registered(x[1], op)
             [] OTHER -> FALSE

\* MemberOnce, R5: a client is a member at one place.  Mutant joins_twice breaks it.
MemberOnce == \A r \in Replicas, c \in ClientIDs : Cardinality(Places(group[r], c)) <= 1

\* IDsOnce, R5: an id is given once, so that it never means another member.  Mutant
\* id_is_place breaks it.
IDsOnce == \A x, y \in ids : x[2] = y[2] => x = y

\* GroupsEqual, R5, R17: at equal ops the groups are equal, and a checkpoint has such a one.
\* Mutants generation_not_in_checkpoint and order_not_in_checkpoint break it.
Agreed(g) == <<g.members, g.last, g.generation, g.partitions>>
GroupsEqual ==
    \A r, q \in Replicas :
        /\ commit_min[r] = commit_min[q] => Agreed(group[r]) = Agreed(group[q])
        /\ checkpoint.op = commit_min[q] => Agreed(checkpoint.group) = Agreed(group[q])

\* GenerationTells, R5: in one generation there is one deal, so that a member whose
\* generation is current reads what is its own.  Mutants join_keeps_generation,
\* leave_keeps_generation, end_keeps_generation and change_keeps_generation break it.
GenerationTells == \A x, y \in dealt : x[2] = y[2] => x[3] = y[3]

\* GenerationRises, R5: later ops have no lower one.  Mutant generation_is_size breaks it.
GenerationRises == \A x, y \in dealt : x[1] <= y[1] => x[2] <= y[2]
=============================================================================
