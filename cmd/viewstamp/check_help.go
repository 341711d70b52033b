package main

// checkHelp is the text of "viewstamp check --help" above the flags.
var checkHelp = long(`Explore the states of spec/'s modules, with the Go model or with TLC,
and compare what is found with spec/manifest.json: distinct states and depth of a clean cfg,
property and length of a mutant's counterexample.

A counterexample is printed step by step, with --bug as a story, one of each module
that has a mutant of that name; --trace, --tla, --itf and --mermaid also write it to a file.

A long search can be bounded by --memory and --time. --save keeps one that ends undecided,
and --resume goes on with it, under the same cfg and modules: the figures at its end are
those of a search that was never interrupted.`,
	"viewstamp check --cfg ci-111                      one cfg, with the Go model",
	"viewstamp check --cfg ci-110 --engine both        and with TLC",
	"viewstamp check --cfg bug-no_nonce --trace x.jsonl",
	"viewstamp check --bug no_nonce                    what a defect leads to, as a story",
	"viewstamp check --bug no_nonce --mermaid x.mmd    and as a sequence diagram",
	"viewstamp check --bug no_nonce --itf x.itf.json   and for the TLA+ tools",
	"viewstamp check --cfg ci-111 --bug no_nonce       a defect where none belongs: fails",
	"viewstamp check --cfg journal-views --memory 2GiB --time 8h --save x.search",
	"viewstamp check --cfg journal-views --resume x.search --save x.search",
	"viewstamp check --mutants                         each must be caught",
	"viewstamp check --all --tier nightly --engine both",
	"viewstamp check --core --cfg core-111             real cores, all interleavings",
	"viewstamp check --core --all --tier nightly",
	"viewstamp check --code-mutants                    the code, broken on purpose",
	"viewstamp check --code-mutants --name wal_sync_skipped",
	"viewstamp check --code-mutants --by-swarm         do seeds of the simulator find them?",
	"viewstamp check --code-mutants --by-swarm --rate --name vsr_stall_is_pipeline",
	"viewstamp check --graphs --cfg ci-110             Go and TLC: the same state graph?",
	"viewstamp check --golden                          the graphs of the golden files?")
