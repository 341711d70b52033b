// Package sample writes small logs in the format of Apache Iggy's simulator: for tests of the
// import and of the checks, and to try both without a cluster.
//
// It owns a scripted cluster that behaves ([Cluster]) and the defects that can be put into its
// log ([Defects]). It reads nothing and imports nothing of ours.
//
// Invariants: equal scripts give equal lines; a log without a defect breaks no rule.
package sample
