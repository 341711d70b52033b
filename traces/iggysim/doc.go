// Package iggysim turns logs of Apache Iggy's consensus, its events of the target iggy.sim,
// into traces. Such a log comes from a simulator, with all replicas in one stream, or from
// the servers of a cluster, one file each.
//
// It owns the reading of lines ([Import]), of plain and of gzip files. It never judges what the
// log says (traces/conform/partial does) and never fills in what the log does not say.
//
// # Lines
//
//	TIME LEVEL THREAD [SPANS: ]iggy.sim: key=value key="text" ...
//
// Colours of a terminal are dropped. Every field but sim_event may be missing. What a line
// does not say, or says illegibly, its event leaves open. An event is a stutter with the name
// of its sim_event as action; its group is namespace_raw, with the cluster in front if the
// log has several.
//
// Lines of other targets are foreign: they are counted, and one of them tells of a restart
// ([ActionRestarted]). A line of iggy.sim that names no event or no replica is lost: it is
// counted, reported, and stands in the trace as [ActionGap].
//
// # Several files
//
// The lines of one file stay in their order. Between files the time of the lines decides; it
// means nothing, and the header says so (traces.OrderReplica).
//
// # Invariants
//
//   - No input panics or stops an import, except an unreadable file.
//   - Equal files give equal traces.
//   - Memory does not grow with the length of the log, only with its groups.
package iggysim
