package linearizability

import (
	"cmp"
	"slices"
	"strconv"
)

// Model names a sequential specification. A history has one model, and is
// partitioned by key: each key is an object of its own.
type Model string

const (
	// Register is one value a key, initially null: read, write, compare and set.
	Register Model = "register"
	// KV is one text a key, initially "": get, put, append.
	KV Model = "kv"
)

// Unit says what the times of a history count.
type Unit string

const (
	// Nanoseconds are read from one clock that all clients share.
	Nanoseconds Unit = "ns"
	// Steps count events of a simulator or lines of a log.
	Steps Unit = "step"
)

// Kind says what an operation does. The first three belong to Register, the
// others to KV.
type Kind string

const (
	// Read returns the value of a register.
	Read Kind = "read"
	// Write sets a register to Input.Value.
	Write Kind = "write"
	// CAS sets a register to Input.To if it holds Input.From, else it fails.
	CAS Kind = "cas"
	// Get returns the text of a key.
	Get Kind = "get"
	// Put sets the text of a key to Input.Value.
	Put Kind = "put"
	// Append adds Input.Value to the end of the text of a key.
	Append Kind = "append"
)

// Value is what an object holds: a text, or nothing. The zero value is null.
type Value struct {
	// Text is the value. It is empty if Present is not set.
	Text string
	// Present tells "" from null.
	Present bool
}

// Text returns the value that holds text.
func Text(text string) Value { return Value{Text: text, Present: true} }

// String returns the value as it stands in a history: quoted, or null.
func (v Value) String() string {
	if !v.Present {
		return "null"
	}
	return strconv.Quote(v.Text)
}

// Input is what a client asked for. Fields that the kind does not use are zero.
type Input struct {
	// Value is what Write, Put and Append bring.
	Value Value
	// From is what CAS expects, To what it sets.
	From, To Value
}

// Output is what a client was answered. It is zero while the operation is open;
// fields that the kind does not use are zero.
type Output struct {
	// Value is the answer of Read and Get.
	Value Value
	// OK says whether a CAS took effect.
	OK bool
	// Unknown says that the client gave up waiting and went on, having learned
	// nothing. Only Read and Get may say so: a change of unknown outcome may still
	// take effect later, so it must stay open.
	Unknown bool
}

// Operation is one request of one client, from call to return.
type Operation struct {
	// Client is the sequential process that issued the request, from 0. A client
	// whose request stayed open must go on under another number.
	Client int
	// ID tells the requests of one client apart, in any order.
	ID uint64
	// Key names the object, and with it the partition. It may be empty.
	Key string
	// Kind must belong to the history's model.
	Kind Kind
	// Input is what was asked, Output what was answered.
	Input  Input
	Output Output
	// Call and Return bound the operation: the closed interval [Call, Return], in
	// the history's unit. Return is 0 and without meaning if Open is set.
	Call, Return int64
	// Open says that no answer ever came: the operation may take effect at any
	// moment from Call on, or never.
	Open bool
}

// identity tells an operation of a valid history from all others.
type identity struct {
	client int
	id     uint64
}

func (o *Operation) identity() identity { return identity{client: o.Client, id: o.ID} }

// History is what clients of one system saw.
type History struct {
	Model      Model
	Unit       Unit
	Operations []Operation
}

// Sort brings the operations into the order of files: by call, then client, then
// id. The order has no bearing on any verdict.
func (h *History) Sort() {
	if !slices.IsSortedFunc(h.Operations, compareOperations) {
		slices.SortStableFunc(h.Operations, compareOperations)
	}
}

func compareOperations(a, b Operation) int {
	return cmp.Or(
		cmp.Compare(a.Call, b.Call),
		cmp.Compare(a.Client, b.Client),
		cmp.Compare(a.ID, b.ID),
	)
}

// partition is the part of a history that concerns one key.
type partition struct {
	key        string
	operations []*Operation // By call.
}

// partitions splits a history by key, in the order of the keys. A history is
// linearizable if and only if each of its partitions is (Herlihy and Wing,
// locality).
func (h *History) partitions() []partition {
	byKey := map[string][]*Operation{}
	for i := range h.Operations {
		o := &h.Operations[i]
		byKey[o.Key] = append(byKey[o.Key], o)
	}
	result := make([]partition, 0, len(byKey))
	for key, operations := range byKey {
		byCall := func(a, b *Operation) int { return compareOperations(*a, *b) }
		if !slices.IsSortedFunc(operations, byCall) { // Files are.
			slices.SortStableFunc(operations, byCall)
		}
		result = append(result, partition{key: key, operations: operations})
	}
	slices.SortFunc(result, func(a, b partition) int { return cmp.Compare(a.key, b.key) })
	return result
}
