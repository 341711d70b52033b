package canonical_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/canonical"
	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
)

func TestTextsAreThoseOfTheValuesOfTLC(t *testing.T) {
	t.Parallel()
	square := func(i int) string { return strconv.Itoa(i * i) }
	for name, tc := range map[string]struct{ text, tla string }{
		"a sequence":           {canonical.Function(1, 3, square), "<<1, 4, 9>>"},
		"a function from zero": {canonical.Function(0, 2, square), "(0 :> 0 @@ 1 :> 1)"},
		"nothing":              {canonical.Function(1, 0, square), "<<>>"},
		"a set":                {canonical.Set([]string{"3", "1", "2"}), "{2, 1, 3}"},
		"the empty set":        {canonical.Set(nil), "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, err := tlaval.Parse([]byte(tc.tla))
			require.NoError(t, err)
			assert.Equal(t, string(value.AppendCanonical(nil)), tc.text)
		})
	}
}
