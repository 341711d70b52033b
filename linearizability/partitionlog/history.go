package partitionlog

import "math"

// Kind says what an operation does.
type Kind uint8

const (
	// Append adds Value to the log. Offset is the answer.
	Append Kind = iota + 1
	// Poll reads at most Max records from Offset on. Records are the answer.
	Poll
)

// Operation is one request of one client, from call to return.
type Operation struct {
	Kind Kind
	// Open says that no answer came: the operation may take effect at any moment from
	// Call on, or never. Return, and Offset of an append, are then without meaning.
	Open bool
	// Max is what a poll asks for, at least 1.
	Max int
	// ID is the caller's. No verdict depends on it.
	ID int
	// Client is who issued the request, one at a time. The polls of one client together
	// must not go back if they are stale.
	Client int
	// Stale says of a poll that it may read any beginning of the log that there was, up
	// to the whole, but none that ends before the records that its client was shown by
	// earlier polls. A poll that is not stale reads the whole.
	Stale bool
	// Value is the record of an append.
	Value uint64
	// Offset is where an append landed, or from where a poll reads, from 0.
	Offset int64
	// Records are what a poll returned.
	Records []uint64
	// Call and Return bound the operation, both included.
	Call, Return int64
}

func (o *Operation) end() int64 {
	if o.Open {
		return math.MaxInt64
	}
	return o.Return
}

// state is a log.
type state []uint64

// step is the sequential specification: whether the log can answer o as it did, and
// what it then is. It changes nothing. An open operation is always possible. That stale
// polls do not go back is not its matter (goesBack).
func (s state) step(o *Operation) (bool, state) {
	if o.Kind == Append {
		possible := o.Open || o.Offset == int64(len(s))
		return possible, append(s[:len(s):len(s)], o.Value)
	}
	if o.Open {
		return true, s
	}
	from := min(o.Offset, int64(len(s)))
	want := s[from:min(from+int64(o.Max), int64(len(s)))]
	if o.Stale && len(o.Records) < len(want) {
		want = want[:len(o.Records)]
	}
	if len(want) != len(o.Records) {
		return false, s
	}
	for i, record := range o.Records {
		if want[i] != record {
			return false, s
		}
	}
	return true, s
}
