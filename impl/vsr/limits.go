package vsr

import "fmt"

// Limits bound what one replica holds in memory for others. A field that is zero stands for
// its default.
type Limits struct {
	// Pipeline bounds the prepares that a primary has in flight: stored or being stored, not
	// committed. [PipelineMax] by default, [PipelineCeiling] at most.
	Pipeline int
	// Reads bounds the linearizable reads that wait at a primary; [ReadsMax] by default.
	Reads int
}

// Defaults of [Limits], and what bounds them.
const (
	// PipelineMax is upstream's depth of the pipeline.
	PipelineMax = 32
	// PipelineCeiling is upstream's highest depth of the pipeline.
	PipelineCeiling = 127
	// ReadsMax is how many linearizable reads wait at a primary.
	ReadsMax = 1024
)

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	set := func(field *int, standard int) {
		if *field == 0 {
			*field = standard
		}
	}
	set(&l.Pipeline, PipelineMax)
	set(&l.Reads, ReadsMax)
	return l
}

func (l *Limits) validate() error {
	if l.Pipeline < 1 || l.Pipeline > PipelineCeiling {
		return fmt.Errorf("pipeline of %d prepares: expected 1 to %d", l.Pipeline, PipelineCeiling)
	}
	if l.Reads < 1 {
		return fmt.Errorf("%d waiting reads: expected at least 1", l.Reads)
	}
	return nil
}
