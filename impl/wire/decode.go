package wire

// Decode reads one whole frame and verifies all that a frame can prove by itself (R20): size,
// seal, command, reserved bytes, ranges, and the same for nested headers and prepares. What
// needs knowledge of the cluster is the caller's: whether cluster, group and replica exist
// and whether the connection may speak for that replica.
//
// Body of [Request], [Reply], [Prepare] and of a [RepairPrepare]'s prepare, and Data of a
// [CheckpointChunk], is a part of the frame, not a copy: do not change or reuse the frame while
// the message lives, or clone it. Nothing else refers to the frame. What is empty is nil.
//
// Errors: always a [*FrameError]; the message is nil then. Decode never panics and never
// writes to the frame.
func Decode(frame []byte) (Message, error) {
	m, refused := decode(frame)
	if refused != nil {
		return nil, refused // *FrameError, never a nil one in an error
	}
	return m, nil
}

func decode(frame []byte) (Message, *FrameError) {
	if refused := checkFrame(frame); refused != nil {
		return nil, refused
	}
	switch commandOf(frame) {
	case CommandRequest:
		return getRequest(frame)
	case CommandPrepare:
		return getPrepare(frame)
	case CommandPrepareOK:
		return getPrepareOK(frame)
	case CommandReply:
		return getReply(frame)
	case CommandCommit:
		return getCommit(frame)
	case CommandStartViewChange:
		return getStartViewChange(frame)
	case CommandDoViewChange:
		return getDoViewChange(frame)
	case CommandStartView:
		return getStartView(frame)
	case CommandRequestStartView:
		return getRequestStartView(frame)
	case CommandRequestPrepares:
		return getRequestPrepares(frame)
	case CommandRepairPrepare:
		return getRepairPrepare(frame)
	case CommandRequestCheckpoint:
		return getRequestCheckpoint(frame)
	case CommandCheckpointChunk:
		return getCheckpointChunk(frame)
	case CommandConfirmView:
		return getConfirmView(frame)
	case CommandConfirmViewOK:
		return getConfirmViewOK(frame)
	}
	return nil, refuse(ReasonCommand, "command", commandOf(frame), "a known command")
}

// checkNoBody refuses a body where the command has none.
func checkNoBody(frame []byte) *FrameError {
	if len(frame) != HeaderBytes {
		return refuse(ReasonBody, "size", len(frame), "a header alone")
	}
	return nil
}

// checkOp refuses op 0, which is before the first.
func checkOp(op Op) *FrameError {
	if op == 0 {
		return refuse(ReasonRange, "op", op, "at least 1")
	}
	return nil
}
