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
	// Partition is the log of one partition a key, initially without records: append
	// and poll.
	Partition Model = "partition"
	// Offsets is the stored offset of one consumer a key, initially none: store, get
	// and delete.
	Offsets Model = "offsets"
	// Metadata is one space of names a key, initially empty: create, delete, lookup by
	// name and by id.
	Metadata Model = "metadata"
	// Sessions is one object that executes each request of each session at most once.
	Sessions Model = "sessions"
	// Set is one set a key that grows: add and read its members.
	Set Model = "set"
)

// Unit says what the times of a history count.
type Unit string

const (
	// Nanoseconds are read from one clock that all clients share.
	Nanoseconds Unit = "ns"
	// Steps count events of a simulator or lines of a log.
	Steps Unit = "step"
)

// Kind says what an operation does. The first three belong to Register, the next
// three to KV; Partition has Append and Poll, and the others follow by model.
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
	// Append adds Input.Value to the end of the text of a key, or as a record to the
	// log of a partition, which answers its offset in Output.Number.
	Append Kind = "append"
	// Poll reads at most Input.Max records from the offset Input.Number on.
	Poll Kind = "poll"
	// StoreOffset sets the stored offset to Input.Number.
	StoreOffset Kind = "store_offset"
	// GetOffset returns the stored offset.
	GetOffset Kind = "get_offset"
	// DeleteOffset removes the stored offset, or fails if there is none.
	DeleteOffset Kind = "delete_offset"
	// Create gives the name Input.Value a new id, or refuses a name that exists.
	Create Kind = "create"
	// Delete removes the name Input.Value, or fails if it does not exist.
	Delete Kind = "delete"
	// Lookup returns the id of the name Input.Value.
	Lookup Kind = "lookup"
	// NameOf returns the name of the id Input.Number.
	NameOf Kind = "name_of"
	// Execute sends request Input.Number of the session Input.Value and returns as how
	// manieth, from 0, of all requests it was executed.
	Execute Kind = "execute"
	// Count returns how many requests were executed.
	Count Kind = "count"
	// Add puts Input.Value into a set.
	Add Kind = "add"
	// Members returns what is in a set, in any order.
	Members Kind = "members"
)

// Level is what a poll promises.
type Level string

const (
	// LevelLinearizable, the zero value: the poll reads the log as it is at one moment
	// between its call and its return.
	LevelLinearizable Level = ""
	// LevelSerializable: the poll reads some beginning of the log, which may be old, but
	// not one that ends before what its client was shown by an earlier poll.
	LevelSerializable Level = "serializable"
)

// Number is a count, an offset or an id, from 0; or nothing. The zero value is null.
type Number struct {
	Value int64
	// Present tells 0 from null.
	Present bool
}

// Int returns the number n.
func Int(n int64) Number { return Number{Value: n, Present: true} }

// String returns the number as it stands in a history.
func (n Number) String() string {
	if !n.Present {
		return "null"
	}
	return strconv.FormatInt(n.Value, 10)
}

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
	// Number is an offset, an id or a request number, as the kind says.
	Number Number
	// Max is how many records a Poll asks for, at least 1.
	Max Number
	// Level is that of a Poll.
	Level Level
}

// Output is what a client was answered. It is zero while the operation is open;
// fields that the kind does not use are zero.
type Output struct {
	// Values are the records that a Poll returned.
	Values []string
	// Number is an offset, an id, a position or a count, as the kind says.
	Number Number
	// Value is the answer of Read, Get and NameOf.
	Value Value
	// OK says whether a CAS, DeleteOffset or Delete took effect.
	OK bool
	// Unknown says that the client gave up waiting and went on, having learned
	// nothing. Only what reads may say so: a change of unknown outcome may still
	// take effect later, so it must stay open.
	Unknown bool
}

func (o *Output) isZero() bool {
	return o.Values == nil && o.Number == Number{} && o.Value == Value{} && !o.OK && !o.Unknown
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
