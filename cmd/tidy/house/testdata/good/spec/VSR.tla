---- MODULE VSR ----
EXTENDS Naturals, Normal
BugNames ==
  { "narrow", \* R9: no {braces} and "quotes" count here
    "ack_early" }
Next ==
  \/ \E r \in Replicas : \/ ClientRequest(r) \/ StallTruncate(r) \* \/ Comment(r)
Spec == Init

\* All is well.
\* Mutant narrow breaks it.
Part == TRUE
Agreement == Part

\* No mutant breaks it: it guards this text.
TypeOK == TRUE

Order == TRUE
====
