package refine

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// Untaken is a branch of the core that a search did not take.
type Untaken struct {
	// Branch is the event that would have told of it.
	Branch string
	// Why is the reason, empty if nobody knows one: then the search is not what it seems.
	Why string
}

// String is the branch with the reason in brackets.
func (u Untaken) String() string {
	if u.Why == "" {
		return u.Branch + " (nobody knows why)"
	}
	return fmt.Sprintf("%s (%s)", u.Branch, u.Why)
}

// excuse says why some branches are not taken, within some bounds.
type excuse struct {
	holds    func(Bounds) bool // nil: always
	branches []string
	why      string
}

func refusals(reasons ...vsr.Refusal) []string {
	var names []string
	for _, reason := range reasons {
		names = append(names, string(vsr.EventRefuse)+" "+reason.String())
	}
	return names
}

func admissions(classes ...vsr.Admission) []string {
	var names []string
	for _, class := range classes {
		names = append(names, string(vsr.EventAdmit)+" "+class.String())
	}
	return names
}

func stopReasons(reasons ...vsr.StopReason) []string {
	var names []string
	for _, reason := range reasons {
		names = append(names, "Stop "+reason.String())
	}
	return names
}

// excuses lists what is known of branches that are not taken; the first that fits is the reason.
// What it names is checked elsewhere: by tables in impl/vsr, by its fuzzing, by the simulator.
func excuses() []excuse {
	solo := func(b Bounds) bool { return b.Replicas == 1 }
	reduced := func(b Bounds) bool { return !b.Full }
	noDiskLost := func(b Bounds) bool { return b.Wipes == 0 }
	return []excuse{
		{nil, refusals(
			vsr.RefuseCluster, vsr.RefuseGroup, vsr.RefuseSender, vsr.RefuseCommand,
		), "nobody but the replicas sends anything"},
		{nil, refusals(
			vsr.RefuseQueueFull, vsr.RefuseTooLarge, vsr.RefuseOperation, vsr.RefuseUnderWay,
		), "requests are new, small and for the log, and fewer than the pipeline has room for"},
		{nil, refusals(
			vsr.RefuseTooManyReads, vsr.RefuseViewChanged,
		), "nobody reads, and no request waits"},
		{noDiskLost, refusals(vsr.RefuseOtherRound), "nobody reads, and no disk is lost"},
		{
			nil, refusals(vsr.RefuseBrokenLog, vsr.RefuseDivergence, vsr.RefuseTooLong),
			"all replicas keep the rules",
		},
		{nil, admissions(vsr.RefuseConflict), "all replicas keep the rules"},
		{noDiskLost, refusals(vsr.RefuseWiped), "no disk is lost"},
		{
			func(b Bounds) bool { return b.Checkpoints == 0 }, slices.Concat(
				stopReasons(vsr.StopTransferring),
				admissions(vsr.RefuseTransferring, vsr.RefuseReleased),
			), "no checkpoint is taken",
		},
		{
			func(b Bounds) bool { return b.Views == 0 && b.Crashes == 0 && b.Wipes == 0 },
			slices.Concat(stopReasons(vsr.StopNotNormal), admissions(vsr.RefuseNotNormal)),
			"nobody leaves status normal",
		},
		{nil, stopReasons(vsr.StopChecksumMismatch), "nobody has a superseded body at a hollow op"},
		{solo, others(), "it takes another replica"},
		{reduced, refusals(vsr.RefuseInTransition), "writes end within the step that began them"},
		{reduced, admissions(vsr.RefuseStoring), "writes end within the step that began them"},
		{
			reduced, slices.Concat(
				refusals(vsr.RefuseStale, vsr.RefuseUnknownOp), admissions(vsr.RefuseOldView),
			), "what its receiver will never act on is dropped",
		},
		{
			func(b Bounds) bool { return b.Crashes == 0 && b.Wipes == 0 && b.Checkpoints == 0 },
			refusals(vsr.RefuseUnsolicited),
			"nobody restarts or fetches, so that nobody asks for what may come too late",
		},
		{
			func(b Bounds) bool { return b.Requests == 0 }, slices.Concat(
				classes(), refusals(
					vsr.RefusePrepare, vsr.RefuseUnknownOp, vsr.RefuseStatus,
				), stopReasons(
					vsr.StopMissingHeader, vsr.StopMissingBody, vsr.StopAwaitingExecution),
			), "there is no request",
		},
		{
			func(b Bounds) bool { return b.Views == 0 }, slices.Concat(
				refusals(
					vsr.RefuseNewer, vsr.RefuseRepeated, vsr.RefuseStatus, vsr.RefuseUnsolicited,
					vsr.RefuseWiped, vsr.RefuseOtherRound,
				), admissions(vsr.RefuseNewerView, vsr.RefuseIsPrimary, vsr.RefuseOldView),
			), "nobody leaves the first view",
		},
		{
			func(b Bounds) bool { return b.Requests == 1 }, admissions(vsr.RefuseGap),
			"there is one op only",
		},
	}
}

// classes are all classes of prepares.
func classes() []string {
	var names []string
	for class := vsr.AdmitNext; class <= vsr.RefuseReleased; class++ {
		names = append(names, admissions(class)...)
	}
	return names
}

// others are the branches that a message of another replica takes.
func others() []string {
	return slices.Concat(classes(), refusals(
		vsr.RefuseStale, vsr.RefuseNewer, vsr.RefuseStatus, vsr.RefuseUnknownOp,
		vsr.RefusePrepare, vsr.RefuseUnsolicited, vsr.RefuseRepeated, vsr.RefuseInTransition,
	), stopReasons(vsr.StopMissingHeader, vsr.StopMissingBody))
}

// untaken lists the branches that were not covered, each with its reason.
func untaken(b Bounds, covered map[string]bool) []Untaken {
	known := excuses()
	var out []Untaken
	for _, branch := range branches() {
		if covered[branch] {
			continue
		}
		u := Untaken{Branch: branch}
		for _, e := range known {
			if slices.Contains(e.branches, branch) && (e.holds == nil || e.holds(b)) {
				u.Why = e.why
				break
			}
		}
		out = append(out, u)
	}
	return out
}
