package house

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheGoodTreeIsClean(t *testing.T) {
	t.Parallel()
	assert.Empty(t, found(plant(t, goodTree(t))))
}

// Each case breaks one rule in the good tree, in one place.
func TestEachRuleSeesWhatBreaksIt(t *testing.T) {
	t.Parallel()
	caught := map[string]bool{}
	for name, tc := range ruleCases(t) {
		rule := strings.SplitN(tc.want, ": ", 3)[1]
		caught[rule] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := found(plant(t, tc.files))
			require.NotEmpty(t, lines, "nothing was found")
			for _, line := range lines {
				assert.Contains(t, line, ": "+rule+": ", "another rule than the one that is broken")
			}
			assert.True(t, strings.HasPrefix(lines[0], tc.want), "want %q\nhave %q", tc.want, lines)
		})
	}
	for _, rule := range Rules() {
		assert.True(t, caught[rule.Name], "no case breaks the rule %s", rule.Name)
		assert.NotEmpty(t, rule.Expects)
	}
}

type ruleCase struct {
	files map[string]string
	want  string // The beginning of the first finding.
}

func ruleCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	cases := map[string]ruleCase{}
	for _, group := range []map[string]ruleCase{
		sizeCases(t), packageCases(t), wordCases(t), mapOrderCases(t), specCases(t), tableCases(t),
		documentCases(t),
	} {
		for name, tc := range group {
			require.NotContains(t, cases, name)
			cases[name] = tc
		}
	}
	return cases
}

const modelHeader = "package vsr\n\n"

func sizeCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	wide := strings.Repeat("x", columnsMax-3)
	return map[string]ruleCase{
		"a file that does not parse": {
			with(t, "model/vsr/broken.go", modelHeader+"func {\n"),
			"model/vsr/broken.go:3: syntax: expected 'IDENT'",
		},
		"a file of 801 lines": {
			with(t, "model/vsr/long.go", modelHeader+strings.Repeat("// Line.\n", 799)),
			"model/vsr/long.go:1: file-lines: has 801 lines, expected at most 800",
		},
		"a function of 71 lines, comments not counted": {
			with(t, "model/vsr/long.go", modelHeader+"func long() {\n\t// Comment.\n"+
				strings.Repeat("\tprintln()\n", 71)+"}\n"),
			"model/vsr/long.go:3: function-lines: long has 71 lines, expected at most 70",
		},
		"a line of 101 characters": {
			with(t, "model/vsr/wide.go", modelHeader+"func wide() {\n\t//x"+wide+"\n}\n"),
			"model/vsr/wide.go:4: columns: 101 columns, expected at most 100",
		},
		"a wide line of TLA+": {
			with(t, "spec/Wide.tla", "---- MODULE Wide ----\n\\* é"+wide+"\n====\n"),
			"spec/Wide.tla:2: columns: 101 columns",
		},
		"a file of more than 100 KB": {
			with(t, "traces/testdata/golden.txt", strings.Repeat("x", fileBytesMax+1)),
			"traces/testdata/golden.txt:1: file-size: has 100001 bytes",
		},
	}
}

func packageCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	return map[string]ruleCase{
		"a package without doc.go": {
			with(t, "model/explore/check.go", "// Package explore searches.\npackage explore\n"),
			"model/explore/doc.go:1: package-doc: does not exist",
		},
		"a doc.go without a comment": {
			with(t, "model/vsr/doc.go", "package vsr\n"),
			"model/vsr/doc.go:1: package-doc: has no package comment",
		},
		"a command without a package comment": {
			with(t, "cmd/tool/main.go", "package main\n"),
			"cmd/tool/main.go:1: package-doc: the command has no package comment",
		},
		"the model imports the product": {
			with(t, "model/vsr/up.go", modelHeader+"import _ \"example.test/vsr/impl/vsr\"\n"),
			"model/vsr/up.go:3: imports: imports example.test/vsr/impl/vsr: model never imports",
		},
		"the product imports the model, in a test": {
			with(t, "impl/wal/wal_test.go", "package wal\n\n"+
				"import _ \"example.test/vsr/model/vsr\"\n"),
			"impl/wal/wal_test.go:3: imports: imports example.test/vsr/model/vsr: impl never",
		},
		"the trace format imports something of ours": {
			with(t, "traces/up.go", "package traces\n\nimport _ \"example.test/vsr/spec\"\n"),
			"traces/up.go:3: imports: imports example.test/vsr/spec: traces imports nothing of",
		},
		"the spec imports something of ours": {
			with(t, "spec/doc.go", "// Package spec is text.\npackage spec\n\n"+
				"import _ \"example.test/vsr/traces\"\n"),
			"spec/doc.go:4: imports: imports example.test/vsr/traces: spec imports nothing of",
		},
		"the history checker imports the product": {
			with(t, "linearizability/doc.go", "// Package linearizability checks.\n"+
				"package linearizability\n\nimport _ \"example.test/vsr/impl/vsr\"\n"),
			"linearizability/doc.go:4: imports: imports example.test/vsr/impl/vsr: linearizability",
		},
		"the core imports the clock": {
			with(t, "impl/vsr/clock.go", modelHeader+"import _ \"time\"\n"),
			"impl/vsr/clock.go:3: imports: imports time: impl/vsr imports only cmp, errors",
		},
		"the product uses a library for tests": {
			with(t, "impl/vsr/assert.go", modelHeader+"import _ \"pgregory.net/rapid\"\n"),
			"impl/vsr/assert.go:3: imports: imports pgregory.net/rapid",
		},
	}
}

func wordCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	return map[string]ruleCase{
		"a banned word in a function's name": {
			edit(t, "impl/vsr/replica.go", "func New()", "func leaderOf() {}\n\nfunc New()"),
			`impl/vsr/replica.go:11: words: leaderOf contains "leader", expected primary`,
		},
		"a banned word in the plural, in a field": {
			edit(t, "impl/vsr/replica.go", "votes map", "lastAcks map"),
			`impl/vsr/replica.go:9: words: lastAcks contains "ack", expected prepare_ok`,
		},
		"a banned word in a variable": {
			with(t, "traces/read.go", "package traces\n\n"+
				"func read() { for HTTPTerm := range 3 { _ = HTTPTerm } }\n"),
			`traces/read.go:3: words: HTTPTerm contains "term", expected view`,
		},
		"a banned word in a file's name": {
			with(t, "model/vsr/action_util.go", modelHeader),
			`model/vsr/action_util.go:1: words: action_util contains "util"`,
		},
	}
}

func mapOrderCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	outside := "package sim\n\nimport \"example.test/vsr/impl/vsr\"\n\n"
	document := "// Package sim simulates.\npackage sim\n"
	return map[string]ruleCase{
		"a range over a map": {
			with(t, "impl/vsr/votes.go", modelHeader+
				"func (r *Replica) all() {\n\tfor v := range r.votes {\n\t\t_ = v\n\t}\n}\n"),
			"impl/vsr/votes.go:4: map-order: ranges over a map",
		},
		"a range over a map of another package": {
			with(t, "impl/sim/doc.go", document, "impl/vsr/votes.go", modelHeader+
				"type Votes map[int]bool\n\nfunc (r *Replica) Votes() Votes { return r.votes }\n",
				"impl/sim/run.go", outside+
					"func run() {\n\tfor range vsr.New().Votes() {\n\t}\n}\n"),
			"impl/sim/run.go:6: map-order: ranges over a map",
		},
		"a range over a map of a type parameter": {
			with(t, "model/vsr/keys.go", modelHeader+
				"func keys[M ~map[int]V, V any](m M) {\n\tfor range m {\n\t}\n}\n"),
			"model/vsr/keys.go:4: map-order: ranges over a map",
		},
		"a range over a copy of a map": {
			with(t, "model/vsr/keys.go", modelHeader+"import \"maps\"\n\n"+
				"func keys(m map[int]int) {\n\tfor range maps.Clone(m) {\n\t}\n}\n"),
			"model/vsr/keys.go:6: map-order: ranges over a map",
		},
		"keys that nobody sorts": {
			with(t, "model/vsr/keys.go", modelHeader+"import \"maps\"\n\n"+
				"func keys(m map[int]int) {\n\tfor range maps.Keys(m) {\n\t}\n}\n"),
			"model/vsr/keys.go:6: map-order: iterates a map by maps.Keys",
		},
		"an excuse without a reason": {
			with(t, "model/vsr/keys.go", modelHeader+
				"func keys(m map[int]int) {\n\tfor range m { //nolint:maporder\n\t}\n}\n"),
			"model/vsr/keys.go:4: map-order: the excuse has no reason",
		},
	}
}

func documentCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	work, root := "/"+"work/", "/"+"root/" // In pieces, as this file is read too.
	return map[string]ruleCase{
		"a link to nothing": {
			with(t, "README.md", "# Tiny\n\n[gone](spec/GONE.md)\n"),
			"README.md:3: links: the link spec/GONE.md leads to spec/GONE.md, which does not exist",
		},
		"a link to a heading that is not there": {
			with(t, "README.md", "# Tiny\n\n[gone](ARCHITECTURE.md#why)\n"),
			"README.md:3: links: the link ARCHITECTURE.md#why names a heading",
		},
		"a reference to nothing": {
			with(t, "spec/README.md", "# Spec\n\n[it][it]\n\n[it]: ../model/gone/\n"),
			"spec/README.md:5: links: the link ../model/gone/ leads to model/gone",
		},
		"an absolute link": {
			with(t, "README.md", "[it](/spec)\n"),
			"README.md:1: links: the link /spec is absolute",
		},
		"a path of a machine in a document": {
			with(t, "README.md", "Run `"+work+"bin/viewstamp`.\n"),
			"README.md:1: places: names " + work,
		},
		"a path of a machine in a string": {
			with(t, "cmd/tool/dir.go", "package main\n\nconst dir = \""+root+"data\"\n"),
			"cmd/tool/dir.go:3: places: names " + root,
		},
		"the host of a package registry": {
			with(t, "README.md", "Fetch it from https"+"://repo1.example.test/it.jar\n"),
			"README.md:1: places: names https",
		},
	}
}
