package replay

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

// Report says how far real cores followed a trace.
type Report struct {
	Path   string
	Events int // followed
	// Refusal is the first event that the cores did not follow, or nil.
	Refusal *Refusal
	// Passed: the trace was followed or, being a counterexample, refused as it should be.
	Passed bool
	// Reason says why it did not pass.
	Reason string
}

// Refusal is an event that the cores did not follow.
type Refusal struct {
	Step int // 1-based
	Line int // in the trace's file
	Text string
	// Divergence tells it to people, in several lines: the step, the message in hand and the
	// states of model and cores in two columns.
	Divergence string
}

// Trace drives cores through a trace and judges it by its header: a clean trace must be
// followed, a mutant's must be refused, one that violates NoStall by legal steps must be
// followed and then catch up.
//
// The error is a trace that cannot be replayed at all: it was not made by the model, or by one
// with other rules about what is durable.
func Trace(t *traces.Trace) (Report, error) {
	report := Report{Path: t.Path}
	if t.Header.Source != traces.SourceModel {
		return report, &traces.FormatError{
			Path: t.Path, Line: 1, Got: fmt.Sprintf("source %q", t.Header.Source),
			Want: `source "model": only a model's trace can be replayed`,
		}
	}
	d, err := newDriver(t.Header.Replicas)
	if err != nil {
		return report, err
	}
	report.Refusal = d.follow(t, &report)
	switch {
	case report.Refusal == nil && t.Header.Mutant == "":
		report.Passed = true
	case report.Refusal == nil && t.Header.RefusedAt == 0:
		report.Reason = d.catchUp()
		report.Passed = report.Reason == ""
	case report.Refusal == nil:
		report.Reason = fmt.Sprintf("the cores followed mutant %s to its violation of %s",
			t.Header.Mutant, t.Header.Violates)
	case t.Header.Mutant == "" || t.Header.RefusedAt == 0:
		report.Reason = report.Refusal.Text
	case t.Header.CommitDrivers == traces.CommitDriversWalk &&
		report.Refusal.Step != t.Header.RefusedAt:
		report.Reason = fmt.Sprintf("expected step %d to be refused, but %s",
			t.Header.RefusedAt, report.Refusal.Text)
	default:
		// A trace of upstream's two commit drivers parts from the core earlier, where the
		// pipeline's driver first executes.
		report.Passed = report.Refusal.Step <= t.Header.RefusedAt
		if !report.Passed {
			report.Reason = fmt.Sprintf("expected step %d or an earlier one to be refused, but %s",
				t.Header.RefusedAt, report.Refusal.Text)
		}
	}
	return report, nil
}

// follow drives event after event and compares all replicas after each.
func (d *driver) follow(t *traces.Trace, report *Report) *Refusal {
	states := make([]traces.ReplicaState, d.cluster.Replicas())
	for r := range states {
		states[r] = d.names.project(d.cluster.State(r))
	}
	for i, e := range t.Events {
		refuse := func(text string) *Refusal {
			return &Refusal{
				Step: i + 1, Line: e.Line(),
				Text:       fmt.Sprintf("step %d, %s: %s", i+1, traces.Describe(e), text),
				Divergence: d.divergence(e, states, text),
			}
		}
		states[e.Replica] = expected(e.After)
		if err := d.drive(e); err != nil {
			return refuse(err.Error())
		}
		for r := range states {
			diffs := traces.Diff(states[r], d.names.project(d.cluster.State(r)))
			if len(diffs) > 0 {
				return refuse(replicaName(r) + ": " + join(diffs))
			}
		}
		report.Events++
	}
	return nil
}

func join(diffs []traces.FieldDiff) string {
	var texts []string
	for _, d := range diffs {
		texts = append(texts, d.String())
	}
	return strings.Join(texts, ", ")
}

// settleRounds bounds how long the cores may take to catch up, in ticks of each replica.
const settleRounds = 2_000

// catchUp leaves the cores to themselves, with all packets delivered, and says which replica of
// the primary's view has not caught up, or nothing.
func (d *driver) catchUp() string {
	reason := "no replica is a normal primary"
	for range settleRounds {
		for r := range d.cluster.Replicas() {
			d.cluster.Input(r, vsr.Tick{})
		}
		d.settle()
		if reason = d.behind(); reason == "" {
			return ""
		}
	}
	return reason
}

// settle delivers and finishes everything under way once.
func (d *driver) settle() {
	for range 1_000 {
		busy := false
		for r := range d.cluster.Replicas() {
			d.finishWrites(r)
			for d.cluster.Reads(r) > 0 {
				d.cluster.FinishRead(r, 0)
			}
			for d.cluster.Executes(r) > 0 {
				d.cluster.FinishExecute(r)
			}
			busy = busy || d.cluster.Writes(r) > 0
		}
		if packets := d.cluster.Packets(); len(packets) > 0 {
			p := packets[0]
			d.cluster.Drop(p.Number)
			d.cluster.Deliver(p)
			busy = true
		}
		if !busy {
			return
		}
	}
}

// behind names a replica that has not executed the whole log of its view's primary.
func (d *driver) behind() string {
	var newest wire.View
	for r := range d.cluster.Replicas() {
		newest = max(newest, d.cluster.State(r).View)
	}
	primary := d.cluster.State(int(newest) % d.cluster.Replicas())
	if primary.Status != vsr.StatusNormal || primary.View != newest {
		return fmt.Sprintf("view %d has no primary", newest)
	}
	for r := range d.cluster.Replicas() {
		s := d.cluster.State(r)
		if s.Status == vsr.StatusNormal && s.View == newest && s.CommitMin != primary.OpHead {
			return fmt.Sprintf("%s stalls at commit %d/%d of head %d (%s)", replicaName(r),
				s.CommitMin, s.CommitMax, primary.OpHead, s.Stop)
		}
	}
	return ""
}
