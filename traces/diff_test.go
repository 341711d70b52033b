package traces_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/traces"
)

func TestDiffNamesTheFields(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*traces.ReplicaState)
		want   string
	}{
		"equal states": {func(*traces.ReplicaState) {}, "[]"},
		"a nil list equals an empty one": {
			func(s *traces.ReplicaState) { s.Hollow = []uint64{} }, "[]",
		},
		"a number": {
			func(s *traces.ReplicaState) { s.CommitMax = 22 },
			"[commit_max want 20, got 22]",
		},
		"several, in the order of the format": {
			func(s *traces.ReplicaState) {
				s.Stop, s.Pipeline, s.Hollow = "", nil, []uint64{20, 21}
				s.InDoubt, s.Status = true, traces.StatusViewChange
			},
			"[status want normal, got view_change hollow want {}, got {20,21} " +
				"in_doubt want false, got true pipeline want [21,21], got [] " +
				`stop want CaughtUp, got ""]`,
		},
		"a text that looks like nothing": {
			func(s *traces.ReplicaState) { s.HeadChecksum = "c9 " },
			`[head_checksum want c9, got "c9 "]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := exampleEvent().After, exampleEvent().After
			tc.change(&got)
			assert.Equal(t, tc.want, fmt.Sprint(traces.Diff(want, got)))
			assert.Equal(t, tc.want == "[]", want.Equal(got))
		})
	}
}

// A field that is added to the state and forgotten in Equal or Diff would never be
// compared again: every field must count in both, under its name in the format.
func TestDiffAndEqualSeeEveryField(t *testing.T) {
	t.Parallel()
	kind := reflect.TypeFor[traces.ReplicaState]()
	for i := range kind.NumField() {
		base := exampleEvent().After
		changed := exampleEvent().After
		switch f := reflect.ValueOf(&changed).Elem().Field(i); v := f.Addr().Interface().(type) {
		case *string:
			*v += "x"
		case *uint32:
			*v++
		case *uint64:
			*v++
		case *bool:
			*v = !*v
		case *[]uint64:
			*v = []uint64{1, 99}
		default:
			require.Fail(t, "a field of a new type", "%T", v)
		}
		name := kind.Field(i).Tag.Get("json")
		assert.False(t, base.Equal(changed), name)
		diffs := traces.Diff(base, changed)
		require.Len(t, diffs, 1, name)
		assert.Equal(t, name, diffs[0].Field)
	}
}

func TestDiffIsEmptyExactlyWhenEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := states.Draw(t, "a")
		b := states.Draw(t, "b")
		if rapid.Bool().Draw(t, "same") {
			b = a
		}
		require.Equal(t, a.Equal(b), len(traces.Diff(a, b)) == 0)
		require.Equal(t, a.Equal(b), b.Equal(a))
		require.Len(t, traces.Diff(b, a), len(traces.Diff(a, b)))
	})
}
