package linearizability

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shaped are the models whose operations have shapes.
func shaped() []Model { return []Model{Partition, Offsets, Metadata, Sessions, Set} }

// TestWeakenedWitnessesAreViolations judges by plain Porcupine what the whole checker
// says of random histories, and its witnesses.
func TestWeakenedWitnessesAreViolations(t *testing.T) {
	t.Parallel()
	for _, model := range shaped() {
		t.Run(string(model), func(t *testing.T) {
			t.Parallel()
			spec, _ := model.specification()
			counts, smaller := map[Verdict]int{}, 0
			for seed := range randomPartitions(model) {
				b := randomPartition(seed, model)
				report := mustCheck(t, &b.history, CheckOptions{Workers: 1})
				want := plainVerdict(spec, b.pointers())
				require.Equal(t, want, report.Verdict, "seed %d\n%s", seed, describe(b.pointers()))
				counts[want]++
				if want == Linearizable {
					continue
				}
				w := report.Witness
				require.True(t, w.Minimal)
				require.Equal(t, Violation, plainVerdict(spec, w.pointers()), "seed %d\n%sof\n%s",
					seed, describe(w.pointers()), describe(b.pointers()))
				if len(w.Operations) < len(b.history.Operations) {
					smaller++
				}
			}
			assert.Greater(t, counts[Linearizable], 100)
			assert.Greater(t, counts[Violation], 100)
			assert.Greater(t, smaller, counts[Violation]/2)
		})
	}
}

func TestShapedHistoriesAreWrittenAndRead(t *testing.T) {
	t.Parallel()
	for _, model := range shaped() {
		for seed := range uint64(100) {
			h := randomPartition(seed, model).history
			var text bytes.Buffer
			require.NoError(t, WriteHistory(&text, &h))
			first := text.String()
			got, err := ReadHistory(&text, "h")
			require.NoError(t, err)
			require.Len(t, got.Operations, len(h.Operations))
			for i := range h.Operations {
				require.Equal(t, h.Operations[i].String(), got.Operations[i].String())
			}
			require.NoError(t, WriteHistory(&text, got))
			require.Equal(t, first, text.String())
		}
	}
}

// An offset that was stored once stays while a get is yet to show it, so nothing that got lost
// can have come between. The search must see that before it has tried all of them.
func TestLostStoresAndDeletionsOfAnOffsetDoNotMakeTheSearchExplode(t *testing.T) {
	t.Parallel()
	b := &builder{history: History{Model: Offsets, Unit: Steps}}
	store := func(n int64) Operation {
		return Operation{Kind: StoreOffset, Input: Input{Number: Int(n)}}
	}
	get3 := Operation{Kind: GetOffset, Output: Output{Number: Int(3)}}
	b.during(0, 1, store(3))
	for i := range int64(16) {
		b.from(10+20*i, store(4+i))
		b.from(11+20*i, Operation{Kind: DeleteOffset})
		b.during(12+20*i, 25+20*i, get3)
		b.during(13+20*i, 27+20*i, get3)
	}
	b.during(1000, 1001, Operation{Kind: DeleteOffset, Output: Output{OK: true}})
	b.during(1002, 1003, Operation{Kind: DeleteOffset})
	report := mustCheck(t, &b.history, CheckOptions{StepsMax: 5_000})
	assert.Equal(t, Linearizable, report.Verdict, report.Summary())

	b.during(1004, 1005, get3)
	report = mustCheck(t, &b.history, CheckOptions{StepsMax: 50_000})
	assert.Equal(t, Violation, report.Verdict, report.Summary())
}
