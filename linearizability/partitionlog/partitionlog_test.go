package partitionlog

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clients makes a history of an atomic log: each operation takes effect at its place in
// the order, and overlaps those of all other clients. Every openOneIn-th is unanswered.
func clients(operations, width, openOneIn int) []Operation {
	result := make([]Operation, operations)
	var log []uint64
	for i := range result {
		o := &result[i]
		*o = Operation{
			Kind: Append, Client: i % width, Value: uint64(i), Offset: int64(len(log)),
			Call: int64(10 * i), Return: int64(10*(i+width) - 5),
		}
		if i%2 == 1 {
			from := max(0, len(log)-4)
			o.Kind, o.Value, o.Offset, o.Max = Poll, 0, int64(from), 8
			o.Records = log[from:len(log):len(log)]
		}
		if o.Kind == Append {
			log = append(log, o.Value)
		}
		if i%openOneIn == openOneIn-1 {
			o.Open, o.Return, o.Records = true, 0, nil
			if o.Kind == Append {
				o.Offset = 0
			}
		}
	}
	return result
}

// random makes a small history: an atomic log at random moments, often spoiled.
func random(seed uint64) []Operation {
	r := rand.New(rand.NewPCG(seed, 9)) //nolint:forbidigo // Seeded.
	size := 2 + r.IntN(8)

	var result []Operation
	var log []uint64
	for i := range size {
		at := int64(4 * i)
		o := Operation{
			Kind: Append, Client: i, Value: uint64(i), Call: at - r.Int64N(12), Return: at + r.Int64N(12),
		}
		if r.IntN(2) == 0 {
			o.Kind, o.Value, o.Max = Poll, 0, 1+r.IntN(4)
			o.Offset = r.Int64N(int64(len(log)) + 2)
			from := min(int(o.Offset), len(log))
			o.Records = append(o.Records, log[from:min(from+o.Max, len(log))]...)
			if o.Stale = r.IntN(3) == 0; o.Stale && r.IntN(2) == 0 {
				o.Records = o.Records[:r.IntN(len(o.Records)+1)] // As it was before.
			}
		} else if o.Offset = int64(len(log)); r.IntN(8) > 0 {
			log = append(log, o.Value)
		} else {
			o.Open = true // It never happened.
		}
		if r.IntN(5) == 0 {
			o.Open = true
		}
		if o.Open {
			o.Return, o.Records = 0, nil
			if o.Kind == Append {
				o.Offset = 0
			}
		}
		result = append(result, o)
	}
	if r.IntN(2) == 0 {
		o := &result[r.IntN(size)]
		switch r.IntN(3) {
		case 0:
			o.Offset++
		case 1:
			if len(o.Records) > 0 {
				o.Records = o.Records[:len(o.Records)-1]
			}
		case 2:
			if len(o.Records) > 0 {
				o.Records[r.IntN(len(o.Records))] = r.Uint64N(uint64(size))
			}
		}
		if o.Open && o.Kind == Append {
			o.Offset = 0
		}
	}
	return result
}

func TestTheSweepAndPorcupineAgree(t *testing.T) {
	t.Parallel()
	const histories = 25_000
	violations := 0
	for seed := range uint64(histories) {
		h := random(seed)
		pointers := make([]*Operation, len(h))
		for i := range h {
			pointers[i] = &h[i]
		}
		report := Check(h, 0)
		require.True(t, report.Swept)
		require.Equal(t, search(pointers, 0), report.Verdict, "seed %d: %+v", seed, h)
		if report.Verdict != Violation {
			continue
		}
		violations++
		require.NotEmpty(t, report.Reason)
		require.True(t, report.Minimal)
		witness := make([]*Operation, len(report.Witness))
		for i := range witness {
			witness[i] = &report.Witness[i]
		}
		require.Equal(t, Violation, search(witness, 0), "the witness of seed %d is none", seed)
	}
	assert.Greater(t, violations, histories/20)
	assert.Less(t, violations, histories*9/10)
}

