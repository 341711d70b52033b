package client

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// appends notes a batch: an append for each of its messages, all at the same time.
func (r *Recorder) appends(to Partition, b batch.Batch, do func() (uint64, error)) error {
	if r == nil {
		_, err := do()
		return err
	}
	var all []lin.Operation
	for m := range b.Messages() {
		all = append(all, r.begin(lin.Operation{
			Kind: lin.Append, Key: to.route().key(),
			Input: lin.Input{Value: lin.Text(string(m.Payload))},
		}))
	}
	base, err := do()
	for i, o := range all {
		o.Output.Number = number(base + uint64(i))
		r.end(lin.Partition, o, verdictOf(err))
	}
	return err
}

// poll notes polls from an offset; the model has no other ones.
func (r *Recorder) poll(
	of Partition, from PollFrom, count uint32, level Level, do func() (Polled, error),
) (Polled, error) {
	if r == nil || from.Strategy != protocol.FromOffset || count == 0 {
		return do()
	}
	o := lin.Operation{Kind: lin.Poll, Key: of.route().key()}
	o.Input.Number, o.Input.Max = number(from.Value), lin.Int(int64(count))
	if level == Local {
		o.Input.Level = lin.LevelSerializable
	}
	o = r.begin(o)
	p, err := do()
	verdict := verdictOf(err)
	if verdict == Unknown { // It changed nothing.
		verdict = Failed
	}
	o.Output.Values = []string{}
	for _, m := range p.Messages {
		o.Output.Values = append(o.Output.Values, string(m.Payload))
	}
	if n := len(p.Messages); n > 0 && p.Messages[n-1].Offset < p.Current {
		// A node may answer with fewer than there are: then it answers a smaller poll.
		o.Input.Max = lin.Int(int64(n))
	}
	r.end(lin.Partition, o, verdict)
	return p, err
}

// offset notes what a consumer does with its stored offset.
func (r *Recorder) offset(
	of Partition, consumer protocol.Consumer, o lin.Operation, do func(*lin.Output) error,
) error {
	if r == nil {
		return do(&lin.Output{})
	}
	o.Key = fmt.Sprintf("%s/%d-%s", of.route().key(), consumer.Kind, consumer.ID)
	o = r.begin(o)
	err := do(&o.Output)
	verdict := verdictOf(err)
	gone, ok := outcomeOf(err)
	if ok && gone.Status == protocol.StatusOffsetNotFound && o.Kind == lin.DeleteOffset &&
		gone.Verdict == Failed {
		verdict = Succeeded // It says that there was none.
	}
	r.end(lin.Offsets, o, verdict)
	return err
}
