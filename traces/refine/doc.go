// Package refine drives real cores through all interleavings.
package refine
