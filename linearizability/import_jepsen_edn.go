package linearizability

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// JepsenEDNModels lists the models for which [ImportJepsenEDN] reads histories.
func JepsenEDNModels() []Model { return []Model{Register, Set, KV} }

// ImportJepsenEDN reads the history of a Jepsen test, one operation a line, as in
//
//	{:process 0, :type :invoke, :f :write, :value 3, :index 0, :time 1500}
//	{:process 0, :type :ok, :f :write, :value 3, :index 1, :time 2700}
//
//	model     :f       :value of the call   :value of the answer
//	register  :read    nil                  V or nil
//	register  :write   V                    V
//	register  :cas     [V V]                [V V]
//	set       :add     V                    V
//	set       :read    nil                  #{V ...} or [V ...]
//	kv        :append  V                    V
//	kv        :read    nil                  [V ...]: what was appended, in its order
//	kv        :txn     [[:append K V]]      [[:append K V]]
//	kv        :txn     [[:r K nil]]         [[:r K [V ...]]]
//
// V and K are scalars: numbers, texts, keywords. Where a value is [K value], as it is of
// Jepsen's independent keys, K is the key. A list becomes the text of its elements, each
// followed by a blank. Transactions of several operations are refused: their matter is
// serializability.
//
// ":info" is an unknown outcome. A ":fail" says that nothing happened: the operation is
// left out, but of a :cas it is the answer that another value was there. Operations of
// processes without a number (:nemesis) and other fields are ignored. Lines are steps.
//
// Errors: a model that is none of [JepsenEDNModels]; a [*FormatError] for the first line
// that is anything else, or that does not fit the lines before it.
func ImportJepsenEDN(from io.Reader, name string, model Model) (*History, error) {
	if !slices.Contains(JepsenEDNModels(), model) {
		return nil, fmt.Errorf("import %s: expected model register, set or kv, got %q", name, model)
	}
	return importLines(from, name, model, func(line string) (event, *fault) {
		return parseJepsenEDN(line, model)
	})
}

func parseJepsenEDN(line string, model Model) (event, *fault) {
	const expected = `{:process N, :type :invoke|:ok|:fail|:info, :f ..., :value ...}`
	op, err := parseEDN(line)
	if err != nil {
		return event{}, &fault{expected: expected, got: err.Error()}
	}
	process, hasProcess := op.get(":process")
	outcome, hasType := op.get(":type")
	f, hasF := op.get(":f")
	value, hasValue := op.get(":value")
	if !hasProcess || !hasType || !hasF {
		return event{}, &fault{expected: expected, got: shorten(line)}
	}
	number, err := strconv.Atoi(process.text)
	if process.kind != ednScalar || err != nil {
		return event{outcome: eventForeign}, nil
	}
	if !hasValue {
		value = ednValue{kind: ednNil}
	}
	e := event{process: number}
	e.outcome = map[string]eventOutcome{
		":invoke": eventCall, ":ok": eventAnswer, ":fail": eventNothing, ":info": eventUnknown,
	}[outcome.text]
	if e.outcome == 0 {
		return e, &fault{expected: ":type :invoke, :ok, :fail or :info", got: outcome.text}
	}
	function := f.text
	if model == KV && function == ":txn" {
		var bad *fault
		if function, value, bad = single(value); bad != nil {
			return e, bad
		}
	}
	kind, known := jepsenKind(model, function)
	if !known {
		return e, &fault{
			expected: fmt.Sprintf(":f of model %s", model), got: shorten(f.text),
		}
	}
	e.kind = kind
	if e.outcome == eventNothing && kind == CAS {
		e.outcome = eventAnswer // That it failed is its answer.
	} else if e.outcome == eventUnknown || e.outcome == eventNothing {
		return e, nil // The value may be anything, as may an error.
	}
	e.output.OK = e.outcome == eventAnswer && outcome.text == ":ok" && kind == CAS
	return e, e.fillJepsen(value)
}

// jepsenKind names the kind of :f in a model.
func jepsenKind(model Model, function string) (kind Kind, known bool) {
	kinds := map[string]Kind{":read": Read, ":write": Write, ":cas": CAS}
	if model == Set {
		kinds = map[string]Kind{":read": Members, ":add": Add}
	}
	if model == KV {
		kinds = map[string]Kind{":read": Get, ":r": Get, ":append": Append}
	}
	kind, known = kinds[function]
	return kind, known
}

