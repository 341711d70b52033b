package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestManifestHoldsTheSeeds(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	for _, seed := range []string{"iggy#4294", "iggy#4075", "iggy#4632", "iggy#3767"} {
		cfgs := manifest.Select(func(c Cfg) bool { return c.Seed == seed })
		assert.NotEmpty(t, cfgs, "no cfg reproduces %s", seed)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	cfg, err := Lookup("bug-no_nonce")
	require.NoError(t, err)
	assert.Equal(t, "no_nonce", cfg.Mutant)
	assert.Equal(t, []string{"no_nonce"}, cfg.Bugs())
	assert.False(t, cfg.IsClean())
	assert.True(t, cfg.Accepts("PrepareOKBacked"))
	assert.False(t, cfg.Accepts("NoStall"))
	assert.False(t, cfg.Accepts(Clean))

	_, err = Lookup("bug-nonce")
	require.EqualError(t, err, `cfg "bug-nonce": not in the manifest, did you mean bug-no_nonce?`)
	_, err = Lookup("ci-11")
	require.ErrorContains(t, err, "did you mean ci-110, ci-111")
	_, err = Lookup("entirely different")
	require.ErrorContains(t, err, "expected one of ci-110, ")
	_, err = Lookup("")
	require.ErrorContains(t, err, "expected one of ci-110, ")
}

func TestEditDistance(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 0, editDistance("ci-110", "ci-110"))
	assert.Equal(t, 1, editDistance("ci-110", "ci-111"))
	assert.Equal(t, 3, editDistance("kitten", "sitting"))
	assert.Equal(t, 4, editDistance("", "walk"))
}

// exampleFiles is a small folder in order; each case below spoils it.
func exampleFiles() map[string][]byte {
	return map[string][]byte{
		"M.tla": []byte("---- MODULE M ----\nBugNames == { \"torn\" } \\* R14\nSafe == TRUE\n===="),
		"cfg/clean.cfg": []byte("SPECIFICATION Spec\nCONSTANTS Bugs = {}\nINVARIANT Safe\n" +
			"CHECK_DEADLOCK FALSE\n"),
		"cfg/bug-torn.cfg": []byte("SPECIFICATION Spec\nCONSTANTS Bugs = {\"torn\"}\n" +
			"INVARIANT Safe\nCHECK_DEADLOCK FALSE\n"),
		"manifest.json": []byte(`{
  "cfgs": [
    {"name": "clean", "module": "M", "tier": "ci", "expect": ["clean"], "distinct": 5, "depth": 2},
    {"name": "bug-torn", "module": "M", "tier": "nightly", "expect": ["Safe"],
     "counterexample": 3, "mutant": "torn"}
  ]
}
`),
	}
}

func TestParseManifestTakesTheExample(t *testing.T) {
	t.Parallel()
	manifest, err := parseManifest(exampleFiles())
	require.NoError(t, err)
	require.Len(t, manifest.Cfgs, 2)
	assert.True(t, manifest.Cfgs[0].IsClean())
	assert.Equal(t, TierNightly, manifest.Cfgs[1].Tier)
}

func TestParseManifestRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file     string // Of the example, manifest.json if empty.
		old, new string
		want     string
	}{
		"an unknown field": {
			"", `"counterexample": 3`, `"counterexample": 3, "colour": 1`,
			`manifest.json:5: unknown field "colour"`,
		},
		"a field of another type": {
			"", `"distinct": 5`, `"distinct": "5"`,
			`manifest.json:3: field "distinct" is a string, expected a int`,
		},
		"a field that is given twice": {
			"", `"counterexample": 3`, `"counterexample": 3, "counterexample": 4`,
			`manifest.json:5: field "counterexample" is given twice, expected it once`,
		},
		"broken syntax": {
			"", `"tier": "nightly"`, `"tier" "nightly"`,
			`manifest.json:4: invalid character '"' after object key`,
		},
		"more text behind the manifest": {
			"", "]\n}\n", "]\n}\n{}\n",
			`manifest.json:8: found more text, expected the end of the file`,
		},
		"a cfg that is listed twice": {
			"", `"name": "bug-torn", "module": "M", "tier": "nightly", "expect": ["Safe"],
     "counterexample": 3, "mutant": "torn"`,
			`"name": "clean", "module": "M", "tier": "ci", "expect": ["clean"], "distinct": 5, "depth": 2`,
			`manifest.json:4: cfg clean is listed twice, expected it once`,
		},
		"a cfg without file": {
			"", `"clean", "module"`, `"cleam", "module"`,
			`manifest.json:3: cfg "cleam": no file cfg/cleam.cfg, expected one`,
		},
		"an unknown module": {
			"", `"module": "M", "tier": "ci"`, `"module": "L", "tier": "ci"`,
			`manifest.json:3: cfg clean: module "L": no such module, expected `,
		},
		"an unknown tier": {
			"", `"tier": "ci"`, `"tier": "weekly"`,
			`manifest.json:3: cfg clean: tier "weekly" and tier_tlc "weekly", expected "ci" or "nightly"`,
		},
		"a clean cfg without figures": {
			"", `"distinct": 5, `, ``,
			`manifest.json:3: cfg clean: distinct 0 and depth 2, expected both above 0`,
		},
		"a clean cfg with a counterexample": {
			"", `"distinct": 5`, `"distinct": 5, "counterexample": 2`,
			`manifest.json:3: cfg clean: a clean cfg has no counterexample and no seed, expected neither`,
		},
		"a mutant that the file does not switch on": {
			"", `"mutant": "torn"`, `"mutant": "worn"`,
			`manifest.json:4: cfg bug-torn: mutant "worn", but its file switches on {"torn"}, ` +
				`expected just that mutant`,
		},
		"a mutant that is expected to be clean": {
			"", `["Safe"]`, `["clean"]`,
			`manifest.json:4: cfg bug-torn: expect is "clean", but a bug is switched on or a mutant named`,
		},
		"a mutant that nothing is expected of": {
			"", `["Safe"]`, `[]`,
			`manifest.json:4: cfg bug-torn: expect is empty, expected ["clean"] or the properties`,
		},
		"a property that the file does not check": {
			"", `["Safe"]`, `["Safe", "Sound"]`,
			`manifest.json:4: cfg bug-torn: expects a violation of "Sound", which its file does not check`,
		},
		"a mutant without length": {
			"", `"counterexample": 3,`, ``,
			`manifest.json:4: cfg bug-torn: counterexample 0, expected its length in states`,
		},
		"a mutant with counts": {
			"", `"counterexample": 3`, `"counterexample": 3, "distinct": 9`,
			`manifest.json:4: cfg bug-torn: a mutant's cfg has no distinct, depth or golden, expected none`,
		},
		"a cfg file that is in no entry": {
			"cfg/other.cfg", "", "SPECIFICATION Spec",
			`manifest.json: cfg other is missing, but cfg/other.cfg exists`,
		},
		"a broken cfg file, by its own line": {
			"cfg/clean.cfg", "INVARIANT Safe", "INVARIANT Safe Safe",
			`cfg/clean.cfg:3: Safe is listed twice, expected it once`,
		},
		"a cfg that checks nothing": {
			"cfg/clean.cfg", "INVARIANT Safe", "",
			`manifest.json:3: cfg clean: its file lists no invariant and no property, expected one`,
		},
		"a cfg that checks for deadlocks": {
			"cfg/clean.cfg", "CHECK_DEADLOCK FALSE", "",
			`manifest.json:3: cfg clean: its file checks for deadlocks, expected CHECK_DEADLOCK FALSE`,
		},
		"a bug that the module does not know": {
			"cfg/bug-torn.cfg", `"torn"`, `"worn"`,
			`manifest.json:4: cfg bug-torn: bug "worn", expected a member of BugNames of M`,
		},
		"a cfg without the constant Bugs": {
			"cfg/clean.cfg", "Bugs = {}", "N = 3",
			`manifest.json:3: cfg clean: constant Bugs is missing, expected a set of strings`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := exampleFiles()
			file := tc.file
			if file == "" {
				file = manifestFile
			}
			require.Contains(t, string(files[file]), tc.old)
			files[file] = []byte(strings.Replace(string(files[file]), tc.old, tc.new, 1))
			_, err := parseManifest(files)
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), tc.want), "%s\nwant: %s", err, tc.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestParseManifestNeedsTheFile(t *testing.T) {
	t.Parallel()
	_, err := parseManifest(map[string][]byte{})
	require.EqualError(t, err, "manifest.json: no such file, expected the manifest")
}

// What must not be lost: each bound of the protocol under both commit drivers, and what there is
// of each module.
func TestManifestKeepsItsBounds(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	for _, bound := range []string{"ci-110", "ci-111", "ci-120", "ci-210"} {
		for _, drivers := range []string{"", "-pipeline"} {
			cfg, err := manifest.Lookup(bound + drivers)
			require.NoError(t, err)
			require.Equal(t, TierCI, cfg.Tier)
			require.Equal(t, TierCI, cfg.TierTLC)
		}
	}
	for module, want := range map[string]int{
		"VSR": 14, "PartitionLog": 10, "Journal": 31, "JournalGroups": 12, "Sessions": 32,
		"Merge":    36,
		"Transfer": 26, "Reads": 16, "Retention": 16, "ConsumerGroups": 16,
		"LogSpace": 12,
	} {
		mutants, err := Mutants(module)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(mutants), want, module)
	}
}
