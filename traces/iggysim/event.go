package iggysim

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/traces"
)

// The events of a log (sim_event), which are the actions of its trace.
const (
	ActionRequestReceived  = "ClientRequestReceived"
	ActionPrepareQueued    = "PrepareQueued"
	ActionPrepareAcked     = "PrepareAcked"
	ActionCommitted        = "OperationCommitted"
	ActionReplyEmitted     = "ClientReplyEmitted"
	ActionViewChange       = "ViewChangeStarted"
	ActionPrimaryElected   = "PrimaryElected"
	ActionStateChanged     = "ReplicaStateChanged"
	ActionProgressUpdated  = "NamespaceProgressUpdated"
	ActionMessageScheduled = "ControlMessageScheduled"
)

// The actions that the import adds.
const (
	// ActionGap stands for a line that was lost: any event of any replica of any group may
	// have been there.
	ActionGap = "Gap"
	// ActionRestarted says that the replica began anew: what it had not stored is gone. An
	// empty group means all groups.
	ActionRestarted = "Restarted"
)

// metadataNamespace is the namespace of the one metadata group.
const metadataNamespace = uint64(1) << 63

// open lists the fields of after that no such log says.
func open() []string {
	return []string{
		"view_durable", "log_view_durable", "op_head", "head_checksum", "contiguous", "hollow",
		"in_doubt", "commit_min", "pipeline", "incarnation", "stop",
	}
}

// lostError says why a line of iggy.sim makes no event.
type lostError struct{ reason string }

func (e lostError) Error() string { return e.reason }

// replicaMax is the number of replicas that upstream's 8-bit identifiers can tell apart.
const replicaMax = 256

// placed is an event with what places it beside the events of other files.
type placed struct {
	event   traces.Event
	cluster string
	plane   string
}

// eventOf turns the fields of a line into an event. replica is who wrote lines that do not say,
// or -1.
func eventOf(fields map[string]string, replica int) (placed, error) {
	r := &record{fields: fields}
	action, found := fields["sim_event"]
	switch {
	case !found:
		return placed{}, lostError{"no sim_event"}
	case !isKey(action):
		return placed{}, lostError{fmt.Sprintf("sim_event %.40q is no name", action)}
	}
	id, err := strconv.ParseUint(fields["replica_id"], 10, 8)
	switch {
	case err != nil && fields["replica_id"] != "":
		return placed{}, lostError{fmt.Sprintf("replica_id %.40q is no number up to 255",
			fields["replica_id"])}
	case err != nil && replica < 0:
		return placed{}, lostError{"no replica_id"}
	case err != nil:
		id = uint64(replica)
	}
	group, plane := groupOf(fields)
	if group == "" {
		return placed{}, lostError{"neither namespace_raw nor plane and the three ids"}
	}
	e := traces.Event{Group: group, Replica: int(id), Action: action, Stutter: true}
	e.After = traces.ReplicaState{
		View:      uint32(r.number("view", "view", 32)),
		LogView:   uint32(r.number("log_view", "log_view", 32)),
		CommitMax: r.number("commit", "commit_max", 64),
		Status: r.oneOf("status", "status", traces.StatusNormal, traces.StatusViewChange,
			traces.StatusRecovering),
	}
	e.Args = r.args(action)
	e.Open = r.open
	return placed{event: e, cluster: fields["cluster_id"], plane: plane}, nil
}

// args are the fields that belong to the kind of event.
func (r *record) args(action string) traces.Args {
	a := traces.Args{Role: r.oneOf("role", "args.role", "primary", "backup")}
	op := func() { a.Op = r.number("op", "args.op", 64) }
	depth := func() { a.Depth = r.number("pipeline_depth", "args.depth", 64) }
	request := func() {
		a.Client = r.text("client_id", "args.client")
		a.Request = r.number("request_id", "args.request", 64)
		a.Operation = r.text("operation", "args.operation")
	}
	checksum := func() { a.Checksum = r.checksum("prepare_checksum", "args.checksum") }
	switch action {
	case ActionRequestReceived:
		request()
	case ActionPrepareQueued:
		op()
		a.Parent = r.checksum("parent_checksum", "args.parent")
		checksum()
		request()
		depth()
	case ActionPrepareAcked:
		op()
		checksum()
		a.From = r.replica("ack_from_replica", "args.from")
		a.Acknowledged = int(r.number("ack_count", "args.acknowledged", 8))
		a.Needed = int(r.number("quorum", "args.needed", 8))
		a.Reached = r.oneOf("quorum_reached", "args.reached", "true", "false") == "true"
	case ActionCommitted, ActionReplyEmitted:
		op()
		request()
		depth()
	case ActionViewChange:
		a.OldView = uint32(r.number("old_view", "args.old_view", 32))
		a.View = uint32(r.number("new_view", "args.view", 32))
		a.Reason = r.text("reason", "args.reason")
	case ActionProgressUpdated:
		op()
		depth()
	case ActionMessageScheduled:
		a.Message = r.text("action", "args.message")
		a.To = r.replica("target_replica", "args.to")
		op()
		a.Commit = r.number("action_commit", "args.commit", 64)
	}
	return a
}

// replica returns the number of another replica, or nil with the field left open.
func (r *record) replica(key, field string) *int {
	before := len(r.open)
	n := int(r.number(key, field, 8))
	if len(r.open) > before {
		return nil
	}
	return &n
}

// groupOf names the group of a line and its plane, or nothing if the line does not say.
func groupOf(fields map[string]string) (group, plane string) {
	plane = "partition"
	if fields["plane"] == "metadata" {
		plane = "metadata"
	}
	if n, err := strconv.ParseUint(fields["namespace_raw"], 10, 64); err == nil {
		if n == metadataNamespace {
			plane = "metadata"
		}
		return strconv.FormatUint(n, 10), plane
	}
	if plane == "metadata" {
		return strconv.FormatUint(metadataNamespace, 10), plane
	}
	// stream, topic and partition lie side by side in the namespace.
	namespace := uint64(0)
	for _, id := range []struct {
		key  string
		bits int
	}{{"stream_id", 20}, {"topic_id", 12}, {"partition_id", 20}} {
		n, err := strconv.ParseUint(fields[id.key], 10, id.bits)
		if err != nil {
			return "", ""
		}
		namespace = namespace<<id.bits | n
	}
	return strconv.FormatUint(namespace, 10), plane
}
