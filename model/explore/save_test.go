package explore

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"
)

// withoutCost is a result without what depends on time.
func withoutCost[S any, A Action](r *Result[S, A]) Result[S, A] {
	c := *r
	c.CPUSeconds, c.BytesPerState, c.OverheadPerState = 0, 0, 0
	return c
}

// interruptAfter returns m, whose context ends after so many calls of Next.
func interruptAfter(
	m Model[twoPhaseState, label], calls int, cancel func(),
) Model[twoPhaseState, label] {
	next := m.Next
	m.Next = func(s twoPhaseState, yield func(label, twoPhaseState)) {
		if calls--; calls == 0 {
			cancel()
		}
		next(s, yield)
	}
	return m
}

// A search that is interrupted at any points, each time in another process so to say,
// ends with the figures of one that is not.
func TestAResumedSearchEndsLikeOneThatWasNeverInterrupted(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]Model[twoPhaseState, label]{
		"clean": twoPhase(3, false), "with a violation": twoPhase(3, true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "search")
			rapid.Check(t, func(t *rapid.T) {
				o := Options{Workers: 1, KeepGoing: rapid.Bool().Draw(t, "keep going")}
				want, err := Check(context.Background(), model, o)
				require.NoError(t, err)
				o.SaveTo, o.Identity = file, "x"
				for range rapid.IntRange(1, 6).Draw(t, "interruptions") {
					ctx, cancel := context.WithCancel(context.Background())
					calls := rapid.IntRange(1, 150).Draw(t, "calls")
					r, err := Check(ctx, interruptAfter(model, calls, cancel), o)
					interrupted := ctx.Err() != nil
					cancel()
					require.NoError(t, err)
					if r.Stop == StopViolation && interrupted { // A part of the level was enough.
						require.Equal(t, want.Violation.Property, r.Violation.Property)
						require.Len(t, r.Violation.Path, len(want.Violation.Path))
						return
					}
					if !r.Saved {
						require.Equal(t, withoutCost(want), withoutCost(r))
						return
					}
					require.Equal(t, StopContext, r.Stop)
					require.Positive(t, r.Waiting)
					o.ResumeFrom = file
				}
				r, err := Check(context.Background(), model, o)
				require.NoError(t, err)
				require.Equal(t, withoutCost(want), withoutCost(r))
			})
		})
	}
}

// Several workers leave their chunks half done as well.
func TestAResumedSearchOfSeveralWorkersHasTheSameFigures(t *testing.T) {
	t.Parallel()
	want, err := Check(t.Context(), twoPhase(5, false), Options{})
	require.NoError(t, err)
	for _, after := range []int64{1, 700, 4000, 8000} {
		file := filepath.Join(t.TempDir(), "search")
		ctx, cancel := context.WithCancel(t.Context())
		m := twoPhase(5, false)
		next := m.Next
		var calls atomic.Int64
		m.Next = func(s twoPhaseState, yield func(label, twoPhaseState)) {
			if calls.Add(1) == after {
				cancel()
			}
			next(s, yield)
		}
		r, err := Check(ctx, m, Options{Workers: 3, SaveTo: file})
		require.NoError(t, err)
		require.True(t, r.Saved)
		r, err = Check(t.Context(), m, Options{Workers: 3, ResumeFrom: file})
		require.NoError(t, err)
		assert.Equal(t, withoutCost(want), withoutCost(r))
	}
}

// Bounds leave a search that goes on without them, with any number of workers.
func TestABoundedSearchGoesOnWithoutItsBound(t *testing.T) {
	t.Parallel()
	want, err := Check(t.Context(), twoPhase(5, false), Options{})
	require.NoError(t, err)
	for name, bounded := range map[string]Options{
		"states": {MaxStates: 3000, Workers: 2}, "depth": {MaxDepth: 9, Workers: 2},
		"one level": {MaxDepth: 1, Workers: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "search")
			bounded.SaveTo = file
			r, err := Check(t.Context(), twoPhase(5, false), bounded)
			require.NoError(t, err)
			require.True(t, r.Saved)
			require.Less(t, r.Distinct, want.Distinct)
			r, err = Check(t.Context(), twoPhase(5, false), Options{ResumeFrom: file, Workers: 2})
			require.NoError(t, err)
			assert.Equal(t, withoutCost(want), withoutCost(r))
			files, err := filepath.Glob(file + "*")
			require.NoError(t, err)
			assert.Equal(t, []string{file}, files, "nothing is left beside it")
		})
	}
}

