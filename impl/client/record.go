package client

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// Recorder notes what clients saw, as histories that "viewstamp lin check" reads: one of model
// partition for messages, offsets for consumers, metadata for the names of streams. Clients
// that share a recorder are in one history. The zero Recorder is ready; a nil one notes
// nothing.
//
// Operations of unknown outcome stay open. Failures that had no effect are left out.
type Recorder struct {
	mu    sync.Mutex
	start time.Time
	// free are numbers of processes that have no operation, next the first never used.
	free      []int
	next      int
	id        uint64
	histories map[lin.Model][]lin.Operation
}

// History returns what was noted so far of a model: partition, offsets or metadata.
func (r *Recorder) History(model lin.Model) *lin.History {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &lin.History{Model: model, Unit: lin.Nanoseconds}
	h.Operations = append(h.Operations, r.histories[model]...)
	return h
}

// begin notes the call of an operation; the process has no other one.
func (r *Recorder) begin(o lin.Operation) lin.Operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.start.IsZero() {
		r.start, r.histories = time.Now(), make(map[lin.Model][]lin.Operation)
	}
	if n := len(r.free); n > 0 && o.Input.Level == lin.LevelLinearizable {
		o.Client, r.free = r.free[n-1], r.free[:n-1]
	} else {
		o.Client = r.next
		r.next++
	}
	r.id++
	o.ID, o.Call = r.id, time.Since(r.start).Nanoseconds()
	return o
}

// end notes the return. A process whose operation stays open does nothing more, and one of a
// local poll neither: what it saw binds no other poll.
func (r *Recorder) end(model lin.Model, o lin.Operation, v Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Return = time.Since(r.start).Nanoseconds()
	if v != Unknown && o.Input.Level == lin.LevelLinearizable {
		r.free = append(r.free, o.Client)
	}
	switch v {
	case Failed:
		return
	case Unknown:
		o.Open, o.Return, o.Output = true, 0, lin.Output{}
	case Succeeded:
	}
	r.histories[model] = append(r.histories[model], o)
}

// verdictOf reads a verdict out of an error of a method.
func verdictOf(err error) Verdict {
	o, ok := outcomeOf(err)
	switch {
	case err == nil:
		return Succeeded
	case ok:
		return o.Verdict
	}
	return Unknown // Such as a reply that cannot be read.
}

// rejectedAs reports whether the cluster decided that the request has no effect because of
// one of the statuses: that is an answer, too.
func rejectedAs(err error, statuses ...protocol.Status) bool {
	o, ok := outcomeOf(err)
	if !ok || !o.Rejected {
		return false
	}
	for _, s := range statuses {
		if o.Status == s {
			return true
		}
	}
	return false
}

// number is an offset or an id as a history writes it.
func number(n uint64) lin.Number { return lin.Int(int64(min(n, math.MaxInt64))) }

func (r *Recorder) create(name string, do func() (uint32, error)) error {
	if r == nil {
		_, err := do()
		return err
	}
	o := r.begin(lin.Operation{Kind: lin.Create, Input: lin.Input{Value: lin.Text(name)}})
	id, err := do()
	verdict := verdictOf(err)
	switch {
	case err == nil:
		o.Output.Number = number(uint64(id))
	case rejectedAs(err, protocol.StatusStreamExists):
		verdict = Succeeded
	}
	r.end(lin.Metadata, o, verdict)
	return err
}

func (r *Recorder) remove(stream protocol.Identifier, do func() error) error {
	if r == nil || stream.Kind != protocol.ByName {
		return do()
	}
	o := r.begin(lin.Operation{Kind: lin.Delete, Input: lin.Input{Value: lin.Text(stream.Name)}})
	err := do()
	verdict := verdictOf(err)
	o.Output.OK = err == nil
	if rejectedAs(err, protocol.StatusStreamNameNotFound) {
		verdict = Succeeded
	}
	r.end(lin.Metadata, o, verdict)
	return err
}

// lookup notes linearizable questions by name. The model has no other ones.
func (r *Recorder) lookup(
	stream protocol.Identifier, level Level, do func() (uint32, bool, error),
) error {
	if r == nil || level != Linearizable || stream.Kind != protocol.ByName {
		_, _, err := do()
		return err
	}
	o := r.begin(lin.Operation{Kind: lin.Lookup, Input: lin.Input{Value: lin.Text(stream.Name)}})
	id, found, err := do()
	if err == nil && found {
		o.Output.Number = number(uint64(id))
	}
	r.end(lin.Metadata, o, verdictOf(err))
	return err
}

// key names a partition, or a consumer's offset in it.
func (at route) key() string {
	return fmt.Sprintf("%s/%s/%d", at.stream, at.topic, at.partition)
}
