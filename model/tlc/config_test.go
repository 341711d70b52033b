package tlc

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReadConfig(t *testing.T) {
	t.Parallel()
	c := readConfig("\\* PROPERTY not\nCONSTANTS N = 3\n Bugs = {\"INIT x\", a} (* VIEW\n v *)\n" +
		"PROPERTY Live\n  Again\nINVARIANT TypeOK PROPERTIES Third\nCHECK_DEADLOCK FALSE")
	assert.Equal(t, config{
		{keyword: "CONSTANTS", line: 2, words: []string{
			"N", "=", "3", "Bugs", "=", "{", `"INIT x"`, ",", "a", "}",
		}},
		{keyword: "PROPERTY", line: 5, words: []string{"Live", "Again"}},
		{keyword: "INVARIANT", line: 7, words: []string{"TypeOK"}},
		{keyword: "PROPERTIES", line: 7, words: []string{"Third"}},
		{keyword: "CHECK_DEADLOCK", line: 8, words: []string{"FALSE"}},
	}, c)
	assert.Equal(t, []string{"Live", "Again", "Third"}, c.properties())
	assert.EqualError(t, c.onlyConstants(),
		"configuration line 5 has PROPERTY: expected CONSTANTS only")

	assert.NoError(t, readConfig("CONSTANT N = 3 CONSTANTS M <- Other").onlyConstants())
	assert.NoError(t, readConfig("").onlyConstants())
}
