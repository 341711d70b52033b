package tlaval

// Kind says which sort of TLA+ value a [Value] is. The zero Kind is no kind.
type Kind uint8

// The kinds. Functions include sequences and records (see the package comment).
const (
	KindInt Kind = iota + 1
	KindBool
	KindString
	KindModel
	KindSet
	KindFunction
)

// String names k as error messages do.
func (k Kind) String() string {
	switch k {
	case KindInt:
		return "int"
	case KindBool:
		return "bool"
	case KindString:
		return "string"
	case KindModel:
		return "model value"
	case KindSet:
		return "set"
	case KindFunction:
		return "function"
	}
	return "no value"
}

// Value is one TLA+ value, immutable. The zero Value is no value: its kind is 0
// and its text is empty.
type Value struct {
	kind Kind
	num  int64   // KindInt: the number. KindBool: 1 for TRUE.
	text string  // KindString, KindModel.
	keys []Value // KindFunction: the domain; nil stands for 1..len(vals).
	vals []Value // KindFunction: the results, in the order of keys. KindSet: the elements.
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// Int returns the number that v is, and false if v is no integer.
func (v Value) Int() (number int64, ok bool) { return v.num, v.kind == KindInt }

// Bool returns the truth value that v is, and false in ok if v is no boolean.
func (v Value) Bool() (truth, ok bool) {
	return v.kind == KindBool && v.num == 1, v.kind == KindBool
}

// Text returns the characters of a string, or the name of a model value, and
// false if v is neither.
func (v Value) Text() (text string, ok bool) {
	return v.text, v.kind == KindString || v.kind == KindModel
}

// Len returns the size of a set, or of a function's domain (so the length of a
// sequence and the number of a record's fields), and 0 for any other kind. A set
// that was printed with an element twice counts it twice; TLC never prints one.
func (v Value) Len() int { return len(v.vals) }

// Elements returns the elements of a set in the order in which they were
// printed, and nil for any other kind. The caller must not change the slice.
func (v Value) Elements() []Value {
	if v.kind != KindSet {
		return nil
	}
	return v.vals
}

// Field returns the value of the record field (or state variable) called name,
// and false if v is not a function with that string in its domain.
func (v Value) Field(name string) (field Value, ok bool) {
	if v.kind != KindFunction {
		return Value{}, false
	}
	for i := range v.keys {
		if v.keys[i].kind == KindString && v.keys[i].text == name {
			return v.vals[i], true
		}
	}
	return Value{}, false
}

// At returns the result of applying a function to the integer key (so the
// key-th element of a sequence, from 1), and false if key is not in the domain.
func (v Value) At(key int64) (result Value, ok bool) {
	if v.kind != KindFunction {
		return Value{}, false
	}
	if v.keys == nil {
		if key < 1 || key > int64(len(v.vals)) {
			return Value{}, false
		}
		return v.vals[key-1], true
	}
	for i := range v.keys {
		if v.keys[i].kind == KindInt && v.keys[i].num == key {
			return v.vals[i], true
		}
	}
	return Value{}, false
}

// Pairs calls yield for each key of a function with its result, in the order in
// which they were printed, until yield returns false. Other kinds have none.
func (v Value) Pairs(yield func(key, result Value) bool) {
	if v.kind != KindFunction {
		return
	}
	for i, result := range v.vals {
		key := Value{kind: KindInt, num: int64(i) + 1}
		if v.keys != nil {
			key = v.keys[i]
		}
		if !yield(key, result) {
			return
		}
	}
}

// Equal reports whether v and w are the same TLA+ value.
func (v Value) Equal(w Value) bool {
	return string(v.AppendCanonical(nil)) == string(w.AppendCanonical(nil))
}

// String returns the canonical text of v.
func (v Value) String() string { return string(v.AppendCanonical(nil)) }
