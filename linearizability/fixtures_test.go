package linearizability

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// builder makes histories in tests: each operation is of a client of its own
// unless the test says otherwise.
type builder struct {
	history History
}

func registerHistory() *builder {
	return &builder{history: History{Model: Register, Unit: Steps}}
}

func kvHistory() *builder { return &builder{history: History{Model: KV, Unit: Steps}} }

func (b *builder) add(o Operation) *builder {
	o.Client = len(b.history.Operations)
	b.history.Operations = append(b.history.Operations, o)
	return b
}

// during adds an answered operation.
func (b *builder) during(call, returned int64, o Operation) *builder {
	o.Call, o.Return = call, returned
	return b.add(o)
}

// from adds an operation that is never answered.
func (b *builder) from(call int64, o Operation) *builder {
	o.Call, o.Open = call, true
	return b.add(o)
}

func (b *builder) pointers() []*Operation {
	result := make([]*Operation, len(b.history.Operations))
	for i := range result {
		result[i] = &b.history.Operations[i]
	}
	return result
}

func write(value string) Operation {
	return Operation{Kind: Write, Input: Input{Value: Text(value)}}
}

func read(value string) Operation {
	return Operation{Kind: Read, Output: Output{Value: Text(value)}}
}

func readNull() Operation { return Operation{Kind: Read} }

func cas(from, to string, ok bool) Operation {
	return Operation{
		Kind: CAS, Input: Input{From: Text(from), To: Text(to)}, Output: Output{OK: ok},
	}
}

func openCAS(from, to string) Operation { return cas(from, to, false) }

func put(value string) Operation {
	return Operation{Kind: Put, Input: Input{Value: Text(value)}}
}

func appended(value string) Operation {
	return Operation{Kind: Append, Input: Input{Value: Text(value)}}
}

func get(value string) Operation {
	return Operation{Kind: Get, Output: Output{Value: Text(value)}}
}

// checkMax bounds each check of a test; none comes near it.
const checkMax = 5 * time.Minute

func mustCheck(t *testing.T, h *History, options CheckOptions) Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), checkMax)
	defer cancel()
	report, err := Check(ctx, h, options)
	require.NoError(t, err)
	return report
}

func mustGenerate(t *testing.T, options GenerateOptions) *History {
	t.Helper()
	h, err := Generate(options)
	require.NoError(t, err)
	require.NoError(t, h.Validate())
	return h
}

// plainVerdict asks Porcupine about one partition as it was recorded, without
// anything of this package but the model's step.
func plainVerdict(spec *specification, operations []*Operation) Verdict {
	history := make([]porcupine.Operation, len(operations))
	for i, o := range operations {
		history[i] = porcupine.Operation{Input: o, Call: o.Call, Return: o.end()}
	}
	model := porcupine.Model{
		Init: func() any { return spec.initial },
		Step: func(state, input, _ any) (bool, any) {
			return spec.step(state.(Value), input.(*Operation))
		},
	}
	if porcupine.CheckOperations(model, history) {
		return Linearizable
	}
	return Violation
}

func unlimited() StopReason { return StopNone }

// randomPartition makes a small history of one key out of thin air: right or
// wrong, with open operations, and with values that are written once or often.
func randomPartition(seed uint64, model Model) *builder {
	random := newSource(seed)
	b := &builder{history: History{Model: model, Unit: Steps}}
	if spec, _ := model.specification(); spec.shapes != nil {
		return randomShaped(random, b, spec)
	}
	domain := 1 + random.below(4)
	values := []string{"a", "b", "ab", "c"}
	openOneIn := 2 + 2*random.below(2)
	for range 2 + random.below(8) {
		value := func() Value { return Text(values[random.below(domain)]) }
		spec, _ := model.specification()
		o := Operation{Kind: spec.kinds[random.below(len(spec.kinds))]}
		fields := o.Kind.fields()
		if fields.inputValue {
			o.Input.Value = value()
		}
		if fields.fromTo {
			o.Input.From, o.Input.To = value(), value()
			if random.below(4) == 0 {
				o.Input.From = Value{}
			}
		}
		call := int64(random.below(20))
		if random.below(openOneIn) == 0 {
			b.from(call, o)
			continue
		}
		switch {
		case fields.outputValue && random.below(8) == 0:
			o.Output.Unknown = true
		case fields.outputValue && random.below(6) == 0:
			o.Output.Value = spec.initial
		case fields.outputValue:
			o.Output.Value = value()
			if model == KV && random.below(2) == 0 {
				o.Output.Value.Text += value().Text
			}
		case fields.outputOK:
			o.Output.OK = random.below(2) == 0
		}
		b.during(call, call+int64(random.below(12)), o)
	}
	b.history.Sort()
	return b
}

// randomShaped is randomPartition for the models with shapes. Most answers are those of
// an object that takes the operations one after the other.
func randomShaped(random source, b *builder, spec *specification) *builder {
	draw := func(slots []slot, o *Operation) {
		for _, s := range slots {
			switch field := s.of(o).(type) {
			case *Value:
				*field = Value{}
				if !s.null || random.below(3) > 0 {
					*field = Text([]string{"a", "b"}[random.below(2)])
				}
			case *Number:
				*field = Number{}
				if !s.null || random.below(3) > 0 {
					*field = Int(int64(random.below(3)))
				}
				if s.name == "max" {
					field.Value++
				}
			case *bool:
				*field = random.below(2) == 0
			case *[]string:
				*field = nil
				for range random.below(3) {
					*field = append(*field, []string{"a", "b"}[random.below(2)])
				}
			case *Level:
				if random.below(3) == 0 {
					*field = LevelSerializable
				}
			}
		}
	}
	holds := spec.initial
	for i := range 2 + random.below(7) {
		o := Operation{Kind: spec.kinds[random.below(len(spec.kinds))]}
		shape := spec.shapes[o.Kind]
		draw(shape.input, &o)
		call := int64(4*i) - int64(random.below(12))
		if random.below(4) == 0 {
			open := o
			open.Open = true
			if random.below(2) == 0 {
				_, holds = spec.step(holds, &open)
			}
			b.from(call, o)
			continue
		}
		honest := random.below(8) > 0
		for range 30 {
			draw(shape.output, &o)
			if possible, after := spec.step(holds, &o); possible || !honest {
				holds = after
				break
			}
		}
		b.during(call, int64(4*i)+int64(random.below(12)), o)
	}
	b.history.Sort()
	return b
}

func describe(operations []*Operation) string {
	text := ""
	for _, o := range operations {
		text += fmt.Sprintf("%s, %s\n", o, o.times(Steps))
	}
	return text
}
