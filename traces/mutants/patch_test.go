package mutants

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// example is a patch that is as it should be.
const example = `rule: R1 R20
breaks: what is wrong,
  said in two lines
like: iggy#1
layer: unit
catch: test ./impl/x TestDouble/of_two
expect: want 4
--- a/impl/x/x.go
+++ b/impl/x/x.go
@@ -3,1 +3,1 @@ func Double(n int) int {
-	return 2 * n
+	return 3 * n
`

func TestAPatchIsReadWhole(t *testing.T) {
	t.Parallel()
	p, err := Parse("x_triples", example)
	require.NoError(t, err)
	require.Equal(t, Patch{
		Name: "x_triples", Rules: []string{"R1", "R20"},
		Breaks: "what is wrong, said in two lines", Like: "iggy#1", Layer: LayerUnit,
		Catch: Catch{
			Package: "./impl/x", Test: "TestDouble/of_two", Flags: []string{},
		},
		Expect: "want 4",
		Changes: []Change{{File: "impl/x/x.go", Hunks: []Hunk{{
			Line: 10, Heading: "func Double(n int) int {",
			Old: []string{"\treturn 2 * n"}, New: []string{"\treturn 3 * n"},
		}}}},
	}, p)
	require.Equal(t, "go test ./impl/x -run '^TestDouble$/^of_two$'", p.Catch.String())
}

func TestAPatchThatIsNoneSaysWhatWasExpected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ old, new, want string }{
		"no rule":        {"rule: R1 R20\n", "", "no rule, expected one above the diff"},
		"a rule of none": {"R20", "R22", `rule "R22", expected R1 to R21`},
		"an unknown field": {
			"like:", "alike:", `line 4: "alike: iggy#1", expected one of rule, breaks`,
		},
		"a field twice":    {"like: iggy#1", "rule: R2", "each once"},
		"an unknown layer": {"layer: unit", "layer: luck", `layer "luck", expected one of unit, rapid`},
		"an unknown catch": {"catch: test", "catch: wish", "expected test ./PACKAGE NAME"},
		"a tool that says nothing": {
			"catch: test ./impl/x TestDouble/of_two\nexpect: want 4", "catch: tool sim", "no expect",
		},
		"no diff":           {"---", "+++", `"+++ a/impl/x/x.go", expected one of rule`},
		"another file":      {"+++ b/impl/x/x.go", "+++ b/impl/y.go", "expected --- a/FILE and"},
		"a test":            {"impl/x/x.go", "impl/x/x_test.go", "expected production code below impl/"},
		"outside of impl":   {"impl/x/x.go", "traces/x.go", "expected production code below impl/"},
		"no hunk":           {"@@ -3,1 +3,1 @@", "@ -3,1 +3,1 @", "no hunk of impl/x/x.go"},
		"a line of nothing": {"-\treturn 2 * n", "*\treturn 2 * n", "begins with a blank, - or +"},
		"no change": {
			"-\treturn 2 * n\n+\treturn 3 * n", " \treturn 2 * n", "at least one line and a change",
		},
		"nothing to find": {"-\treturn 2 * n\n", "", "at least one line and a change"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, example, tc.old)
			_, err := Parse("x", strings.ReplaceAll(example, tc.old, tc.new))
			require.ErrorContains(t, err, tc.want)
			require.ErrorContains(t, err, "patch x: line ")
			require.NotContains(t, err.Error(), "\n")
		})
	}
	_, err := Parse("X.go", example)
	require.ErrorContains(t, err, `patch "X.go": expected a name`)
}

// A hunk is placed by its lines, wherever they have moved to.
func TestAHunkAppliesAtOnePlaceOrNone(t *testing.T) {
	t.Parallel()
	p, err := Parse("x_triples", example)
	require.NoError(t, err)
	const double = "func Double(n int) int {\n\treturn 2 * n\n}\n"
	for name, tc := range map[string]struct{ file, want, refused string }{
		"at its place": {
			file: "package x\n\n" + double, want: "package x\n\n" + strings.Replace(double, "2", "3", 1),
		},
		"under another name": {
			file: "func Twice(n int) int {\n\treturn 2 * n\n}\n",
			want: "func Twice(n int) int {\n\treturn 3 * n\n}\n",
		},
		"of two places, at that of its declaration": {
			file: "func Even(n int) int {\n\treturn 2 * n\n}\n" + double,
			want: "func Even(n int) int {\n\treturn 2 * n\n}\n" + strings.Replace(double, "2", "3", 1),
		},
		"of two places, none of them its declaration": {
			file:    strings.ReplaceAll(double+double, "Double", "Even"),
			refused: `line 10: impl/x/x.go: the hunk is ambiguous: "return 2 * n" is there 2 times, 0 of`,
		},
		"of two places in its declaration": {
			file:    strings.Replace(double, "\treturn 2 * n\n", "\treturn 2 * n\n\treturn 2 * n\n", 1),
			refused: "2 times, 2 of them",
		},
		"nowhere": {
			file:    "package x\n",
			refused: `line 10: impl/x/x.go: the hunk is stale: expected to find "return 2 * n"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := p.Apply(func(file string) ([]byte, error) {
				require.Equal(t, "impl/x/x.go", file)
				return []byte(tc.file), nil
			})
			if tc.refused != "" {
				require.ErrorContains(t, err, tc.refused)
				return
			}
			require.NoError(t, err)
			require.Equal(t, map[string][]byte{"impl/x/x.go": []byte(tc.want)}, files)
		})
	}
}