// single takes a transaction of one operation apart, into its :f and [K V].
func single(value ednValue) (string, ednValue, *fault) {
	bad := &fault{
		expected: "a transaction of one operation, [[:append K V]] or [[:r K nil]]",
		got:      fmt.Sprintf("%d operations", len(value.values)),
	}
	if value.kind != ednVector || len(value.values) != 1 {
		return "", value, bad
	}
	operation := value.values[0]
	if operation.kind != ednVector || len(operation.values) != 3 {
		bad.got = "something else"
		return "", value, bad
	}
	operation.values, value = operation.values[1:], operation.values[0]
	return value.text, operation, nil
}

// fillJepsen puts the value of an operation into the event: its key if it has one, its
// input, and of an answer its output.
func (e *event) fillJepsen(value ednValue) *fault {
	if len(value.values) == 2 && value.kind == ednVector && e.keyed(value) {
		key, ok := value.values[0].scalar()
		if !ok {
			return &fault{expected: "a key that is a number, a text or a keyword", got: "something else"}
		}
		e.key, value = key, value.values[1]
	}
	bad := func(expected string) *fault {
		return &fault{
			expected: fmt.Sprintf("%s as :value of this %s", expected, e.kind), got: value.describe(),
		}
	}
	reads := e.kind == Read || e.kind == Get || e.kind == Members
	switch {
	case reads && e.outcome == eventCall:
		return nil // Some clients write there what they read last.
	case e.kind == Read && value.kind == ednNil:
		return nil // The output is null.
	case e.kind == CAS:
		if value.kind != ednVector || len(value.values) != 2 {
			return bad("[FROM TO]")
		}
		from, to := value.values[0], value.values[1]
		return firstFault(from.into(&e.input.From, bad), to.into(&e.input.To, bad))
	case e.kind == Read:
		return value.into(&e.output.Value, bad)
	case reads:
		return e.fillList(value, bad)
	}
	f := value.into(&e.input.Value, bad)
	if e.kind == Append {
		e.input.Value.Text += " "
	}
	return f
}

// fillList puts what a read of a list or a set returned into the event.
func (e *event) fillList(value ednValue, bad func(string) *fault) *fault {
	if value.kind == ednScalar || value.kind == ednKeyword || value.kind == ednMap {
		return bad("a list or a set")
	}
	var members []string
	for _, member := range value.values {
		text, ok := member.scalar()
		if !ok {
			return bad("a list of numbers, texts or keywords")
		}
		members = append(members, text)
	}
	if e.kind == Members {
		slices.Sort(members)
		e.output.Values = members
		return nil
	}
	e.output.Value = Text("")
	for _, member := range members {
		e.output.Value.Text += member + " "
	}
	return nil
}

// keyed says whether a pair is a key and a value, and not a value.
func (e *event) keyed(pair ednValue) bool {
	second := pair.values[1].kind
	if e.kind == CAS {
		return second == ednVector
	}
	if e.kind == Members || e.kind == Get {
		return second == ednVector || second == ednSet || second == ednNil
	}
	return true
}

func (v ednValue) scalar() (string, bool) {
	return v.text, v.kind == ednScalar || v.kind == ednKeyword
}

// into stores a scalar; nil is null.
func (v ednValue) into(to *Value, bad func(string) *fault) *fault {
	text, ok := v.scalar()
	if !ok {
		return bad("a number, a text or a keyword")
	}
	*to = Text(text)
	return nil
}

func (v ednValue) describe() string {
	if v.kind == ednNil {
		return "nil"
	}
	if text, ok := v.scalar(); ok {
		return shorten(strconv.Quote(text))
	}
	parts := make([]string, len(v.values))
	for i, part := range v.values {
		parts[i] = part.describe()
	}
	return shorten("[" + strings.Join(parts, " ") + "]")
}

func firstFault(faults ...*fault) *fault {
	for _, f := range faults {
		if f != nil {
			return f
		}
	}
	return nil
}
