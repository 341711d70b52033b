// Package faultmatrix makes each storage operation of an act fail in each way, takes the
// process or the machine down in each way, and asks what the disk then has. Tests and the tool
// run it; nothing else does.
//
// # What it owns
//
// The loop: operation x {fails before, fails after, is torn} x {kill, power loss}, counted.
//
// # What it never does
//
// It does not know what an act is, nor what must be there afterwards: a [Subject] does.
//
// # Invariants
//
//   - Every operation of the act is struck: the loop ends when an act has no further one.
//   - Equal subjects and seeds, equal cases.
package faultmatrix
