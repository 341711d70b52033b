---- MODULE PartitionLog ----
BugNames == { "torn" }
\* Go: model/storage appendPrepare.
AppendPrepare == x' = 1
Next ==
    \/ AppendPrepare

\* Mutant torn breaks it.
NoTorn == TRUE
====
