// Package inspect explains a data directory: what recovery would adopt and discard, and why.
//
// # What it owns
//
// The order of the questions: is this a data directory at all, what does the superblock say,
// what has the write-ahead log, what have the groups' snapshots and segments. The answers are
// those of recovery itself, which runs on an overlay that keeps its changes in memory.
//
// # What it never does
//
// It writes nothing, repairs nothing, and opens no file for writing. It follows no symbolic link
// inside the directory.
//
// # Invariants
//
//   - Content, names and times of change in the directory stay as they are.
//   - What cannot be a data directory gets one error, in one line.
package inspect
