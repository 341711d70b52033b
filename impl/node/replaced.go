package node

import (
	"errors"
	"fmt"
	"time"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// foreignToAll says that no group is new to a directory: the log of the metadata is not here yet.
const foreignToAll = ^wire.GroupID(0)

// rejoinPause is how often a process whose directory was replaced looks whether it is back.
const rejoinPause = 50 * time.Millisecond

// replaced says in which groups this process may have had a part before its directory was
// replaced by an empty one: in those, it takes no part in a quorum until it holds the log of a
// current view (R16). All others are new here, as all are in the directory of a new cluster.
//
// Which groups there were says the log of the metadata. Every op of it that the earlier life
// executed was committed, and so it is in the log of each view that this replica adopts after the
// loss: what is numbered above all groups, once that log is executed, came later. Groups never
// get a number twice.
//
// Mutants node_replaced_is_fresh, node_replaced_back_too_early.
type replaced struct {
	// upTo is the last group that may have had a log here: 0 none, foreignToAll not known yet.
	upTo wire.GroupID
	// view and head are a log of the metadata that is to be executed; looked says that there is one.
	view   wire.View
	head   wire.Op
	looked bool
}

// fresh says whether a group is new to this directory.
func (r *replaced) fresh(id wire.GroupID) bool { return r.upTo == 0 || id > r.upTo }

func (r *replaced) pending() bool { return r.upTo == foreignToAll }

// back says whether everything is executed that the earlier life can have executed of the
// metadata: all of a log that this replica has held in a normal view since.
func (r *replaced) back(at vsr.Standing) bool {
	if at.Wiped || at.Status != vsr.StatusNormal {
		return false
	}
	if !r.looked || r.view != at.View {
		r.view, r.head, r.looked = at.View, at.Head, true
	}
	return at.CommitMin >= r.head
}

// groupsBefore reads what the superblock says of a directory that was replaced.
func groupsBefore(groups []superblock.GroupState) wire.GroupID {
	for _, g := range groups {
		if g.Group == datadir.Identity {
			return wire.GroupID(g.CommitMax)
		}
	}
	return 0
}

// rejoin notes, once the metadata is back, which groups there may have been: durably, before a
// later one counts as new. last is the last group of the metadata as it is executed here.
func (n *Node) rejoin(last wire.GroupID) error {
	state := n.identity().state()
	state.CommitMax = wire.Op(last)
	err := n.storage.Identify(state)
	switch {
	case errors.Is(err, storage.ErrFull) && !errors.Is(err, superblock.ErrPoisoned):
		return nil // It is tried again.
	case err != nil:
		return fmt.Errorf("data directory %s: %w", n.config.DataDir, err)
	}
	n.replaced.upTo = last
	n.log.Info("the metadata is back on a replaced disk", "groups", last)
	return nil
}
