// Package replay drives real cores through a model's trace, model to code: each action of the
// trace becomes deliveries, finished writes, executions, restarts and ticks on a [sim.Cluster],
// and after each step the projection of every replica is compared with what the model says.
//
// A trace of the clean model must be followed to its end. A mutant's counterexample must not:
// the core refuses the step at which the model broke its rule. If every step is legal, because
// the defect is that something never happens (NoStall), the core is left to itself at the end
// and must catch up.
//
// It owns the driver and the comparison. It never changes what a core does: it chooses among
// what the cluster has under way, as a network and a disk would.
package replay
