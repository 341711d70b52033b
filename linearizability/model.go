package linearizability

import (
	"math"
	"slices"
	"strings"
)

// specification is what the checker has to know about a model: how one object
// steps, and which operations can tell that another one took effect.
type specification struct {
	// kinds lists what the model offers, mutators after observers.
	kinds []Kind
	// null says that values may be null.
	null bool
	// initial is what an object holds before the first operation.
	initial Value
	// step says whether the object, holding state, can do o with the answer o has,
	// and what it then holds. It changes nothing. An open operation is always
	// possible.
	step func(state Value, o *Operation) (bool, Value)
	// explains says whether a change that brings v is part of how an object comes to
	// hold what an answer shows. once says that the last such change is enough.
	explains func(answer, v Value) bool
	once     bool
	// shapes, of the models that have it, says what the fields of each kind are, and
	// what is left of this list does not apply: values are texts that only step knows
	// how to read, and who made them cannot be told from an answer.
	shapes map[Kind]shape
	// long, where there is one, decides a partition of at least longFrom operations
	// without a search, or says that it cannot.
	long     func(operations []*Operation, bounds longBounds) (longResult, bool)
	longFrom int
	// observers makes an empty set of operations that can be asked whether any of
	// them could tell that a value was written.
	observers func() observers
}

// observers is a multiset of the operations of one partition.
//
// sees(v) must be true if, in some order of the operations, the answer or the
// effect of one of them could change when an operation that writes v is removed.
// True by excess costs speed and minimality; false by mistake costs soundness.
// The rule of dropping operations (reduce.go, shrink.go) rests on it.
type observers interface {
	add(o *Operation)
	remove(o *Operation)
	sees(v Value) bool
}

func (m Model) specification() (*specification, bool) {
	switch m {
	case Register:
		return &registerSpecification, true
	case KV:
		return &kvSpecification, true
	case Partition:
		return &partitionSpecification, true
	case Offsets:
		return &offsetsSpecification, true
	case Metadata:
		return &metadataSpecification, true
	case Set:
		return &setSpecification, true
	case Sessions:
		return &sessionsSpecification, true
	}
	return nil, false
}

// Models lists the models that this package decides.
func Models() []Model { return []Model{Register, KV, Partition, Offsets, Metadata, Sessions, Set} }

func modelNames() string {
	names := make([]string, 0, len(Models()))
	for _, m := range Models() {
		names = append(names, `"`+string(m)+`"`)
	}
	return anyOf(names)
}

// anyOf lists names for people: "a, b or c".
func anyOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func unitNames() string {
	return `"` + string(Nanoseconds) + `" or "` + string(Steps) + `"`
}

func (s *specification) kindNames() string {
	names := make([]string, 0, len(s.kinds))
	for _, k := range s.kinds {
		names = append(names, `"`+string(k)+`"`)
	}
	return strings.Join(names, ", ")
}

// fields says which fields of input and output a kind of Register or KV has.
type fields struct {
	inputValue, fromTo    bool
	outputValue, outputOK bool
}

func (k Kind) fields() fields {
	return fields{
		inputValue:  k == Write || k == Put || k == Append,
		fromTo:      k == CAS,
		outputValue: k == Read || k == Get,
		outputOK:    k == CAS,
	}
}

// never is the end of an operation that stays open.
const never = math.MaxInt64

// end is the moment after which the operation cannot take effect any more.
func (o *Operation) end() int64 {
	if o.Open {
		return never
	}
	return o.Return
}

// written returns the value that the operation brings, if it can change its
// object at all: what the contract of observers.sees is about.
func (o *Operation) written() (v Value, mutates bool) {
	switch {
	case slices.Contains([]Kind{Write, Put, Append, Create, Delete, Execute, Add}, o.Kind):
		return o.Input.Value, true
	case o.Kind == CAS:
		return o.Input.To, o.Open || o.Output.OK
	case o.Kind == StoreOffset:
		return Text(o.Input.Number.String()), true
	case o.Kind == DeleteOffset:
		return Value{}, o.Open || o.Output.OK
	}
	return Value{}, false
}

// constrains says whether the answer of the operation rules out any state.
func (o *Operation) constrains() bool {
	switch {
	case o.Open || o.Output.Unknown:
		return false
	case o.Kind == Append:
		return o.Output.Number.Present // Of a partition.
	}
	return !slices.Contains([]Kind{Write, Put, StoreOffset, Add}, o.Kind)
}
