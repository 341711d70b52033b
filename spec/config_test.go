package spec

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const exampleConfig = `\* A comment with "quotes and { braces.
SPECIFICATION Spec \* another
CONSTANTS N = 3 (* a comment
over two lines *)
  CommitDrivers = "walk"
  LazyLogView = FALSE
CONSTANT Bugs = {"b", "a"}
INVARIANTS TypeOK
  NoStall
INVARIANT Agreement
PROPERTY Progress
CHECK_DEADLOCK FALSE
`

func TestParseConfigReadsEverySection(t *testing.T) {
	t.Parallel()
	config, err := ParseConfig("cfg/x.cfg", exampleConfig)
	require.NoError(t, err)
	assert.Equal(t, Config{
		Specification: "Spec",
		Constants: Constants{
			{"N", 3},
			{"CommitDrivers", "walk"},
			{"LazyLogView", false},
			{"Bugs", []string{"a", "b"}},
		},
		Invariants: []string{"TypeOK", "NoStall", "Agreement"},
		Properties: []string{"Progress"},
	}, config)
	assert.Equal(t, []string{"TypeOK", "NoStall", "Agreement", "Progress"}, config.Checked())
}

func TestParseConfigRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"an unknown section": {
			"SPECIFICATION Spec\nBOUNDS N\n",
			`x.cfg:2: found "BOUNDS", expected a keyword such as INVARIANTS`,
		},
		"a constraint, by name": {
			"SPECIFICATION Spec\nCONSTRAINT Small\n",
			`x.cfg:2: CONSTRAINT is not supported, expected SPECIFICATION, CONSTANTS, ` +
				`INVARIANTS, PROPERTIES or CHECK_DEADLOCK`,
		},
		"a file without specification": {
			"INVARIANT TypeOK\n\n", `x.cfg:3: no SPECIFICATION, expected one`,
		},
		"a second specification": {
			"SPECIFICATION A\nSPECIFICATION B", `x.cfg:2: second SPECIFICATION, expected one`,
		},
		"a specification of two names": {
			"SPECIFICATION A B", `x.cfg:1: found "B", expected a keyword such as INVARIANTS`,
		},
		"a specification without name": {
			"SPECIFICATION\n{", `x.cfg:2: found "{" after SPECIFICATION, expected a name`,
		},
		"a section without names": {
			"SPECIFICATION Spec\nINVARIANTS\n",
			`x.cfg:3: found the end of the file after INVARIANTS, expected a name`,
		},
		"an invariant that is listed twice": {
			"SPECIFICATION Spec\nINVARIANTS A B\nPROPERTY A\n",
			`x.cfg:3: A is listed twice, expected it once`,
		},
		"a constant that is given twice": {
			"CONSTANTS N = 3\nN = 4\n", `x.cfg:2: constant N is given twice, expected it once`,
		},
		"a constant without value": {
			"CONSTANTS N =\n", `x.cfg:2: constant N is the end of the file, expected a number, ` +
				`TRUE, FALSE, a string or a set of strings`,
		},
		"a model value": {
			"CONSTANTS N = n1", `x.cfg:1: constant N is "n1", expected a number, TRUE, FALSE, ` +
				`a string or a set of strings`,
		},
		"an overridden definition": {
			"CONSTANTS N <- Three", `x.cfg:1: found <-, expected = and a value`,
		},
		"no equals sign": {
			"CONSTANTS N 3", `x.cfg:1: found "3" after constant N, expected =`,
		},
		"no constant at all": {
			"CONSTANTS\nINVARIANT A", `x.cfg:2: found "INVARIANT" after CONSTANTS, ` +
				`expected a constant's name`,
		},
		"a number beyond the machine's": {
			"CONSTANTS N = 99999999999999999999",
			`x.cfg:1: constant N is 99999999999999999999, expected a number of at most 18 digits`,
		},
		"a set of numbers": {
			"CONSTANTS Bugs = {1}", `x.cfg:1: found "1" in the set Bugs, expected a string`,
		},
		"a set with an element twice": {
			`CONSTANTS Bugs = {"a", "a"}`, `x.cfg:1: "a" is in the set Bugs twice, expected it once`,
		},
		"a set with a trailing comma": {
			`CONSTANTS Bugs = {"a", }`, `x.cfg:1: found "}" in the set Bugs, expected a string`,
		},
		"a set without end": {
			"CONSTANTS Bugs = {\"a\"\nN = 3",
			`x.cfg:2: found "N" in the set Bugs, expected , or }`,
		},
		"a string without end": {
			"CONSTANTS D = \"walk\nN = 3", `x.cfg:1: string without end or with an escape, ` +
				`expected " on the same line`,
		},
		"a comment without end": {
			"\nSPECIFICATION Spec (* and so on", `x.cfg:2: comment without end, expected *)`,
		},
		"a strange character": {
			"SPECIFICATION Spec\n@", `x.cfg:2: found '@', expected a name, a value or a comment`,
		},
		"a deadlock switch in quotes": {
			`CHECK_DEADLOCK "FALSE"`, `x.cfg:1: found the string "FALSE", expected TRUE or FALSE`,
		},
		"a value in the place of a keyword": {
			`{`, `x.cfg:1: found "{", expected a keyword such as INVARIANTS`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseConfig("x.cfg", tc.text)
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestParseConfigSurvivesAnyText(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"SPECIFICATION", "Spec", "CONSTANTS", "=", "{", "}", ",", `"a"`, `"`, "(*", "*)", `\*`,
		"\n", " ", "3", "TRUE", "INVARIANT", "é", "\x00", "<-", "CHECK_DEADLOCK",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), "")
		if _, err := ParseConfig("x.cfg", text); err != nil {
			assert.Regexp(t, `^x\.cfg:\d+: .*expected`, err.Error())
			assert.NotContains(t, err.Error(), "\n")
		}
	})
}

