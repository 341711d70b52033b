---- MODULE Values ----
\* A walk over one value of each form that TLC prints. The expected canonical texts
\* are in ../tlc_test.go.
EXTENDS Integers, Sequences, TLC
CONSTANTS m1, Wide
VARIABLES i, x
vars == <<i, x>>
Shown == <<
    0, -4, TRUE, FALSE, m1, "", "vc", "q\"uo\\te", "a\nb\tc", "a -> b ]; /\\ x = 3",
    {}, {3, 1, 2}, {"b", "a"}, {{2, 1}, {}}, 1..3, (-2)..1, 1..0, {10, 9}, {m1, {m1}},
    <<>>, <<"a", <<1>>>>, [k \in 1..10 |-> k], [k \in {} |-> k], [k \in 0..2 |-> {k}],
    [v |-> 0, o |-> 1], [r |-> [r |-> <<>>]], [k \in {m1, "a"} |-> k], [k \in {"a b", "1"} |-> k],
    [k \in {{1, 2}, {}} |-> TRUE], {[b |-> {}], [a |-> -1]}, SUBSET {1, 2}, [{1, 2} -> {0, 1}],
    [a : {1, 2}], {1, 2} \X {3}, Wide >>
WideValue == [name |-> "a string long enough to be broken over lines",
              other |-> {"another string that is long enough", "and one more of the same length"}]
\* TLC generates the first state twice.
Init == (i \in {1, 2} \/ i = 1) /\ x = Shown[i]
Walk(k) == i + k <= Len(Shown) /\ i' = i + k /\ x' = Shown[i']
Stay == i = 1 /\ UNCHANGED vars
Next == (\E k \in 1..2 : Walk(k)) \/ Stay
Short == i < 5
====
