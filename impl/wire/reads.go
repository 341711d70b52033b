package wire

import "fmt"

// Frames of the round that a linearizable read takes (R19): the primary's question whether its
// view is still the view, and the answer.

// ConfirmView asks a replica whether View is still the one that it is in. The answer counts for
// the reads that arrived at the primary before it asked.
type ConfirmView struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID // the primary of View
	// Incarnation and Round name the round: an answer to a round of an earlier boot counts for
	// no read of this one (R4). Rounds are numbered from 1 at each boot.
	Incarnation Incarnation
	Round       uint64
}

// ConfirmViewOK says that its sender was in View when it was asked, and repeats the round.
type ConfirmViewOK struct {
	Cluster     ClusterID
	Group       GroupID
	View        View
	Replica     ReplicaID
	Incarnation Incarnation
	Round       uint64
}

const (
	confirmGroup       = 128
	confirmRound       = 136
	confirmIncarnation = 240 // where a probe has it
)

var confirmReserved = []span{{144, 240}}

func putConfirm(frame []byte, group GroupID, incarnation Incarnation, round uint64) {
	putGroup(frame, confirmGroup, group)
	putU64(frame, confirmRound, round)
	putU128(frame, confirmIncarnation, Uint128(incarnation))
}

// getConfirm reads what question and answer have in common, which is all.
func getConfirm(frame []byte) (ConfirmView, *FrameError) {
	var m ConfirmView
	if refused := checkNoBody(frame); refused != nil {
		return m, refused
	}
	if refused := checkReserved(frame, confirmReserved); refused != nil {
		return m, refused
	}
	m = ConfirmView{
		Cluster:     clusterOf(frame),
		Group:       getGroup(frame, confirmGroup),
		View:        viewOf(frame),
		Replica:     replicaOf(frame),
		Incarnation: Incarnation(getU128(frame, confirmIncarnation)),
		Round:       getU64(frame, confirmRound),
	}
	if m.Round == 0 {
		return m, refuse(ReasonRange, "round", 0, "at least 1")
	}
	if m.Incarnation.IsZero() {
		return m, refuse(ReasonRange, "incarnation", fmt.Sprint(m.Incarnation), "nonzero")
	}
	return m, nil
}

func getConfirmView(frame []byte) (Message, *FrameError) {
	m, refused := getConfirm(frame)
	if refused != nil {
		return nil, refused
	}
	return &m, nil
}

func getConfirmViewOK(frame []byte) (Message, *FrameError) {
	m, refused := getConfirm(frame)
	if refused != nil {
		return nil, refused
	}
	ok := ConfirmViewOK(m)
	return &ok, nil
}
