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
	RefusePipelineFull                    // a request, but the pipeline is full
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
	refusalCount
)

var refusalNames = [refusalCount]string{
	RefuseCluster: "cluster", RefuseGroup: "group", RefuseSender: "sender",
	RefuseCommand: "command", RefuseInTransition: "in_transition",
	RefuseNotPrimary: "not_primary", RefusePipelineFull: "pipeline_full",
	RefuseStale: "stale", RefuseNewer: "newer", RefuseStatus: "status",
	RefuseUnknownOp: "unknown_op", RefusePrepare: "prepare",
	RefuseUnsolicited: "unsolicited", RefuseRepeated: "repeated",
	RefuseBrokenLog: "broken_log", RefuseDivergence: "divergence",
	RefuseTooLong: "too_long",
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
