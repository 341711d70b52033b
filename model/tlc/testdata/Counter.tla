---- MODULE Counter ----
EXTENDS Integers, TLC
VARIABLES n, seen
vars == <<n, seen>>
Init == n = 0 /\ seen = {}
Step(k) == n < 3 /\ n' = n + k /\ seen' = seen \cup {n}
Next == Step(1)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Next)
Small == n < 2
Positive == n > 0
Slow == [][n' < 2]_vars
Reached == <>(n = 3)
Stays == []<>(n = 2)
Loop == Next \/ (n = 3 /\ n' = 1 /\ UNCHANGED seen)
LoopSpec == Init /\ [][Loop]_vars /\ WF_vars(Loop)
Back == <>[](n = 3)
Wrong == n' = (IF n = 1 THEN n + "a" ELSE n + 1) /\ UNCHANGED seen
Loud == Next /\ PrintT(<<"at", n>>)
ForEver == n' = n + 1 /\ UNCHANGED seen /\ PrintT(n)
====
