package tlcbatch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

// moduleName is the module that holds a batch; it extends TraceVSR.
const moduleName = "TraceBatch"

// config is the run's configuration. Its bounds are what the traces need: the more there
// could be, the more TLC computes beforehand.
func (b *batch) config() string {
	return fmt.Sprintf(`SPECIFICATION TraceSpec
CONSTANTS
  N = %d
  MaxRequest = %d
  MaxView = %d
  MaxCrash = %d
  CommitDrivers = %q
  LazyLogView = FALSE
  MergeAgain = FALSE
  Bugs = {}
  Traces <- Batch
CHECK_DEADLOCK FALSE
`, b.shape.replicas, b.requests, b.views, b.restarts, b.shape.drivers)
}

// module is the batch as TLA+ text: one definition for each trace, since deep expressions cost
// the parser its stack.
func (b *batch) module() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "---- MODULE %s ----\nEXTENDS TraceVSR\n", moduleName)
	fmt.Fprint(&w, "A(s, v, l, vd, ld, h, c, o, m, x, p) ==\n",
		"  [status |-> s, view |-> v, log_view |-> l, view_durable |-> vd, log_view_durable |-> ld,\n",
		"   op_head |-> h, contiguous |-> c, hollow |-> o, commit_min |-> m, commit_max |-> x,\n",
		"   pipeline |-> p]\n",
		"E(a, r, st, op, ch, v, k, t, q, hd, bt, sp, af) ==\n",
		"  [action |-> a, replica |-> r, stutter |-> st, op |-> op, checksum |-> ch, view |-> v,\n",
		"   commit |-> k, to |-> t, quorum |-> q, head |-> hd, boot |-> bt, stop |-> sp,\n",
		"   after |-> af]\n")
	for i, p := range b.pieces {
		fmt.Fprintf(&w, "T%d == <<\n", i+1)
		texts := numbering{checksums: map[string]int{}, boots: map[string]int{}}
		for j, e := range p.events {
			if j > 0 {
				w.WriteString(",\n")
			}
			b.event(&w, e, texts)
		}
		w.WriteString(" >>\n")
	}
	w.WriteString("Batch == <<")
	for i := range b.pieces {
		if i > 0 {
			w.WriteString(", ")
		}
		fmt.Fprintf(&w, "T%d", i+1)
	}
	w.WriteString(">>\n====\n")
	return w.Bytes()
}

// numbering gives the opaque texts of one piece numbers. An empty text is 0: it says nothing.
type numbering struct{ checksums, boots map[string]int }

func number(numbers map[string]int, text string) int {
	if text == "" {
		return 0
	}
	if _, known := numbers[text]; !known {
		numbers[text] = len(numbers) + 1
	}
	return numbers[text]
}

// event writes one event.
func (b *batch) event(w *bytes.Buffer, e traces.Event, texts numbering) {
	to := b.shape.replicas // nobody
	if e.Args.To != nil {
		to = *e.Args.To
	}
	a := e.After
	fmt.Fprintf(w, "E(%q, %d, %s, %d, %d, %d, %d, %d, %s, %d, %d, %q,\n",
		actionName(e.Action), e.Replica, strings.ToUpper(strconv.FormatBool(e.Stutter)),
		bounded(e.Args.Op), number(texts.checksums, e.Args.Checksum), bounded(uint64(e.Args.View)),
		bounded(e.Args.Commit), to, b.quorum(e.Args.Quorum),
		number(texts.checksums, a.HeadChecksum), number(texts.boots, a.Incarnation), stopName(a.Stop))
	fmt.Fprintf(w, "  A(%q, %d, %d, %d, %d, %d, %d, %s, %d, %d, %s))",
		a.Status, bounded(uint64(a.View)), bounded(uint64(a.LogView)),
		bounded(uint64(a.ViewDurable)), bounded(uint64(a.LogViewDurable)), bounded(a.OpHead),
		bounded(a.Contiguous), list("{", a.Hollow, "}"), bounded(a.CommitMin), bounded(a.CommitMax),
		list("<<", a.Pipeline, ">>"))
}

// numberMax stands for all numbers above it: TLC has 32 bits. No state of a batch gets near it.
const numberMax = 1 << 30

func bounded(n uint64) uint64 { return min(n, numberMax) }

// actionName is an action's name, or one that the module has not: a stutter may have any text.
func actionName(name string) string {
	if traces.ValidAction(name) {
		return name
	}
	return "Stutter"
}

// stopName is a reason to stop that the module may have, or one that it has not.
func stopName(reason string) string {
	switch reason {
	case "", traces.StopCaughtUp, traces.StopMissingHeader, traces.StopMissingBody,
		traces.StopAwaitingExecution, traces.StopNotNormal:
		return reason
	case traces.StopChecksumMismatch:
		return traces.StopMissingBody // one reason in the module
	}
	return "Other"
}

// quorum is a set of replicas; one that is not in ascending order is no quorum of the module.
func (b *batch) quorum(members []int) string {
	var numbers []uint64
	for i, r := range members {
		if i > 0 && members[i-1] >= r {
			return fmt.Sprintf("{%d}", b.shape.replicas)
		}
		numbers = append(numbers, uint64(r))
	}
	return list("{", numbers, "}")
}

func list(open string, values []uint64, end string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatUint(bounded(v), 10)
	}
	return open + strings.Join(texts, ", ") + end
}
