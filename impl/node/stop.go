package node

import (
	"context"
	"time"

	"go.uber.org/multierr"
)

// Run serves until the context is done or the process cannot go on. It ends gracefully: requests
// under way are answered, what was acknowledged is flushed, and a checkpoint covers what was
// executed, so that the next boot has little to do.
//
// Errors: what the process died of. After nil all was orderly.
func (n *Node) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		n.log.Info("stopping")
	case <-n.ctx.Done(): // A lane has failed.
	}
	return n.close()
}

// close ends everything that has been started, in reverse order.
func (n *Node) close() error {
	var err error
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n.config.Run.Shutdown))
	defer cancel()
	if n.ctx.Err() != nil {
		cancel()
	}
	if n.server != nil {
		err = multierr.Append(err, n.server.Shutdown(ctx))
	}
	if n.mesh != nil {
		err = multierr.Append(err, n.mesh.Close())
	}
	if n.server != nil { // All had been started.
		n.checkpoint(ctx)
	}
	n.stop()
	err = multierr.Append(err, n.work.Wait())
	err = multierr.Append(err, n.trace.close())
	if n.admin != nil {
		err = multierr.Append(err, n.admin.close())
	}
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
