package node

import (
	"context"
	"os"
	"runtime"
	measured "runtime/metrics"
	"runtime/pprof"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// stats answers what this process says of itself, with the figures that it has of the partitions:
// what it has executed.
func (s *session) stats(ctx context.Context, m *wire.Request) ([]byte, error) {
	if len(m.Body) > 0 {
		return s.refuse(m, protocol.StatusInvalidFormat), nil
	}
	n := s.node
	now := time.Now()
	stats := protocol.Stats{
		Process: uint32(os.Getpid()), RunTime: uint64(now.Sub(n.started).Microseconds()),
		StartTime: uint64(n.started.UnixMicro()), Clients: uint32(n.server.Stats().Connections),
		OS: runtime.GOOS, Version: Version,
		Threads: uint32(pprof.Lookup("threadcreate").Count()),
	}
	stats.Host, _ = os.Hostname() // Empty where the machine has none.
	sample := []measured.Sample{{Name: "/memory/classes/total:bytes"}}
	measured.Read(sample)
	if sample[0].Value.Kind() == measured.KindUint64 {
		stats.Memory = sample[0].Value.Uint64()
	}
	describeMachine(&stats, n.config.DataDir, now.Sub(n.started))
	status := protocol.StatusNotAccepted
	err := n.catalogue.reach(ctx, s.seen)
	if err == nil {
		err = n.catalogue.do(ctx, func() { status = n.catalogue.machine.Describe(s.user, &stats) })
	}
	switch {
	case err != nil:
		return s.refuse(m, protocol.StatusNotAccepted), nil
	case status != protocol.StatusOK:
		return s.refuse(m, status), nil
	}
	return s.answer(m, protocol.StatusOK, protocol.MustAppend(nil, &stats)), nil
}
