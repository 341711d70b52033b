package record

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Group is the ID of the one group that a recording of [Recorder.Record] has.
const Group = "0"

// Options chooses which finer events are recorded. The zero value is the default: admissions
// yes, refusals no.
type Options struct {
	// SkipAdmits leaves out how prepares were classified (R8).
	SkipAdmits bool
	// Refusals records why inputs were refused, too. There are many.
	Refusals bool
}

// Recorder writes the events of a group's replicas to one trace. It is not safe for concurrent
// use.
type Recorder struct {
	to      *traces.Writer
	options Options
	err     error
}

// New returns a recorder that writes to a trace whose header, as [Header] makes it, has been
// written. The caller closes the writer.
func New(to *traces.Writer, options Options) *Recorder {
	return &Recorder{to: to, options: options}
}

// Header returns the header of a recording of the simulator: one group of metadata, whose
// durability is always "persisted". spec is the hash of the specification's modules that the
// trace is to be judged by, which only the caller knows.
func Header(seed uint64, replicas int, spec string) traces.Header {
	quorums := vsr.QuorumsOf(replicas)
	return traces.Header{
		Source: traces.SourceSim, Replicas: replicas,
		Quorum: traces.Quorum{
			Replication: quorums.Replication, ViewChange: quorums.ViewChange, Nack: quorums.Nack,
		},
		Seed: seed, Spec: spec, CommitDrivers: traces.CommitDriversWalk,
		Groups: []traces.Group{{ID: Group, Plane: "metadata", Durability: "persisted"}},
	}
}

// NodeHeader returns the header of what one process records of its groups, each under the number
// that its ID is. A replica among several says nothing of the order of the others' events.
func NodeHeader(replicas int, spec string) traces.Header {
	h := Header(0, replicas, spec)
	h.Source, h.Groups, h.Checkpoints = traces.SourceNode, nil, true
	if replicas > 1 {
		h.Order = traces.OrderReplica
	}
	return h
}

// Record writes one event of a replica, unless the options leave it out. What goes wrong is
// kept for [Recorder.Err]: a core has no use for it.
func (r *Recorder) Record(replica int, e vsr.Event) { r.RecordOf(Group, replica, e) }

// RecordOf writes one event of a replica of a group, as [Recorder.Record] does.
func (r *Recorder) RecordOf(group string, replica int, e vsr.Event) {
	if r.err != nil || !r.wants(e.Action) {
		return
	}
	event := Event(replica, e)
	event.Group = group
	if err := r.to.Write(event); err != nil {
		r.err = fmt.Errorf("record %s of replica %d: %w", e.Action, replica, err)
	}
}

func (r *Recorder) wants(action vsr.Action) bool {
	switch action { //nolint:exhaustive // all actions are wanted
	case vsr.EventAdmit:
		return !r.options.SkipAdmits
	case vsr.EventRefuse:
		return r.options.Refusals
	default:
		return true
	}
}

// Err returns what stopped the recording, or nil.
func (r *Recorder) Err() error { return r.err }

// Steps returns how many events have been recorded.
func (r *Recorder) Steps() int { return r.to.Steps() }