func TestPlantedDefectsAreFoundAndExplained(t *testing.T) {
	t.Parallel()
	app := func(value uint64, offset, call, returned int64) Operation {
		return Operation{Kind: Append, Value: value, Offset: offset, Call: call, Return: returned}
	}
	poll := func(from, call, returned int64, records ...uint64) Operation {
		return Operation{
			Kind: Poll, Offset: from, Max: 9, Records: records, Call: call, Return: returned,
		}
	}
	for name, tc := range map[string]struct {
		history []Operation
		says    string
	}{
		"a stale read": {
			[]Operation{app(7, 0, 0, 1), app(8, 1, 2, 3), poll(0, 4, 5, 7)},
			"the append of record 8 at offset 1 returned at 3",
		},
		"a lost append": {
			[]Operation{app(7, 0, 0, 1), app(8, 0, 2, 3), poll(0, 4, 5, 8)},
			"offset 0 holds record 7 and record 8",
		},
		"a duplicate execution": {
			[]Operation{app(7, 0, 0, 1), poll(0, 4, 5, 7, 7)},
			"offset 1 was shown, but only 1 records were sent",
		},
		"reordered offsets": {
			[]Operation{app(7, 1, 0, 1), app(8, 0, 2, 3)},
			"the append of record 7 at offset 1 returned at 1",
		},
		"a record that nobody sent": {
			[]Operation{app(7, 0, 0, 1), poll(0, 4, 5, 9)},
			"record 9 at offset 0 was never sent",
		},
		"a record out of the future": {
			[]Operation{poll(0, 0, 1, 7), app(7, 0, 4, 5)},
			"a poll from offset 0 returned at 1 and saw length 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Bystanders, before and behind.
			history := append([]Operation{poll(5, -3, -2)}, tc.history...)
			history = append(history, poll(9, 10, 11))
			report := Check(history, 0)
			require.Equal(t, Violation, report.Verdict)
			assert.Contains(t, report.Reason, tc.says)
			assert.LessOrEqual(t, len(report.Witness), len(tc.history))
		})
	}
}

func TestRepeatedValuesGoToPorcupine(t *testing.T) {
	t.Parallel()
	twice := []Operation{
		{Kind: Append, Value: 7, Offset: 0, Return: 9},
		{Kind: Append, Value: 7, Offset: 1, Return: 9},
	}
	assert.Equal(t, Report{Verdict: Linearizable}, Check(twice, time.Minute))
	twice[1].Offset = 0
	assert.Equal(t, Report{Verdict: Violation}, Check(twice, time.Minute))
}

func TestLongLogsAreDecidedBothWays(t *testing.T) {
	t.Parallel()
	h := clients(20_000, 64, 101)
	require.Equal(t, Linearizable, Check(h, 0).Verdict)
	for i := 15_000; ; i++ {
		if o := &h[i]; o.Kind == Poll && !o.Open {
			o.Offset, o.Records = 100, nil // As if the log ended there.
			break
		}
	}
	report := Check(h, 0)
	require.Equal(t, Violation, report.Verdict)
	assert.Contains(t, report.Reason, "at offset 100 returned at 2635, before what precedes it")
	assert.Equal(t, int64(100), report.Base)
	assert.Len(t, report.Witness, 3, "an append, the poll that saw it, and the one that did not")
	assert.True(t, report.Minimal)
}

// Each way to contradict a log of 50,000 operations is shown by a few of them.
func TestALongLogsWitnessIsSmall(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Operation){
		"another record":   func(o *Operation) { o.Records[0]++ },
		"no record":        func(o *Operation) { o.Offset, o.Records = 100, nil },
		"a record of old":  func(o *Operation) { o.Records[0] = 4 },
		"one from nowhere": func(o *Operation) { o.Records[0] = 1 << 40 },
		"too early":        func(o *Operation) { o.Call, o.Return = 5, 6 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := clients(50_000, 64, 101)
			for i := 40_000; ; i++ {
				if o := &h[i]; o.Kind == Poll && !o.Open {
					o.Records = slices.Clone(o.Records)
					spoil(o)
					break
				}
			}
			report := Check(h, 0)
			require.Equal(t, Violation, report.Verdict)
			assert.True(t, report.Minimal)
			assert.LessOrEqual(t, len(report.Witness), 4, report.Reason)
			assert.Equal(t, Violation, search(pointersTo(report.Witness), 0),
				"%s: %+v", report.Reason, report.Witness)
		})
	}
}

func TestOffsetsThatNoLogHasAreViolations(t *testing.T) {
	t.Parallel()
	const far = int64(1) << 62
	for name, o := range map[string]Operation{
		"an append before the log":       {Kind: Append, Offset: -1},
		"an append behind all offsets":   {Kind: Append, Offset: far},
		"a poll from before the log":     {Kind: Poll, Offset: -1, Max: 1},
		"a poll from behind all offsets": {Kind: Poll, Offset: far, Max: 9, Records: []uint64{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := Check([]Operation{o}, 0)
			require.Equal(t, Violation, report.Verdict)
			assert.Contains(t, report.Reason, "is none of a log")
		})
	}
}

func TestASweepGivesUpWhenItIsTold(t *testing.T) {
	t.Parallel()
	report, applies := Sweep(clients(100, 4, 9), Options{Ended: func() bool { return true }})
	require.True(t, applies)
	assert.Equal(t, Undecided, report.Verdict)
}

func BenchmarkLogOfAMillionOperations(b *testing.B) {
	h := clients(1_000_000, 64, 101)
	for b.Loop() {
		require.Equal(b, Linearizable, Check(h, 0).Verdict)
	}
	b.ReportMetric(float64(len(h))*float64(b.N)/b.Elapsed().Seconds(), "operations/s")
}
