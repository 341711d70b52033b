---- MODULE Normal ----
\* ClientRequest(r): asks.
\* Go: model/vsr ClientRequest; impl/vsr Replica.onRequest, New(Config, Recovered).
ClientRequest(r) ==
  /\ x' = r

\* StallTruncate(r): mutants only.
\* Go: model/vsr StallTruncate; impl/vsr has none.
StallTruncate(r) == \E v \in Views : x' = v
====
