package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Refusal says why an input was not acted on. Refusals are counted and traced, never silent.
type Refusal uint8

// The refusals.
const (
	RefuseCluster      Refusal = iota + 1 // another cluster's message (R20)
	RefuseGroup                           // another group's message (R20)
	RefuseSender                          // not one of the other replicas (R20)
	RefuseCommand                         // a message that no replica takes
	RefuseInTransition                    // a change of view or log is not durable yet
	RefuseNotPrimary                      // a request or PrepareOK, but this is no primary
	RefuseQueueFull                       // a request, but as many wait as may
	RefuseTooLarge                        // a request with too large a body
	RefuseOperation                       // a request whose operation is not for the log
	RefuseUnderWay                        // a request that waits or is in the pipeline
	RefuseStale                           // of an older view
	RefuseNewer                           // of a newer view: its log is asked for
	RefuseStatus                          // no message for this status
	RefuseUnknownOp                       // a PrepareOK of no prepare in the pipeline
	RefusePrepare                         // a prepare: the class says why (R8)
	RefuseUnsolicited                     // a StartView without this boot's incarnation (R4)
	RefuseRepeated                        // a vote that is held already
	RefuseBrokenLog                       // a log that does not begin at its base, or is no chain
	RefuseDivergence                      // a log without an op that was executed here
	RefuseTooLong                         // uncommitted ops beyond any pipeline
	RefuseTooManyReads                    // as many reads wait as may
	RefuseViewChanged                     // a read or request that waited when the view ended
	RefuseOtherRound                      // a confirmation of no round under way (R19, R4)
	RefuseWiped                           // a part in a view change, after the loss of the disk (R16)
	refusalCount
)

var refusalNames = [refusalCount]string{
	RefuseCluster: "cluster", RefuseGroup: "group", RefuseSender: "sender",
	RefuseCommand: "command", RefuseInTransition: "in_transition",
	RefuseNotPrimary: "not_primary", RefuseQueueFull: "queue_full",
	RefuseTooLarge: "too_large", RefuseOperation: "operation", RefuseUnderWay: "under_way",
	RefuseStale: "stale", RefuseNewer: "newer", RefuseStatus: "status",
	RefuseUnknownOp: "unknown_op", RefusePrepare: "prepare",
	RefuseUnsolicited: "unsolicited", RefuseRepeated: "repeated",
	RefuseBrokenLog: "broken_log", RefuseDivergence: "divergence",
	RefuseTooLong:      "too_long",
	RefuseTooManyReads: "too_many_reads", RefuseViewChanged: "view_changed",
	RefuseOtherRound: "other_round", RefuseWiped: "wiped",
}

// String returns the name as in traces and metrics.
func (f Refusal) String() string {
	if f >= 1 && f < refusalCount {
		return refusalNames[f]
	}
	return "invalid"
}

// Refusals lists all reasons.
func Refusals() []Refusal {
	var out []Refusal
	for f := RefuseCluster; f < refusalCount; f++ {
		out = append(out, f)
	}
	return out
}

// refuseOwn refuses what the replica itself, or its host, asked for.
func (r *Replica) refuseOwn(reason Refusal) {
	r.refused[reason]++
	r.emit(Event{Action: EventRefuse, Stutter: true, Reason: reason, View: r.view})
}

func (r *Replica) refuse(reason Refusal, m wire.Message) {
	r.refused[reason]++
	if !r.config.RecordEvents {
		return
	}
	r.emit(Event{
		Action: EventRefuse, Stutter: true, Reason: reason, View: m.InView(),
		From: m.From(), HasFrom: m.From() != wire.NoReplica,
	})
}
