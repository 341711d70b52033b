package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/multierr"
)

// ErrStuck is what a process ends with whose disk does not answer: it must end now. Until then it
// keeps the data directory to itself, as nobody knows what is still written there.
var ErrStuck = errors.New("the disk does not answer")

// Run serves until the context is done or the process cannot go on. It ends gracefully: requests
// under way are answered, what was acknowledged is flushed, and a checkpoint covers what was
// executed, so that the next boot has little to do.
//
// Errors: what the process died of, [ErrStuck] among others. After nil all was orderly.
func (n *Node) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		n.log.Info("stopping")
	case <-n.ctx.Done(): // A lane has failed.
	}
	return n.close()
}

// close ends everything that has been started, in reverse order. Who still waits for an answer when
// a lane has failed is told that there is none: the outcome is not known.
func (n *Node) close() error {
	var err error
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n.config.Run.Shutdown))
	defer cancel()
	if n.server != nil {
		defer context.AfterFunc(n.ctx, n.server.GiveUp)()
		err = multierr.Append(err, n.server.Shutdown(ctx))
	}
	if n.mesh != nil {
		err = multierr.Append(err, n.mesh.Close())
	}
	if n.server != nil { // All had been started.
		defer context.AfterFunc(n.ctx, cancel)()
		n.checkpoint(ctx)
	}
	n.stop()
	ended, failed := n.workers()
	err = multierr.Append(err, failed)
	err = multierr.Append(err, n.trace.close())
	if n.admin != nil {
		err = multierr.Append(err, n.admin.close())
	}
	if !ended {
		return err
	}
	return multierr.Append(err, n.closeDirectory())
}

// workers waits for the end of all that uses the disk, as long again as a graceful end may take.
func (n *Node) workers() (ended bool, err error) {
	done := make(chan error, 1)
	go func() { done <- n.work.Wait() }()
	limit := time.Duration(n.config.Run.Shutdown)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err = <-done:
		return true, err
	case <-timer.C:
		return false, fmt.Errorf("end: %w in %s: what was not acknowledged is lost or not", ErrStuck,
			limit)
	}
}

// closeDirectory lets others use the data directory.
func (n *Node) closeDirectory() error {
	var err error
	if n.storage != nil {
		err = multierr.Append(err, n.storage.Close())
	}
	if n.disk != nil {
		err = multierr.Append(err, n.disk.Close())
	}
	if n.lock != nil {
		err = multierr.Append(err, n.lock.Close())
	}
	return err
}

// checkpointPause is how often it is looked whether checkpoints are done.
const checkpointPause = 5 * time.Millisecond

// checkpoint has each group cover what it has executed, until all do or the context ends: the log
// has the rest.
func (n *Node) checkpoint(ctx context.Context) {
	ticker := time.NewTicker(checkpointPause)
	defer ticker.Stop()
	for {
		covered := true
		for _, s := range n.shards {
			err := s.do(ctx, func() {
				for _, g := range s.groups {
					covered = g.host.Cover() && covered
				}
			})
			if err != nil {
				return
			}
		}
		if covered {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-n.ctx.Done(): // A lane has failed.
			return
		case <-ticker.C:
		}
	}
}
