package house

import (
	"testing"
)

func specCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	return map[string]ruleCase{
		"the model lacks an action": {
			edit(t, "model/vsr/action.go", "\tActionStallTruncate\n", ""),
			"spec/VSR.tla:1: actions: Next takes StallTruncate, which model/vsr does not name",
		},
		"the model has an action too many": {
			edit(t, "model/vsr/action.go", "\tactionEnd\n", "\tActionExtra\n"),
			"model/vsr/action.go:9: actions: Extra is no action of Next in spec/VSR.tla",
		},
		"the partition model lacks an action": {
			edit(t, "model/storage/log.go", "const AppendPrepare", "const Another"),
			"model/storage/log.go:5: actions: Another is no action of Next in spec/Partition",
		},
		"the trace format lacks an action in its list": {
			edit(t, "traces/action.go", "Request, ActionStallTruncate}", "Request}"),
			"spec/VSR.tla:1: actions: Next takes StallTruncate, which traces: Actions() does not",
		},
		"the trace format has a constant with another name": {
			edit(t, "traces/action.go", `= "StallTruncate"`, `= "Stalled"`),
			`spec/VSR.tla:1: actions: Next takes StallTruncate, which traces: Actions() does not`,
		},
		"the core emits an action that is none": {
			edit(t, "impl/vsr/replica.go", "type R", "const ActionX Action = \"X\"\n\ntype R"),
			"impl/vsr/replica.go:9: actions: X is no action of Next",
		},
		"an action names a function that does not exist": {
			edit(t, "spec/Normal.tla", "Replica.onRequest", "Replica.onAsk"),
			"spec/Normal.tla:4: spec-pointers: ClientRequest names impl/vsr Replica.onAsk, which",
		},
		"an action names a package that does not exist": {
			edit(t, "spec/Normal.tla", "impl/vsr has none", "impl/core has none"),
			"spec/Normal.tla:9: spec-pointers: StallTruncate names the package impl/core",
		},
		"an action names no Go code": {
			edit(t, "spec/PartitionLog.tla", "Go: model/storage appendPrepare.", "It appends."),
			"spec/PartitionLog.tla:4: spec-pointers: AppendPrepare names no Go code",
		},
		"an invariant without a mutant": {
			edit(t, "spec/VSR.tla", "Mutant narrow breaks it.", "Mutant broad breaks it."),
			"spec/VSR.tla:13: invariants: the comment of Agreement names no mutant",
		},
		"an excuse without a reason in the spec": {
			edit(t, "spec/VSR.tla", "No mutant breaks it: it guards", "No mutant. It guards"),
			"spec/VSR.tla:16: invariants: the comment of TypeOK names no mutant",
		},
		"a mutant and an excuse": {
			edit(t, "spec/manifest.json", `"VSR.Order"`, `"VSR.Agreement": "well", "VSR.Order"`),
			"spec/VSR.tla:13: invariants: Agreement names a mutant and says why there is none",
		},
		"an invariant that is not defined": {
			edit(t, "spec/cfg/ci.cfg", "  Order", "  Order Lost"),
			"spec/VSR.tla:1: invariants: a cfg lists Lost, which is not defined",
		},
		"no manifest": {
			without(t, "spec/manifest.json"),
			"spec/PartitionLog.tla:1: invariants: no cfg in the manifest lists an invariant",
		},
		"a mutant without a cfg": {
			without(t, "spec/cfg/bug-ack_early.cfg"),
			"spec/VSR.tla:5: mutants: mutant ack_early has no cfg, expected spec/cfg/bug-ack",
		},
		"a cfg of no mutant": {
			with(t, "spec/cfg/bug-broad-synced.cfg", "Bugs = {\"broad\"}\n"),
			"spec/cfg/bug-broad-synced.cfg:1: mutants: broad is no member of BugNames",
		},
		"a cfg that does not switch its mutant on": {
			edit(t, "spec/cfg/bug-narrow.cfg", `{"narrow"}`, `{}`),
			"spec/cfg/bug-narrow.cfg:1: mutants: does not switch on narrow",
		},
	}
}

func tableCases(t *testing.T) map[string]ruleCase {
	t.Helper()
	row := "| ask | 4.1 | R1 | `ClientRequest` | `vsr.ClientRequest` | `Replica.onRequest` " +
		"| `ClientRequest` | `normal/ask.txt` |\n"
	change := func(old, replacement string) map[string]string {
		return edit(t, "ARCHITECTURE.md", old, replacement)
	}
	return map[string]ruleCase{
		"no table": {
			change("TLA+ action", "action"),
			"ARCHITECTURE.md:1: trace-table: has no table with the columns step | VRR",
		},
		"a column is missing": {
			change("| VRR |", "| paper |"),
			`ARCHITECTURE.md:5: trace-table: the table has no column "VRR"`,
		},
		"an action without a row": {
			change(row, ""),
			"ARCHITECTURE.md:5: trace-table: ClientRequest has no row",
		},
		"an action with two rows": {
			change(row, row+row),
			"ARCHITECTURE.md:8: trace-table: ClientRequest has a second row",
		},
		"a row of no action": {
			change(row, row+"| x | 1 | R1 | Gone | - (none) | - (none) | - (none) | - (none) |\n"),
			"ARCHITECTURE.md:8: trace-table: Gone is no action of Next",
		},
		"a row of too few cells": {
			change(row, row+"| x | 1 |\n"),
			"ARCHITECTURE.md:8: trace-table: the row has 2 cells, expected 8",
		},
		"a model function that does not exist": {
			change("`vsr.ClientRequest`", "`vsr.Ask`"),
			`ARCHITECTURE.md:7: trace-table: Ask in the column "model function" does not exist`,
		},
		"a core handler that does not exist": {
			change("`Replica.onRequest`", "`Replica.onRequest`, `Replica.onAsk`"),
			`ARCHITECTURE.md:7: trace-table: Replica.onAsk in the column "core handler" does`,
		},
		"a trace action of another row": {
			change("| `ClientRequest` | `normal", "| `StallTruncate` | `normal"),
			`ARCHITECTURE.md:7: trace-table: StallTruncate in the column "trace action" does`,
		},
		"a scenario that does not exist": {
			change("`normal/ask.txt`", "`normal/asks.txt`"),
			`ARCHITECTURE.md:7: trace-table: normal/asks.txt in the column "scenario" does`,
		},
		"a dash without a reason": {
			change("- (mutants only)", "-"),
			`ARCHITECTURE.md:8: trace-table: the column "core handler" names nothing`,
		},
		"an empty cell": {
			change("| R6 |", "| |"),
			`ARCHITECTURE.md:8: trace-table: the column "rule" of StallTruncate is empty`,
		},
	}
}
