package linearizability

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// uniqueWrites makes a random partition of reads and of writes of unique values, right
// or wrong, some of them open, some answers of values that nobody wrote.
func uniqueWrites(seed uint64) *builder {
	random := newSource(seed)
	b := registerHistory()
	size := 2 + random.below(8)
	for i := range size {
		call := int64(random.below(20))
		o := write(fmt.Sprint(i))
		if random.below(2) == 0 {
			o = read(fmt.Sprint(random.below(size)))
			if random.below(4) == 0 {
				o = readNull()
			}
		}
		switch {
		case random.below(6) == 0:
			o.Output = Output{}
			b.from(call, o)
		case o.Kind == Read && random.below(10) == 0:
			o.Output = Output{Unknown: true}
			b.during(call, call+3, o)
		default:
			b.during(call, call+int64(random.below(12)), o)
		}
	}
	b.history.Sort()
	return b
}

func TestZonesAndPorcupineAgree(t *testing.T) {
	t.Parallel()
	const histories = 25_000
	violations := 0
	for seed := range uint64(histories) {
		operations := uniqueWrites(seed).pointers()
		witness, violated, applies := zones(operations)
		require.True(t, applies)
		want := plainVerdict(&registerSpecification, operations)
		require.Equal(t, want == Violation, violated, "seed %d\n%s", seed, describe(operations))
		if violated {
			violations++
			require.LessOrEqual(t, len(witness), 6)
			require.Equal(t, Violation, plainVerdict(&registerSpecification, witness),
				"the witness of seed %d is none:\n%s", seed, describe(witness))
		}
	}
	assert.Greater(t, violations, histories/10)
	assert.Less(t, violations, histories*9/10)
}

func TestZonesRefuseWhatTheyCannotDecide(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]*builder{
		"a compare and set":     registerHistory().during(0, 1, cas("a", "b", false)),
		"a value written twice": registerHistory().during(0, 1, write("a")).from(2, write("a")),
		"a written null":        registerHistory().during(0, 1, Operation{Kind: Write}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, applies := zones(b.pointers())
			assert.False(t, applies)
		})
	}
}

// wide is a linearizable history of so many clients whose requests all overlap those of
// all others, each write of a value of its own, every 100th request unanswered. Its order
// is that of its operations.
func wide(operations, clients int) *History {
	h := &History{Model: Register, Unit: Steps, Operations: make([]Operation, operations)}
	holds, lost := Value{}, 0
	for i := range h.Operations {
		o := &h.Operations[i]
		*o = readNull()
		o.Client, o.ID = i%clients, uint64(i)
		o.Call, o.Return = int64(10*i), int64(10*(i+clients)-5)
		open := i%100 == 99
		if i%2 == 1 {
			*o = Operation{
				Client: o.Client, ID: o.ID, Kind: Write, Call: o.Call, Return: o.Return,
				Input: Input{Value: Text(fmt.Sprint(i))},
			}
			holds = o.Input.Value
		}
		if o.Kind == Read {
			o.Output.Value = holds
		}
		if open { // The client goes on under a number that nobody else has.
			o.Client, o.Open, o.Return, o.Output = clients+lost, true, 0, Output{}
			lost++
		}
	}
	return h
}

func TestLongHistoriesAreDecidedByTheirZones(t *testing.T) {
	t.Parallel()
	h := wide(20_000, 64)
	report := mustCheck(t, h, CheckOptions{Workers: 1})
	require.Equal(t, Linearizable, report.Verdict)
	assert.Zero(t, report.Partitions[0].Steps, "nothing is searched")
	for i := 15_000; ; i++ {
		if o := &h.Operations[i]; o.Kind == Read && o.constrains() {
			o.Output.Value = Text("101") // Overwritten long ago.
			break
		}
	}
	report = mustCheck(t, h, CheckOptions{Workers: 1})
	require.Equal(t, Violation, report.Verdict)
	require.NotNil(t, report.Witness)
	assert.True(t, report.Witness.Minimal)
	assert.LessOrEqual(t, len(report.Witness.Operations), 6)
	assert.NotNil(t, report.Witness.Conflict)
}

func BenchmarkRegisterOfAMillionOperations(b *testing.B) {
	h := wide(1_000_000, 64)
	for b.Loop() {
		report, err := Check(b.Context(), h, CheckOptions{Workers: 1})
		require.NoError(b, err)
		require.Equal(b, Linearizable, report.Verdict)
	}
	perSecond := float64(len(h.Operations)) * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond, "operations/s")
}

// BenchmarkRegisterAgainstPorcupine has a history that Porcupine can bear.
func BenchmarkRegisterAgainstPorcupine(b *testing.B) {
	small := wide(1_000, 8).partitions()[0].operations
	each := func(b *testing.B) float64 { return b.Elapsed().Seconds() / float64(b.N) }
	var porcupine float64
	b.Run("porcupine", func(b *testing.B) {
		for b.Loop() {
			plainVerdict(&registerSpecification, small)
		}
		porcupine = each(b)
	})
	b.Run("zones", func(b *testing.B) {
		for b.Loop() {
			zones(small)
		}
		b.ReportMetric(porcupine/each(b), "times-porcupine")
	})
}
