package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

func repository(t *testing.T) *Tree {
	t.Helper()
	root, err := FindRoot(".")
	require.NoError(t, err)
	tree, err := Load(root)
	require.NoError(t, err)
	return tree
}

// This repository keeps its own rules.
func TestRepository(t *testing.T) {
	t.Parallel()
	tree := repository(t)
	assert.Equal(t, "github.com/viewstamp/viewstamp", tree.Module)
	for _, line := range found(tree) {
		t.Error(line)
	}
}

// The rules read Go and TLA+ by its text; here what they read is held against what the
// program has.
func TestReadersAgreeWithTheProgram(t *testing.T) {
	t.Parallel()
	tree := repository(t)
	var listed []string
	for name := range tree.schemaActions() {
		listed = append(listed, name)
	}
	assert.ElementsMatch(t, traces.Actions(), listed)
	assert.ElementsMatch(t, traces.Actions(), tree.nextActions("VSR"))
	assert.Equal(t, []string{
		"AppendPrepare", "Replicate", "WriteLog", "PublishFrontier", "Kill", "PowerLoss",
		"Restart", "ElectPrimary",
	}, tree.nextActions("PartitionLog"))
	assert.Subset(t, tree.allMutants(), []string{"stall_is_pipeline", "longest_log", "adopt_torn"})
}

// Types come from the source of other packages of the module too.
func TestTypesOfThisModuleResolve(t *testing.T) {
	t.Parallel()
	tree := repository(t)
	world := newTypeWorld(tree)
	core := tree.golang.packages["impl/vsr"]
	require.NotNil(t, core)
	world.check(core)
	wire := world.packages[tree.Module+"/impl/wire"]
	require.NotNil(t, wire)
	assert.NotNil(t, wire.Scope().Lookup("PrepareHeader"))
}

func TestFindRootLooksUpwards(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	below := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o600))
	got, err := FindRoot(below)
	require.NoError(t, err)
	assert.Equal(t, root, got)
	_, err = FindRoot(string(filepath.Separator))
	assert.ErrorContains(t, err, "no go.mod here or above")
}

func TestLoadRefusesAFolderWithoutModule(t *testing.T) {
	t.Parallel()
	_, err := Load(t.TempDir())
	assert.ErrorContains(t, err, "no module line in go.mod")
}

func TestLoadSkipsWhatGitIgnores(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n", ".gitignore": "/out/\n", "out/x.md": "[x](gone)\n", "a.md": "# A\n",
	} {
		full := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	require.NoError(t, exec.Command("git", "-C", root, "init", "-q").Run())
	tree, err := Load(root)
	require.NoError(t, err)
	assert.Nil(t, tree.file("out/x.md"))
	assert.NotNil(t, tree.file("a.md"))
}

func TestNotesAreNoFailures(t *testing.T) {
	t.Parallel()
	files := with(t, "model/vsr/long.go", modelHeader+strings.Repeat("// Line.\n", 600))
	findings := Run(plant(t, files), Rules())
	require.Len(t, findings, 1)
	assert.Equal(t, "model/vsr/long.go:1: file-lines: note: has 602 lines, aim for at most 500",
		findings[0].String())
	assert.Zero(t, Failures(findings))
	assert.Equal(t, 1, Failures([]Finding{{Rule: "links"}, findings[0]}))
}

// What looks like a breach of a rule and is none.
func TestRulesLeaveTheRestAlone(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"words within words": with(t, "model/vsr/words.go", modelHeader+
			"func terminate(backed, utility, acknowledged, Acked int) {}\n"),
		"a mutant's name": with(t, "model/vsr/words.go", modelHeader+"const DefectAckEarly = 1\n"),
		"a stand-in for testing.T": with(t, "model/vsr/fake_test.go", modelHeader+
			"type fake struct{}\n\nfunc (fake) Helper() {}\n"),
		"sorted keys": with(t, "model/vsr/keys.go", modelHeader+
			"import (\n\t\"maps\"\n\t\"slices\"\n)\n\n"+
			"func keys(m map[int]int) []int {\n\tfor range slices.Sorted(maps.Keys(m)) {\n\t}\n"+
			"\treturn slices.Sorted(maps.Values(m))\n}\n"),
		"a range over a map with a reason": with(t, "model/vsr/keys.go", modelHeader+
			"func keys(m map[int]int) {\n\tfor range m { //nolint:maporder // A count.\n\t}\n}\n"),
		"a range over a map in a test": with(t, "model/vsr/keys_test.go", modelHeader+
			"func keys(m map[int]int) {\n\tfor range m {\n\t}\n}\n"),
		"a range over a map outside of the protocol": with(t, "traces/keys.go",
			"package traces\n\nfunc keys(m map[int]int) {\n\tfor range m {\n\t}\n}\n"),
		"a link in code": with(t, "README.md", "`[x](gone)`\n\n```\n[x](gone)\n[y]: gone\n```\n"),
		"a link to another site, a folder, a heading": with(t, "README.md",
			"# Why it is so\n\n[a](https://example.test/x) [b](spec/) [c](#why-it-is-so)\n"),
		"a relative path that looks like one of a machine": with(t, "README.md",
			"See net/"+"work/ and `./"+"root/x`.\n"),
		"a test of a package from outside": with(t, "traces/action_test.go",
			"package traces_test\n\nimport _ \"example.test/vsr/traces\"\n"),
		"broken Go in testdata": with(t, "cmd/tool/testdata/broken.go", "package\n"),
		"a cell with a file of the core": edit(t, "ARCHITECTURE.md", "- (mutants only)",
			"`replica.go`"),
		"a row of another module": edit(t, "ARCHITECTURE.md", "| stall |",
			"| write | - | R14 | `AppendPrepare` | `storage.appendPrepare` | - (below the core) "+
				"| - (no traces) | - (none) |\n| stall |"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, found(plant(t, files)))
		})
	}
}

func TestSplitWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"DVCDropsHollow":    "dvc drops hollow",
		"prepareOK":         "prepare ok",
		"ack_over_hole":     "ack over hole",
		"r2Leader":          "r leader",
		"terminate":         "terminate",
		"HTTPServerManager": "http server manager",
		"_":                 "",
	} {
		assert.Equal(t, want, strings.Join(splitWords(name), " "), name)
	}
}