func TestAMemoryLimitEndsTheSearchAndLeavesItResumable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "search")
	s := newSearch(twoPhase(5, false), Options{Workers: 1})
	asked := 0
	s.memory.used = func() uint64 { asked++; return uint64(asked) }
	defer s.memory.begin(20)()
	stop, err := s.run(t.Context())
	require.NoError(t, err)
	require.Equal(t, StopMemory, stop)
	require.NoError(t, s.save(file))
	r, err := Check(t.Context(), twoPhase(5, false), Options{ResumeFrom: file})
	require.NoError(t, err)
	assert.Equal(t, 8832, r.Distinct)
	assert.True(t, r.Complete)
	assert.Positive(t, memoryUsed())
	// A limit that the process is beyond already.
	r, err = Check(t.Context(), twoPhase(5, false), Options{MemoryMax: 1})
	require.NoError(t, err)
	assert.Equal(t, StopMemory, r.Stop)
	assert.False(t, r.Complete)
	assert.Equal(t, 1, r.Waiting)
}

func saveSome(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "search")
	r, err := Check(t.Context(), twoPhase(4, false), Options{
		MaxDepth: 5, SaveTo: file, Identity: "a",
	})
	require.NoError(t, err)
	require.True(t, r.Saved)
	return file
}

func TestAFileThatIsNotOfThisSearchIsRefused(t *testing.T) {
	t.Parallel()
	file := saveSome(t)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	resum := func(b []byte) []byte {
		sum := xxh3.Hash128(b[:len(b)-checksumBytes]).Bytes()
		return append(b[:len(b)-checksumBytes:len(b)-checksumBytes], sum[:]...)
	}
	for name, tc := range map[string]struct {
		change func(b []byte) []byte
		o      Options
		model  Model[twoPhaseState, label]
		want   string
	}{
		"another identity": {o: Options{Identity: "b"}, want: `identity "a", expected "b"`},
		"another model":    {model: twoPhase(5, false), want: `model "two_phase_4"`},
		"another version": {
			change: func(b []byte) []byte { b[len(saveMagic)] = 9; return b }, want: "version 9, expected 1",
		},
		"no such file at all": {
			change: func([]byte) []byte { return []byte("hello") }, want: "no saved search",
		},
		"an empty file": {change: func([]byte) []byte { return nil }, want: "no saved search"},
		"one bit": {
			change: func(b []byte) []byte { b[len(b)/2] ^= 4; return b }, want: "damaged",
		},
		"cut short": {change: func(b []byte) []byte { return b[:len(b)-40] }, want: "damaged"},
		"cut in its head": {
			change: func(b []byte) []byte { return b[:20] }, want: "cut short",
		},
		"counts that do not fit": {
			change: func(b []byte) []byte {
				binary.LittleEndian.PutUint64(b[len(saveMagic)+8:], 1<<40)
				return resum(b)
			}, want: "do not fit its size",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, m := tc.o, tc.model
			if m.Next == nil {
				m = twoPhase(4, false)
			}
			if o.Identity == "" {
				o.Identity = "a"
			}
			o.ResumeFrom = file
			if tc.change != nil {
				o.ResumeFrom = filepath.Join(t.TempDir(), "changed")
				changed := tc.change(append([]byte(nil), content...))
				require.NoError(t, os.WriteFile(o.ResumeFrom, changed, 0o600))
			}
			_, err := Check(t.Context(), m, o)
			require.ErrorIs(t, err, ErrNotResumable)
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAModelThatWasChangedUnderItsIdentityIsNoticed(t *testing.T) {
	t.Parallel()
	m := twoPhase(4, false)
	next := m.Next
	m.Next = func(s twoPhaseState, yield func(label, twoPhaseState)) {
		next(s, func(a label, to twoPhaseState) {
			to.tm |= 4
			yield(a, to)
		})
	}
	_, err := Check(t.Context(), m, Options{ResumeFrom: saveSome(t), Identity: "a"})
	require.ErrorIs(t, err, ErrNondeterministic)
}

func TestAFailedSaveLeavesTheOldFileAndTheResult(t *testing.T) {
	t.Parallel()
	r, err := Check(t.Context(), twoPhase(4, false), Options{
		MaxDepth: 3, SaveTo: filepath.Join(t.TempDir(), "nowhere", "search"),
	})
	require.ErrorContains(t, err, "save search to ")
	require.NotNil(t, r)
	assert.False(t, r.Saved)
	_, err = Check(t.Context(), twoPhase(4, false), Options{ResumeFrom: "nowhere"})
	require.ErrorIs(t, err, os.ErrNotExist)
	s := newSearch(twoPhase(3, false), Options{Workers: 1})
	require.Error(t, s.writeTo(brokenPipe{}))
	_, err = s.rebuild([]uint64{77})
	require.ErrorIs(t, err, ErrNotResumable)
	require.NotErrorIs(t, err, ErrNondeterministic)
}
