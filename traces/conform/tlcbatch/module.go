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
`, b.replicas, b.requests, b.view, b.restarts, b.drivers)
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
		"E(a, r, st, op, ch, v, k, t, q, hd, sp, af) ==\n",
		"  [action |-> a, replica |-> r, stutter |-> st, op |-> op, checksum |-> ch, view |-> v,\n",
		"   commit |-> k, to |-> t, quorum |-> q, head |-> hd, stop |-> sp, after |-> af]\n")
	for i, p := range b.pieces {
		fmt.Fprintf(&w, "T%d == <<\n", i+1)
		numbers := map[string]int{}
		for j, e := range p.events {
			if j > 0 {
				w.WriteString(",\n")
			}
			b.event(&w, e, numbers)
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

// event writes one event. numbers are those of the checksums so far: 0 says nothing.
func (b *batch) event(w *bytes.Buffer, e traces.Event, numbers map[string]int) {
	number := func(checksum string) int {
		if checksum == "" {
			return 0
		}
		if _, known := numbers[checksum]; !known {
			numbers[checksum] = len(numbers) + 1
		}
		return numbers[checksum]
	}
	to := b.replicas // nobody
	if e.Args.To != nil {
		to = *e.Args.To
	}
	var quorum []uint64
	for _, r := range e.Args.Quorum {
		quorum = append(quorum, uint64(r))
	}
	a := e.After
	stop := a.Stop
	if stop == traces.StopChecksumMismatch {
		stop = traces.StopMissingBody // one reason in the module
	}
	fmt.Fprintf(w, "E(%q, %d, %s, %d, %d, %d, %d, %d, %s, %d, %q,\n",
		e.Action, e.Replica, strings.ToUpper(strconv.FormatBool(e.Stutter)), e.Args.Op,
		number(e.Args.Checksum), e.Args.View, e.Args.Commit, to, list("{", quorum, "}"),
		number(a.HeadChecksum), stop)
	fmt.Fprintf(w, "  A(%q, %d, %d, %d, %d, %d, %d, %s, %d, %d, %s))",
		a.Status, a.View, a.LogView, a.ViewDurable, a.LogViewDurable, a.OpHead, a.Contiguous,
		list("{", a.Hollow, "}"), a.CommitMin, a.CommitMax, list("<<", a.Pipeline, ">>"))
}

func list(open string, values []uint64, end string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatUint(v, 10)
	}
	return open + strings.Join(texts, ", ") + end
}
