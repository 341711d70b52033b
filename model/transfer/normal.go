package transfer

import "math/bits"

// sendPrepareOKs is Transfer!PrepareOKs: r sends what it owes under its view, for its
// log and bodies as they are in s. While it transfers they are withheld, and owed at
// its end.
func (m *machine) sendPrepareOKs(s *State, r int) {
	x := &s.Replicas[r]
	x.PrepareOKs = [ReplicasMax]EntrySet{}
	p := m.primary(x.View)
	primary := &s.Replicas[p]
	if p == r || primary.Status != Normal || primary.View != x.View || !m.acknowledges(x) {
		return
	}
	for op := int(primary.CommitMax) + 1; op <= int(x.Headers.Length); op++ {
		if e := x.Headers.at(op); e != 0 && x.Bodies.has(e) {
			primary.PrepareOKs[r].add(e)
		}
	}
}

// acknowledges reports whether a replica sends prepare_oks, which a transfer may stop.
func (m *machine) acknowledges(x *Replica) bool {
	return x.Transfer.Stage == stageNone || m.PrepareDuring || m.bug.ackWhileTransferring
}

// forgetPrepareOKs drops what is known as committed: Transfer!Above.
func (m *machine) forgetPrepareOKs(x *Replica) {
	for r := range x.PrepareOKs {
		x.PrepareOKs[r] &= m.above[x.CommitMax]
	}
}

// clientRequest is Transfer!ClientRequest: a primary prepares a request.
func (m *machine) clientRequest(s *State, yield func(Action, State)) {
	for p := range m.N {
		x := &s.Replicas[p]
		if !m.isPrimary(s, p) || int(s.Requests) == m.MaxRequest ||
			int(x.Headers.Length) >= int(x.CommitMax)+m.MaxPipeline ||
			int(x.Barrier) > m.commitMin(x) && !m.bug.noBarrier {
			continue
		}
		e := m.child[x.Headers.tip()][x.View]
		if e == 0 { // Only where a mutant has put another log below it.
			continue
		}
		t := *s
		y := &t.Replicas[p]
		y.Headers.push(e)
		y.Bodies.add(e)
		t.ViewLogs[x.View] = e
		t.Requests++
		yield(Action{Kind: ClientRequest, Replica: uint8(p)}, t)
	}
}

// receivePrepare is Transfer!ReceivePrepare: a backup takes the next op.
func (m *machine) receivePrepare(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		primary, ok := m.primaryOf(s, r)
		if !m.isBackup(s, r) || !ok || !m.acknowledges(x) ||
			x.Headers.Length >= primary.Headers.Length {
			continue
		}
		e := primary.Headers.at(int(x.Headers.Length) + 1)
		if !primary.Bodies.has(e) {
			continue
		}
		t := *s
		y := &t.Replicas[r]
		y.Headers.push(e)
		y.Bodies.add(e)
		m.sendPrepareOKs(&t, r)
		yield(Action{Kind: ReceivePrepare, Replica: uint8(r)}, t)
	}
}

// primaryCommit is Transfer!PrimaryCommit: a replication quorum holds the next op.
func (m *machine) primaryCommit(s *State, yield func(Action, State)) {
	for p := range m.N {
		x := &s.Replicas[p]
		if !m.isPrimary(s, p) || x.CommitMax >= x.Headers.Length {
			continue
		}
		e := x.Headers.at(int(x.CommitMax) + 1)
		by := uint8(1) << p
		for r, acknowledged := range x.PrepareOKs {
			if acknowledged.has(e) {
				by |= 1 << r
			}
		}
		if bits.OnesCount8(by) < m.replicationQuorum() {
			continue
		}
		t := *s
		y := &t.Replicas[p]
		y.CommitMax++
		if y.CommitMax > m.length[s.Committed] {
			t.Committed = m.next(s.Committed, e)
		}
		m.forgetPrepareOKs(y)
		yield(Action{Kind: PrimaryCommit, Replica: uint8(p)}, t)
	}
}

// receiveCommit is Transfer!ReceiveCommit: a backup hears the commit point of its
// primary, and a primary what a backup has executed.
func (m *machine) receiveCommit(s *State, yield func(Action, State)) {
	for r := range m.N {
		for from := range m.N {
			x, y := &s.Replicas[r], &s.Replicas[from]
			if r == from || x.Status != Normal || y.Status != Normal || x.View != y.View {
				continue
			}
			var commit int
			switch m.primary(x.View) {
			case from:
				commit = int(y.CommitMax)
			case r:
				if !m.bug.acksCarryNoCommit {
					commit = m.commitMin(y)
				}
			default:
				continue
			}
			if commit <= int(x.CommitMax) {
				continue
			}
			t := *s
			t.Replicas[r].CommitMax = uint8(commit)
			m.forgetPrepareOKs(&t.Replicas[r])
			yield(Action{Kind: ReceiveCommit, Replica: uint8(r), Argument: uint8(from)}, t)
		}
	}
}

// walkExecute is Transfer!WalkExecute: the commit walk executes the next op (R5).
func (m *machine) walkExecute(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		op := m.commitMin(x) + 1
		e := x.Headers.at(op)
		if x.Status != Normal || x.Transfer.Stage != stageNone && !m.bug.transferRewinds ||
			op > int(x.CommitMax) || e == 0 {
			continue
		}
		for rest := x.Bodies; ; {
			body, ok := rest.pop()
			if !ok {
				break
			}
			if int(m.length[body]) != op || body != e && !m.bug.walkByOpNotChecksum ||
				m.cut[body][op-1] != x.Executed {
				continue
			}
			t := *s
			t.Replicas[r].Executed = body
			if int(x.Barrier) <= op {
				t.Replicas[r].Barrier = 0
			}
			yield(Action{Kind: WalkExecute, Replica: uint8(r)}, t)
		}
	}
}
