// Package tlaval reads TLA+ values as TLC prints them and gives each one a
// canonical text, so that states of different origins can be compared as bytes.
//
// It owns the grammar of printed values and the canonical form. It never
// evaluates TLA+, never runs TLC, and never turns a Go value into text: a model
// writes the canonical text of its own states.
//
// # Kinds
//
// TLA+ does not tell a sequence from a function on 1..n, nor a record from a
// function on strings, so the three are one kind here, KindFunction.
//
// # Canonical text
//
//	TLC prints                  kind       canonical text
//	4, -3                       int        4, -3
//	TRUE, FALSE                 bool       T, F
//	"vc"                        string     "vc"  (as strconv.AppendQuote)
//	m1                          model      'm1
//	{2, 1}, 1..2                set        {1,2}
//	{}                          set        {}
//	<<"a", "b">>                function   [1:"a",2:"b"]
//	(0 :> "vc" @@ 1 :> "rec")   function   [0:"vc",1:"rec"]
//	[v |-> 0, o |-> 1]          function   ["o":1,"v":0]
//	<<>>, << >>                 function   []
//
// The elements of a set are sorted by their canonical text, as bytes, and equal
// ones are written once. The pairs of a function are sorted by the canonical
// text of the key alone, not by that of the whole pair: 1 comes before 10, and
// 10 before 2. There is no white space. A state is a function from the names of
// its variables, so /\ n = 1 /\ x = {} is ["n":1,"x":{}].
//
// # Invariants
//
//   - Two values are equal in TLA+ if and only if their canonical texts are equal,
//     provided that every function's printed domain has no key twice, which holds
//     for all that TLC prints.
//   - No input makes the parser panic: nesting and the expansion of intervals are
//     bounded, and an error names the offset.
//   - A Value never aliases the text that it was read from.
package tlaval
