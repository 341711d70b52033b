// Package twophase is an example of a model for package explore: two-phase commit, by
// which a coordinator gets participants to commit a transaction all or not at all.
//
// Each participant works, prepares and says so, or gives up. The coordinator commits when
// it has heard of all, may abort until then, and announces its decision, which each
// participant follows when it hears of it. Messages may take any time.
//
// It owns the model and its one defect: a hasty coordinator, which commits although it has
// not heard of one participant. It never does anything but answer [explore.Check] and its
// like.
//
// # Invariants
//
//   - Consistent: no participant aborts what another one commits. The hasty coordinator
//     breaks it.
package twophase
