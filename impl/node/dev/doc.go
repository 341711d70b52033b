// Package dev runs a whole cluster on one machine, each process by itself, for a first try.
//
// # What it owns
//
// The directories, configurations and addresses of the processes, and the processes while it
// runs.
//
// # What it never does
//
// It does not serve: the processes do, exactly as they would elsewhere. It starts none again
// that has ended: whoever kills one wants to see that.
//
// # Invariants
//
//   - No process outlives it: they are stopped at the end, and die with it where the kernel
//     can see to that.
//   - A directory that it has made is used again with the same addresses; one that it has not
//     made is refused.
package dev
