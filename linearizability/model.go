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
	}
	return nil, false
}

// Models lists the models that this package decides.
func Models() []Model { return []Model{Register, KV} }

func modelNames() string {
	names := make([]string, 0, len(Models()))
	for _, m := range Models() {
		names = append(names, `"`+string(m)+`"`)
	}
	return strings.Join(names, " or ")
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

// fields says which fields of input and output a kind has.
type fields struct {
	inputValue, fromTo    bool
	outputValue, outputOK bool
}

func (k Kind) fields() fields {
	switch k {
	case Read, Get:
		return fields{outputValue: true}
	case Write, Put, Append:
		return fields{inputValue: true}
	case CAS:
		return fields{fromTo: true, outputOK: true}
	}
	return fields{}
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
// object at all.
func (o *Operation) written() (v Value, mutates bool) {
	switch o.Kind {
	case Write, Put, Append:
		return o.Input.Value, true
	case CAS:
		return o.Input.To, o.Open || o.Output.OK
	case Read, Get:
	}
	return Value{}, false
}

// constrains says whether the answer of the operation rules out any state.
func (o *Operation) constrains() bool {
	known := !o.Open && !o.Output.Unknown
	return known && slices.Contains([]Kind{Read, Get, CAS}, o.Kind)
}
