---------------------------- MODULE PartitionLog ----------------------------
(* What a cluster keeps of its groups when processes are killed or power fails *)
(* at one replica, at a quorum, at all.  A group per durability policy, named   *)
(* by it, and one WAL per replica that they share: their records lie in it as  *)
(* they came, and a flush covers all of them.  A prepare lives at three        *)
(* depths: in the memory of a replica, in the hands of its operating system    *)
(* (what a write returned for survives SIGKILL), and below the frontier that   *)
(* the replica has published (what a flush returned for survives power loss).  *)
(* A prepare_ok under "replicated" is given at the second depth, under         *)
(* "persisted" at the third.  Recovery keeps all that a crash left (R14); a log *)
(* that may lack what was acknowledged proves presence, not absence (R15).     *)
(* Seed 003 (iggy#4632) is the mutant truncate_to_frontier: each replica cut    *)
(* its log back to the frontier, which only checkpoints moved, and a SIGKILL   *)
(* lost what every disk still held.                                            *)
(* Abstractions:                                                               *)
(*  - a prepare is the number of the request that it was made for, and equal   *)
(*    numbers stand for equal checksums;                                       *)
(*  - writes and flushes go in the WAL's order, one call at a time;            *)
(*  - a replica gives its prepare_oks in the step that first allows it;        *)
(*  - an election is one step, and so is adopting its log: with its state      *)
(*    record it is synced before the replica speaks (R2), and so is what boot  *)
(*    read (R14).  Journal has the steps of both;                              *)
(*  - a killed replica comes back trusted: the kernel's boot id tells that the *)
(*    page cache was not lost (R15);                                           *)
(*  - a disk tears and does not rot: what was synced stays (Journal has rot).  *)
(*    So there is no doubt under "persisted": a torn record lies above the      *)
(*    frontier, was not acknowledged under that policy, and its absence is the  *)
(*    truth (SyncSafe).  Where the last synced record may rot it looks like a   *)
(*    torn one, and both policies need doubt: Journal's mutants nack_after_torn *)
(*    and nack_after_rot;                                                       *)
(*  - what no crash can follow shows nothing: after the last crash there are   *)
(*    restarts and elections only.                                             *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,         \* replicas, 0..N-1
          MaxOp,     \* prepares that are ever made, of all groups
          MaxCrash,  \* crashes: each takes any set of replicas
          Policies,  \* a group for each: "persisted", "replicated"
          Bugs       \* deliberate defects
BugNames ==
  { "truncate_to_frontier",     \* R14: recovery drops what lies above the frontier: seed 003
    "adopt_torn",               \* R14: ... leaves a record in the WAL that fails to verify
    "adopt_past_hole",          \* R14: ... skips that record and reads on
    "first_not_longest",        \* R12: the election takes the log of any voter
    "one_survivor_is_enough",   \* R12: ... and a vote of any one replica
    "nack_after_restart",       \* R15: votes after a power loss make up a quorum
    "acknowledged_in_memory",   \* R3: a prepare_ok is given for what is in memory
    "policy_of_first_record",   \* R3: a batch is acknowledged as its first record demands
    "flush_skips_replicated",   \* a flush leaves out the records that need none
    "cut_takes_other_groups" }  \* R7: the cut of one group's log truncates the WAL
ASSUME /\ N \in Nat \ {0} /\ MaxOp \in Nat /\ MaxCrash \in Nat
       /\ Policies \subseteq {"persisted", "replicated"} /\ Bugs \subseteq BugNames

VARIABLES
  made,          \* Seq([group, parent]): all prepares ever made, with the prepare before
  log,           \* [Replicas -> Seq(prepare)]: the WAL, at any depth; Torn: unreadable
  written,       \* [Replicas -> Nat]: length of the prefix handed to the OS
  published,     \* [Replicas -> Nat]: length of the prefix below the published frontier
  up,            \* the replicas that run
  primary,       \* [Policies -> Replicas \cup {Down}]: Down until the election
  log_view,      \* [Replicas -> [Policies -> Nat]]: the election that its log is of
  in_doubt,      \* replicas whose log of "replicated" may lack what they acknowledged
  crashes,       \* number of crashes so far
  power_failed,  \* one of them was a power loss
  \* Ghosts: what was promised, and what is not owed any more.
  prepare_oks,   \* [Replicas -> SUBSET prepares]: those acknowledged to a primary
  excused        \* under "replicated", prepares up to this one are owed no more
vars == <<made, log, written, published, up, primary, log_view, in_doubt, crashes,
          power_failed, prepare_oks, excused>>

Bug(b) == b \in Bugs
Replicas == 0..N-1
Down == N
Torn == 0
QuorumMajority == (N \div 2) + 1
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Prepares(l) == { l[i] : i \in 1..Len(l) } \ {Torn}
Of(l, g) == SelectSeq(l, LAMBDA p : p # Torn /\ made[p].group = g)

Init ==
    /\ made = <<>>
    /\ log = [r \in Replicas |-> <<>>]
    /\ written = [r \in Replicas |-> 0]
    /\ published = [r \in Replicas |-> 0]
    /\ up = Replicas
    /\ primary = [g \in Policies |-> 0]
    /\ log_view = [r \in Replicas |-> [g \in Policies |-> 0]]
    /\ in_doubt = {}
    /\ crashes = 0
    /\ power_failed = FALSE
    /\ prepare_oks = [r \in Replicas |-> {}]
    /\ excused = 0

-----------------------------------------------------------------------------
\* What is promised.

\* R3: the depth at which r acknowledges the prepares of group g.  A mutant asks the
\* first record that is not flushed yet for the policy of the whole batch.
Depth(r, g) ==
    LET first == published[r] + 1
        policy == IF ~Bug("policy_of_first_record") THEN g
                  ELSE IF first > Len(log[r]) \/ log[r][first] = Torn THEN "persisted"
                  ELSE made[log[r][first]].group
    IN IF Bug("acknowledged_in_memory") THEN Len(log[r])
       ELSE IF policy = "persisted" THEN published[r] ELSE written[r]
Stored(r) ==
    IF r \notin up THEN {}
    ELSE { log[r][i] : i \in { k \in 1..Len(log[r]) :
             /\ log[r][k] # Torn /\ primary[made[log[r][k]].group] # Down
             /\ k <= Depth(r, made[log[r][k]].group) } }

\* Speak ends every step: in the state after it, each replica acknowledges what it may.
\* Go: model/storage speak.
Speak == prepare_oks' = [r \in Replicas |-> prepare_oks[r] \cup Stored(r)']

\* What clients were told: a quorum acknowledged it, the primary among them or not.
Acknowledged ==
    { p \in 1..Len(made) :
        Cardinality({ r \in Replicas : p \in prepare_oks[r] }) >= QuorumMajority }

-----------------------------------------------------------------------------
\* The normal case.
Run == crashes < MaxCrash /\ UNCHANGED <<up, primary, log_view, in_doubt, crashes,
                                         power_failed, excused>>

\* AppendPrepare(g): the primary makes a prepare of the next request.  VRR 4.1 step 2.
\* Go: model/storage appendPrepare; impl/wal Log.Append starts here.
AppendPrepare(g) ==
    /\ Run
    /\ primary[g] # Down
    /\ Len(made) < MaxOp
    /\ LET before == Of(log[primary[g]], g)
           parent == IF before = <<>> THEN 0 ELSE before[Len(before)]
       IN made' = Append(made, [group |-> g, parent |-> parent])
    /\ log' = [log EXCEPT ![primary[g]] = Append(@, Len(made) + 1)]
    /\ UNCHANGED <<written, published>>
    /\ Speak

\* Replicate(g, r): backup r takes the next prepare of g's primary.  VRR 4.1 step 4.
\* The log of each replica that runs is a prefix of the primary's while there is one.
\* Go: model/storage replicate.
Replicate(g, r) ==
    /\ Run
    /\ primary[g] # Down /\ r \in up
    /\ LET have == Of(log[r], g)
           all  == Of(log[primary[g]], g)
       IN /\ Len(have) < Len(all)
          /\ log' = [log EXCEPT ![r] = Append(@, all[Len(have) + 1])]
    /\ UNCHANGED <<made, written, published>>
    /\ Speak

\* WriteLog(r): r hands one more record to its OS.  From here SIGKILL spares it.
\* Go: model/storage writeLog; impl/wal Log.Append ends here.
WriteLog(r) ==
    /\ Run
    /\ r \in up /\ written[r] < Len(log[r])
    /\ written' = [written EXCEPT ![r] = @ + 1]
    /\ UNCHANGED <<made, log, published>>
    /\ Speak

\* PublishFrontier(r): r flushes what it has written, of all groups, and says so
\* durably.  From here power loss spares it.  A record under "persisted" waits for
\* this; one under "replicated" does not, so the frontier may be far behind.
\* Go: model/storage publishFrontier; impl/wal Log.Sync;
\*     traces/scenario PartitionCluster.PublishFrontier.
PublishFrontier(r) ==
    /\ Run
    /\ r \in up /\ published[r] < written[r]
    /\ published' = [published EXCEPT ![r] = written[r]]
    /\ UNCHANGED <<made, log, written>>
    /\ Speak

-----------------------------------------------------------------------------
\* Crash, restart, election.

\* Crash(S): the processes of S end, and a primary among them is one no more.
Crash(S) ==
    /\ crashes < MaxCrash
    /\ S # {} /\ S \subseteq up
    /\ up' = up \ S
    /\ primary' = [g \in Policies |-> IF primary[g] \in S THEN Down ELSE primary[g]]
    /\ crashes' = crashes + 1
    /\ UNCHANGED <<made, published, log_view, prepare_oks>>

\* Kill(S): SIGKILL, or an OOM kill.  The page cache outlives the process: memory is
\* lost, what was written is not.
\* Go: model/storage kill; impl/storage/memdisk Disk.Kill.
Kill(S) ==
    /\ Crash(S)
    /\ log' = [r \in Replicas |-> IF r \in S THEN SubSeq(log[r], 1, written[r]) ELSE log[r]]
    /\ UNCHANGED <<written, in_doubt, power_failed, excused>>

\* PowerLoss(S, keep, tear): the page caches of S are lost.  Of what was written beyond
\* the frontier any prefix may have reached the disk; for r in tear the record after it
\* is there in part, and those behind it are whole.  A flush that left a record out
\* (mutant) has kept what lies behind it.  When the logs of a quorum are in doubt,
\* nothing is owed under "replicated".
\* Go: model/storage powerLoss; impl/storage/memdisk Disk.PowerLoss.
LeftOut(r, i) == /\ Bug("flush_skips_replicated")
                 /\ i <= written[r] /\ log[r][i] # Torn
                 /\ made[log[r][i]].group = "replicated"
PowerLoss(S, keep, tear) ==
    /\ \A r \in S : /\ keep[r] <= written[r]
                    /\ \/ keep[r] >= published[r]
                       \/ r \in tear /\ LeftOut(r, keep[r] + 1)
    /\ \A r \in tear : keep[r] < written[r]
    /\ Crash(S)
    /\ log' = [r \in Replicas |->
                IF r \notin S THEN log[r]
                ELSE SubSeq(log[r], 1, keep[r]) \o
                     IF r \in tear THEN <<Torn>> \o SubSeq(log[r], keep[r] + 2, written[r])
                     ELSE <<>>]
    /\ written' = [r \in Replicas |-> IF r \in S THEN Len(log'[r]) ELSE written[r]]
    /\ power_failed' = TRUE
    /\ in_doubt' = in_doubt \cup IF "replicated" \in Policies THEN S ELSE {}
    /\ excused' = IF Cardinality(in_doubt') >= QuorumMajority THEN Len(made) ELSE excused

\* What recovery makes of the WAL l, of which the frontier covers the first records.
\* R14: adopt what verifies, cut at the first record that does not, whosever it is.
Recovered(l, frontier) ==
    LET torn == Min({ i \in 1..Len(l) : l[i] = Torn } \cup {Len(l) + 1})
    IN CASE Bug("truncate_to_frontier") -> SubSeq(l, 1, frontier)
         [] Bug("adopt_torn")           -> SubSeq(l, 1, Min({torn, Len(l)}))
         [] Bug("adopt_past_hole")      -> SelectSeq(l, LAMBDA p : p # Torn)
         [] OTHER                       -> SubSeq(l, 1, torn - 1)

\* What the WAL l is when it has adopted the log of g in the WAL from: the other groups'
\* records stay where they are, what of g is cut is void, what was missing is appended.
\* A mutant cuts g's log by truncating the WAL behind the last record that may stay.
Adopt(l, g, from) ==
    LET own == Prepares(Of(from, g))
        stays == { i \in 1..Len(l) : l[i] \in own }
        kept == IF Bug("cut_takes_other_groups") THEN SubSeq(l, 1, Max(stays \cup {0}))
                ELSE SelectSeq(l, LAMBDA p : p = Torn \/ made[p].group # g \/ p \in own)
    IN kept \o SelectSeq(Of(from, g), LAMBDA p : p \notin Prepares(kept))

\* Restart: the replicas that are down boot, and adopt the log of each group that has a
\* primary.  That ends doubt (R15).
\* Go: model/storage restart; impl/wal Open; traces/scenario PartitionCluster.Recover.
Restart ==
    LET led == { g \in Policies : primary[g] # Down }
        follow(l, g) == IF g \in led THEN Adopt(l, g, log[primary[g]]) ELSE l
        boot(r) == follow(follow(Recovered(log[r], published[r]), "persisted"), "replicated")
        long(depth) == [r \in Replicas |-> IF r \in up THEN depth[r] ELSE Len(log'[r])]
    IN /\ up # Replicas
       /\ up' = Replicas
       /\ log' = [r \in Replicas |-> IF r \in up THEN log[r] ELSE boot(r)]
       /\ written' = long(written) /\ published' = long(published)
       /\ log_view' = [r \in Replicas |-> [g \in Policies |->
                        IF r \notin up /\ g \in led THEN log_view[primary[g]][g]
                        ELSE log_view[r][g]]]
       /\ in_doubt' = IF "replicated" \in led THEN in_doubt \cap up ELSE in_doubt
       /\ UNCHANGED <<made, primary, crashes, power_failed, excused>>
       /\ Speak

\* ElectPrimary(g, S, w): the voters S take the longest log of g of the newest log view,
\* w's, and all replicas that run adopt it.  R15: a log in doubt may be taken, but its
\* vote counts towards the quorum only where all have voted.
\* Go: model/storage electPrimary; traces/scenario PartitionCluster.Elect.
Trusted(g) == IF g = "replicated" /\ ~Bug("nack_after_restart") THEN Replicas \ in_doubt
              ELSE Replicas
AsGood(w, s, g) ==
    \/ log_view[s][g] < log_view[w][g]
    \/ log_view[s][g] = log_view[w][g] /\ Len(Of(log[s], g)) <= Len(Of(log[w], g))
ElectPrimary(g, S, w) ==
    LET long(depth) == [r \in Replicas |-> IF r \in up THEN Len(log'[r]) ELSE depth[r]]
        view == Max({ log_view[r][g] : r \in Replicas }) + 1
    IN /\ primary[g] = Down
       /\ S \subseteq up /\ w \in S
       /\ \/ Cardinality(S \cap Trusted(g)) >= QuorumMajority
          \/ S = Replicas
          \/ Bug("one_survivor_is_enough")
       /\ Bug("first_not_longest") \/ \A s \in S : AsGood(w, s, g)
       /\ primary' = [primary EXCEPT ![g] = w]
       /\ log' = [r \in Replicas |-> IF r \in up THEN Adopt(log[r], g, log[w]) ELSE log[r]]
       /\ written' = long(written) /\ published' = long(published)
       /\ log_view' = [r \in Replicas |-> IF r \in up THEN [log_view[r] EXCEPT ![g] = view]
                                          ELSE log_view[r]]
       /\ in_doubt' = IF g = "replicated" THEN in_doubt \ up ELSE in_doubt
       /\ UNCHANGED <<made, up, crashes, power_failed, excused>>
       /\ Speak

\* What power loss can keep at each replica of S, at least and at most.
Keeps(S) ==
    IF crashes = MaxCrash \/ S = {} \/ ~(S \subseteq up) THEN {}
    ELSE [S -> (IF Bug("flush_skips_replicated") THEN 0 ELSE Min({ published[r] : r \in S }))
               ..Max({ written[r] : r \in S })]

Next ==
    \/ \E g \in Policies : AppendPrepare(g)
    \/ \E g \in Policies, r \in Replicas : Replicate(g, r)
    \/ \E r \in Replicas : WriteLog(r)
    \/ \E r \in Replicas : PublishFrontier(r)
    \/ \E S \in SUBSET Replicas : Kill(S)
    \/ \E S \in SUBSET Replicas : \E keep \in Keeps(S), tear \in SUBSET S :
         PowerLoss(S, keep, tear)
    \/ Restart
    \/ \E g \in Policies, S \in SUBSET Replicas : \E w \in S : ElectPrimary(g, S, w)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* TypeOK: shapes, and each depth lies within the one above it.  No mutant breaks
\* it: it guards this module against slips, not recovery against defects.
TypeOK ==
    /\ Len(made) <= MaxOp
    /\ \A p \in 1..Len(made) : made[p].group \in Policies /\ made[p].parent \in 0..p-1
    /\ crashes \in 0..MaxCrash
    /\ up \subseteq Replicas /\ in_doubt \subseteq Replicas
    /\ \A g \in Policies : primary[g] \in up \cup {Down}
    /\ \A r \in Replicas :
        /\ Prepares(log[r]) \cup prepare_oks[r] \subseteq 1..Len(made)
        /\ published[r] <= written[r] \/ r \notin up
        /\ written[r] <= Len(log[r])
    /\ excused \in 0..Len(made)

\* A prepare is kept if the primary of its group has it, once there is one.
Kept(p) == LET primary_of == primary[made[p].group]
           IN primary_of # Down => p \in Prepares(log[primary_of])

\* KillSafe, R3, R14: kills, of however many replicas, lose nothing that was
\* acknowledged, whatever the policy.
\* Mutants truncate_to_frontier, first_not_longest, one_survivor_is_enough,
\* acknowledged_in_memory and cut_takes_other_groups break it.
KillSafe == ~power_failed => \A p \in Acknowledged : Kept(p)

\* SyncSafe, R3, R14: nothing loses what was acknowledged under "persisted", whatever
\* becomes of the other groups whose records lie before and behind it.
\* Mutants first_not_longest, policy_of_first_record, flush_skips_replicated,
\* cut_takes_other_groups and adopt_torn break it.
SyncSafe == \A p \in Acknowledged : made[p].group = "persisted" => Kept(p)

\* DoubtSafe, R15: a power loss at fewer than a quorum loses nothing that was
\* acknowledged under "replicated" either.
\* Mutants nack_after_restart and one_survivor_is_enough break it.
DoubtSafe == \A p \in Acknowledged : p > excused => Kept(p)

\* NoGap, R14: what a group loses is a suffix, never the middle: each prepare in a log
\* has the one before it that it was made on.
\* Mutant adopt_past_hole breaks it.
NoGap == \A r \in up : \A g \in Policies :
           LET own == Of(log[r], g)
           IN \A i \in 1..Len(own) :
                made[own[i]].parent = (IF i = 1 THEN 0 ELSE own[i - 1])

\* NoTorn, R14: no replica that runs has a record in its WAL that fails to verify.
\* Mutant adopt_torn breaks it.
NoTorn == \A r \in up : Torn \notin { log[r][i] : i \in 1..Len(log[r]) }
=============================================================================
