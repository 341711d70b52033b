// Package statemachine holds the services that a group replicates. A machine is deterministic:
// the same prepares in the same order give the same states and the same results, to the byte.
//
// So far there is one, [Register], for tests, simulation and benchmarks.
package statemachine
