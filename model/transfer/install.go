package transfer

// released is Transfer!Released: what is left of a log above checkpoint e, whose own
// header stays.
func (m *machine) released(log Log, e Entry) Log {
	length := int(m.length[e])
	for op := 1; op <= min(length, int(log.Length)); op++ {
		log.Entries[op-1] = 0
		if op == length {
			log.Entries[op-1] = e
		}
	}
	return log
}

// takeCheckpoint is Transfer!TakeCheckpoint: r makes its state durable and releases
// the log below (R17).
func (m *machine) takeCheckpoint(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		if x.Status != Normal || x.Transfer.Stage != stageNone ||
			int(s.Checkpoints) == m.MaxCheckpoint || m.length[x.Executed] <= m.length[x.Snapshot] {
			continue
		}
		t := *s
		y := &t.Replicas[r]
		y.Snapshot, y.Pairing, y.Base = x.Executed, x.Executed, m.length[x.Executed]
		y.Headers = m.released(x.Headers, x.Executed)
		y.Bodies &= m.above[y.Base]
		t.Checkpoints++
		yield(Action{Kind: TakeCheckpoint, Replica: uint8(r)}, t)
	}
}

// offer is Transfer!Offer: the checkpoint that a sender offers.
func (m *machine) offer(x *Replica) Entry {
	if m.WrongSender || m.bug.serveCheckpointAheadOfCommit {
		return x.Headers.tip()
	}
	return x.Pairing
}

// acceptable is Transfer!Acceptable: a target is in the verified chain of the adopted
// log and known as committed (R21).
func (m *machine) acceptable(x *Replica, e Entry) bool {
	length := int(m.length[e])
	if length <= m.commitMin(x) {
		return false
	}
	if m.bug.loose {
		return true
	}
	above := x.Headers.at(length + 1)
	inChain := x.Headers.at(length) == e || above != 0 && m.cut[above][length] == e
	return inChain && (length <= int(x.CommitMax) || m.bug.serveCheckpointAheadOfCommit)
}

// needsReleased reports whether x lacks a body that y has released.
func (m *machine) needsReleased(x, y *Replica) bool {
	for op := m.commitMin(x) + 1; op <= min(int(x.Headers.Length), int(y.Base)); op++ {
		if !x.Bodies.has(x.Headers.at(op)) {
			return true
		}
	}
	return false
}

// startTransfer is Transfer!StartTransfer: a peer has released an op that r needs.
func (m *machine) startTransfer(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		elect := m.isMerged(s, r) && !m.bug.electNeverTransfers
		if !m.isBackup(s, r) && !elect || x.Transfer.Stage != stageNone || m.bug.noTransfer {
			continue
		}
		for from := range m.N {
			y := &s.Replicas[from]
			target := m.offer(y)
			if from == r || !y.live() || !m.needsReleased(x, y) || !m.acceptable(x, target) {
				continue
			}
			t := *s
			t.Replicas[r].Transfer = Transfer{
				Stage: stageFetch, Sender: uint8(from), Target: target,
			}
			yield(Action{Kind: StartTransfer, Replica: uint8(r), Argument: uint8(from)}, t)
		}
	}
}

// serving is Transfer!Serving: whether the sender still has the target.
func (m *machine) serving(s *State, x *Replica) bool {
	sender := &s.Replicas[x.Transfer.Sender]
	return sender.live() && (m.Retain || m.offer(sender) == x.Transfer.Target)
}

// fetchChunk is Transfer!FetchChunk: with the last chunk the install begins.
func (m *machine) fetchChunk(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		if x.Transfer.Stage != stageFetch || !m.serving(s, x) {
			continue
		}
		t := *s
		y := &t.Replicas[r].Transfer
		y.Chunks[y.ChunkCount] = y.Target
		y.ChunkCount++
		if int(y.ChunkCount) == m.Chunks {
			*y = Transfer{Stage: stageFirst, Target: m.assembled(y)}
		}
		yield(Action{Kind: FetchChunk, Replica: uint8(r)}, t)
	}
}

// assembled is Transfer!Assembled: the checkpoint that the chunks make up.
func (m *machine) assembled(x *Transfer) Entry {
	for _, chunk := range x.Chunks[:x.ChunkCount] {
		if chunk != x.Target {
			return m.mixed[m.length[x.Target]]
		}
	}
	return x.Target
}