// What String writes goes to TLC when constants were changed, so it must say the
// same as the file.
func TestConfigStringParsesBack(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	for _, cfg := range manifest.Cfgs {
		again, err := ParseConfig(cfg.Name, cfg.Config.String())
		require.NoError(t, err)
		assert.Equal(t, cfg.Config, again)
	}
}

func TestConstantsNameWhatIsMissing(t *testing.T) {
	t.Parallel()
	config, err := ParseConfig("cfg/x.cfg", exampleConfig)
	require.NoError(t, err)
	n, err := config.Constants.Int("N")
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	lazy, err := config.Constants.Bool("LazyLogView")
	require.NoError(t, err)
	assert.False(t, lazy)
	drivers, err := config.Constants.Text("CommitDrivers")
	require.NoError(t, err)
	assert.Equal(t, "walk", drivers)
	bugs, err := config.Constants.Set("Bugs")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, bugs)

	_, err = config.Constants.Int("MaxView")
	require.EqualError(t, err, "constant MaxView is missing, expected a number")
	_, err = config.Constants.Int("LazyLogView")
	require.EqualError(t, err, "constant LazyLogView is FALSE, expected a number")
	_, err = config.Constants.Set("CommitDrivers")
	require.EqualError(t, err, `constant CommitDrivers is "walk", expected a set of strings`)
	_, err = config.Constants.Bool("Bugs")
	require.EqualError(t, err, `constant Bugs is {"a", "b"}, expected TRUE or FALSE`)

	changed, err := config.Constants.With("Bugs", []string{})
	require.NoError(t, err)
	text, err := json.Marshal(changed)
	require.NoError(t, err)
	assert.Equal(t, `{"N":3,"CommitDrivers":"walk","LazyLogView":false,"Bugs":[]}`, string(text))
	again, err := config.Constants.Set("Bugs")
	require.NoError(t, err)
	assert.Len(t, again, 2, "the receiver of With stays as it was")
	_, err = config.Constants.With("Bug", nil)
	require.ErrorContains(t, err, "constant Bug is missing")
}
