// Package merging holds the merge of the production core, [vsr.Votes.Decide], against the one
// of the specification, [merge.Rules.Decide] (R12, R15; MergeVote.tla): the same votes, the
// same outcome, log, commit number and open ops.
//
// It owns the mapping of votes. It changes neither side: model and impl meet here, and do not
// know of each other.
package merging
