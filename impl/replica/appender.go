package replica

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Appender stores prepares of one group as its host would: through the lane of the log, in the
// batches and under the flushes that all groups of the process share. It has no core, and is
// there to measure and to test that lane. A group has a [Host] or an appender.
type Appender struct {
	storage *Storage
	group   *group
}

// NewAppender boots a group without a host. Errors: as [NewHost], of the storage.
func (s *Storage) NewAppender(c GroupConfig) (*Appender, error) {
	g, _, err := s.boot(c)
	if err != nil {
		return nil, fmt.Errorf("boot group %d: %w", c.Group, err)
	}
	return &Appender{s, g}, nil
}

// Append asks for a sealed prepare to be stored as the group's policy demands. It waits for
// nothing: [Storage.Work] returns a [Completion] of the group, in the order of the appends.
func (a *Appender) Append(p *wire.Prepare) {
	a.storage.storePrepares(a.group, []vsr.StorePrepare{{Prepare: p}})
}
