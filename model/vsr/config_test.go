package vsr

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestConfigsThatTheSpecDoesNotAllow(t *testing.T) {
	t.Parallel()
	good := bound(1, Unbounded, 0, Walk)
	require.NoError(t, good.Validate())
	for want, change := range map[string]func(c *Config){
		"MaxRequest is -1, expected 0 to 2147483647": func(c *Config) { c.MaxRequest = -1 },
		"N is 0, expected 1 to 5":                    func(c *Config) { c.N = 0 },
		"N is 6, expected 1 to 5":                    func(c *Config) { c.N = 6 },
		"MaxView is -2, expected 0 to 2147483647":    func(c *Config) { c.MaxView = -2 },
		"MaxCrash is -3, expected 0 to 2147483647":   func(c *Config) { c.MaxCrash = -3 },
		"Drivers is Drivers(0), expected walk or walk_and_pipeline": func(c *Config) {
			c.Drivers = 0
		},
		"Bugs has unknown members (0x1)": func(c *Config) { c.Bugs = 1 },
	} {
		c := good
		change(&c)
		assert.ErrorContains(t, c.Validate(), want)
	}
}

func TestConfigTexts(t *testing.T) {
	t.Parallel()
	c := lazy(with(bound(1, Unbounded, 0, WalkAndPipeline), NoNonce))
	assert.Equal(t, "vsr (1,unbounded,0) walk_and_pipeline lazy no_nonce", c.String())
	assert.Equal(t, "vsr (1,unbounded,0) walk_and_pipeline lazy", c.Clean().String())
	assert.Equal(t, "vsr (1,2,3) walk of 5", of(5, bound(1, 2, 3, Walk)).String())
	assert.Equal(t, "vsr (1,2,3) walk merge again", again(bound(1, 2, 3, Walk)).String())
	assert.False(t, c.Bounded())
	assert.True(t, bound(1, 2, 3, Walk).Bounded())
	for _, drivers := range []Drivers{Walk, WalkAndPipeline} {
		parsed, err := ParseDrivers(drivers.String())
		require.NoError(t, err)
		assert.Equal(t, drivers, parsed)
	}
	_, err := ParseDrivers("both")
	assert.EqualError(t, err, `commit drivers "both": expected "walk" or "walk_and_pipeline"`)
}

func TestEntryTexts(t *testing.T) {
	t.Parallel()
	e, err := ParseEntry("12.3.45")
	require.NoError(t, err)
	assert.Equal(t, Entry{12, 3, 45}, e)
	assert.Equal(t, "12.3.45", e.String())
	for _, bad := range []string{"", "1.2", "1.2.3.4", "1.-2.3", "a.b.c", "1.2.99999999999"} {
		_, err := ParseEntry(bad)
		assert.ErrorContains(t, err, "expected op.view.request", bad)
	}
}

func drawEntry(t *rapid.T) Entry {
	return Entry{
		Op:      Op(rapid.IntRange(1, 4).Draw(t, "op")),
		View:    View(rapid.IntRange(0, 2).Draw(t, "view")),
		Request: Request(rapid.IntRange(1, 3).Draw(t, "request")),
	}
}

// A set must behave as a map does, and never change a set that it came from.
func TestEntrySetIsASet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var set EntrySet
		model := map[Entry]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "additions") {
			e := drawEntry(t)
			before := string(appendEntries(nil, set))
			grown := set.with(e)
			require.Equal(t, before, string(appendEntries(nil, set)))
			set, model[e] = grown, true
			require.Len(t, set, len(model))
		}
		probe := drawEntry(t)
		require.Equal(t, model[probe], set.Has(probe))
		for i := 1; i < len(set); i++ {
			require.Negative(t, set[i-1].compare(set[i]), "ascending")
		}
		for _, e := range set.at(probe.Op) {
			require.Equal(t, probe.Op, e.Op)
		}
		kept := set.without(Log{probe})
		require.False(t, kept.Has(probe))
		if model[probe] {
			require.Len(t, kept, len(set)-1)
			require.Contains(t, set.at(probe.Op), probe)
			require.Contains(t, set.upTo(probe.Op), probe)
		}
		require.NotContains(t, set.upTo(probe.Op-1), probe)
	})
}
