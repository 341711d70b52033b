package vsr

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Limits bound what one replica holds in memory for others. A field that is zero stands for
// its default.
type Limits struct {
	// Pipeline bounds the prepares that a primary has in flight: stored or being stored, not
	// committed. [PipelineMax] by default, [PipelineCeiling] at most. A shorter pipeline makes
	// larger batches, as requests wait sooner.
	Pipeline int
	// Queue and QueueBytes bound the requests that wait for a place in the pipeline, by number
	// and by the bytes of their bodies: [QueueMax] and [QueueBytesMax] by default. A negative
	// Queue is none.
	Queue, QueueBytes int
	// BatchRequests and BatchBytes bound the requests that share one prepare: 1 by default, that
	// is, none do, and [BatchBytesMax]. Only requests that have waited share a prepare. The host
	// must then execute prepares of [wire.OperationBatch].
	BatchRequests, BatchBytes int
	// RequestBytes bounds the body of a request; [wire.MaxBodyBytes] by default and at most.
	RequestBytes int
	// Reads bounds the linearizable reads that wait at a primary; [ReadsMax] by default.
	Reads int
	// RepairOps and RepairBytes bound what one RequestPrepares asks for, and what is read to
	// answer one, whatever it asks for (R9): prepares, and the bytes of their bodies. The first
	// prepare is asked for and served whatever its size. [RepairWindow] and [RepairBytesMax] by
	// default.
	RepairOps, RepairBytes int
}

// Defaults of [Limits], and what bounds them.
const (
	// PipelineMax is upstream's depth of the pipeline.
	PipelineMax = 32
	// PipelineCeiling is upstream's highest depth of the pipeline.
	PipelineCeiling = 127
	// QueueMax is how many requests upstream lets wait.
	QueueMax = 64
	// QueueBytesMax is room for one request of the largest size.
	QueueBytesMax = wire.MaxBodyBytes
	// BatchBytesMax is the largest body that requests share.
	BatchBytesMax = 1 << 20
	// ReadsMax is how many linearizable reads wait at a primary.
	ReadsMax = 1024
	// RepairWindow is how many ops one RequestPrepares asks for and one peer serves.
	RepairWindow = 32
	// RepairBytesMax is how many bytes of bodies they have.
	RepairBytesMax = 16 << 20
	// repairOpsCeiling bounds the ops of a question that are looked at.
	repairOpsCeiling = 1 << 16
)

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	set := func(field *int, standard int) {
		if *field == 0 {
			*field = standard
		}
	}
	set(&l.Pipeline, PipelineMax)
	set(&l.Queue, QueueMax)
	set(&l.QueueBytes, QueueBytesMax)
	set(&l.BatchRequests, 1)
	set(&l.BatchBytes, BatchBytesMax)
	set(&l.RequestBytes, wire.MaxBodyBytes)
	set(&l.Reads, ReadsMax)
	set(&l.RepairOps, RepairWindow)
	set(&l.RepairBytes, RepairBytesMax)
	return l
}

// validate refuses a limit under which nothing would go on, or a prepare could have no frame.
func (l *Limits) validate() error {
	for _, field := range [...]struct {
		name       string
		value, max int
	}{
		{"pipeline", l.Pipeline, PipelineCeiling},
		{"queue bytes", l.QueueBytes, 1 << 40},
		{"batch requests", l.BatchRequests, 1 << 16},
		{"batch bytes", l.BatchBytes, wire.MaxBodyBytes},
		{"request bytes", l.RequestBytes, wire.MaxBodyBytes},
		{"reads", l.Reads, 1 << 20},
		{"repair ops", l.RepairOps, repairOpsCeiling},
		{"repair bytes", l.RepairBytes, 1 << 30},
	} {
		if field.value < 1 || field.value > field.max {
			return fmt.Errorf("limit of %s %d: expected 1 to %d", field.name, field.value, field.max)
		}
	}
	return nil
}