// resumeTransfer is Transfer!ResumeTransfer: another sender has the same checkpoint.
func (m *machine) resumeTransfer(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		if x.Transfer.Stage != stageFetch || m.serving(s, x) || m.bug.stickyRepairPeer {
			continue
		}
		for from := range m.N {
			y := &s.Replicas[from]
			target := m.offer(y)
			mixes := m.bug.chunksOfTwoCheckpoints && m.acceptable(x, target)
			if from == r || !y.live() || target != x.Transfer.Target && !mixes {
				continue
			}
			t := *s
			t.Replicas[r].Transfer.Sender = uint8(from)
			t.Replicas[r].Transfer.Target = target
			yield(Action{Kind: ResumeTransfer, Replica: uint8(r), Argument: uint8(from)}, t)
		}
	}
}

// abandonTransfer is Transfer!AbandonTransfer: r gives up its chunks, and owes the
// acknowledgements that it held back.
func (m *machine) abandonTransfer(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		if x.Transfer.Stage != stageFetch || m.serving(s, x) || m.bug.stickyRepairPeer {
			continue
		}
		t := *s
		t.Replicas[r].Transfer = Transfer{}
		if !m.bug.acksWithheldStayWithheld {
			m.sendPrepareOKs(&t, r)
		}
		yield(Action{Kind: AbandonTransfer, Replica: uint8(r)}, t)
	}
}

// fit is Transfer!Fit: a log over checkpoint e. What does not chain to it is dead; an
// adoption has already decided the log, so nothing is.
func (m *machine) fit(log Log, e Entry) Log {
	length := int(m.length[e])
	above := log.at(length + 1)
	chains := above == 0 || m.cut[above][length] == e || m.bug.transferKeepsDeadSuffix
	truncates := m.bug.installTruncates || m.bug.ackWhileTransferring
	if int(log.Length) > length && chains && !truncates {
		return m.released(log, e)
	}
	only := Log{Length: m.length[e]}
	if length > 0 {
		only.Entries[length-1] = e
	}
	return only
}

// part is one durable part of an install.
type part uint8

const (
	partSnapshot part = iota + 1
	partPairing
	partLog
)

// order is Transfer!Order: snapshot, pairing, state record with the release (R21).
func (m *machine) order() [3]part {
	switch {
	case m.bug.installNotAtomic:
		return [3]part{partLog, partSnapshot, partPairing}
	case m.bug.pairingBeforeSnapshot:
		return [3]part{partPairing, partSnapshot, partLog}
	}
	return [3]part{partSnapshot, partPairing, partLog}
}

// install is Transfer!Install: the next durable step; memory comes with the last.
func (m *machine) install(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		if !x.installing() {
			continue
		}
		t := *s
		y := &t.Replicas[r]
		e := x.Transfer.Target
		switch m.order()[x.Transfer.Stage-stageFirst] {
		case partSnapshot:
			y.Snapshot = e
		case partPairing:
			y.Pairing = e
		case partLog:
			y.Base = m.length[e]
			y.Headers = m.fit(x.Headers, e)
			y.Bodies &= m.above[y.Base]
		}
		y.Transfer.Stage++
		if x.Transfer.Stage == stageLast {
			m.finish(&t, r, e)
		}
		yield(Action{Kind: Install, Replica: uint8(r)}, t)
	}
}

// finish is the end of an install, in memory.
func (m *machine) finish(s *State, r int, e Entry) {
	y := &s.Replicas[r]
	s.Rewound = s.Rewound || int(m.length[e]) < m.commitMin(y)
	y.Executed = e
	y.CommitMax = max(y.CommitMax, m.length[e])
	if y.Barrier <= m.length[e] {
		y.Barrier = 0
	}
	y.Transfer = Transfer{}
	if m.isBackup(s, r) {
		m.sendPrepareOKs(s, r)
	}
}

// restart is Transfer!Restart: r crashes, and comes back with what is durable.
func (m *machine) restart(s *State, yield func(Action, State)) {
	for r := range m.N {
		if int(s.Crashes) == m.MaxCrash || s.Replicas[r].Status == Recovering {
			continue
		}
		t := *s
		t.Crashes++
		y := &t.Replicas[r]
		y.Status = Recovering
		y.Executed = y.Snapshot
		y.CommitMax = m.length[y.Snapshot]
		if y.Snapshot != 0 {
			y.Headers = m.fit(y.Headers, y.Snapshot)
		}
		y.Transfer = Transfer{}
		y.Barrier = y.Headers.Length
		y.PrepareOKs = [ReplicasMax]EntrySet{}
		yield(Action{Kind: Restart, Replica: uint8(r)}, t)
	}
}
