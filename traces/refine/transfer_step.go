package refine

import (
	"fmt"
	"math/bits"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/transfer"
)

// step is one step of one replica, as it is compared with Transfer.tla.
//
// The module reads from its peers as they are; a core reads what they have sent, which may be
// long ago. So the peers of a step are taken to be as its messages say, or, where the module only
// asks whether some peer could have sent it, as it takes. That messages were true when they were
// sent is checked at their sender (truth.go), that what comes of them is right on the state of
// the whole cluster (transferModel.broken).
type step struct {
	*transferModel
	r           int
	before, now *member
	in          stimulus
	want        transfer.Replica
	state       transfer.State
	// decides: the log, or what is known of it, has been taken from others or from the disk.
	decides bool
}

// mismatch says why a step is none of the module's, or nothing.
func (t *transferModel) mismatch(before, now *member, in stimulus, out *outcome) string {
	x := &step{transferModel: t, r: now.id, before: before, now: now, in: in, want: now.projected}
	x.state.Replicas[x.r] = before.projected
	if !x.host() {
		return ""
	}
	for _, e := range out.all {
		if reason := x.take(e); reason != "" {
			return "no step of Transfer: " + reason
		}
	}
	if reason := x.end(); reason != "" {
		return "no step of Transfer: " + reason
	}
	return ""
}

func (x *step) replica() *transfer.Replica { return &x.state.Replicas[x.r] }

// primary is where the state has the primary of a view.
func (x *step) primary(view uint8) int { return int(view) % x.system.bounds.Replicas }

// other is some peer.
func (x *step) other() int { return (x.r + 1) % x.system.bounds.Replicas }

// do takes one action, to the first state that fits; fits may be nil. It reports whether there
// is one.
func (x *step) do(kind transfer.ActionKind, fits func(*transfer.Replica) bool) bool {
	for _, next := range x.drive.Steps(&x.state, kind, x.r) {
		if y := next.Replicas[x.r]; fits == nil || fits(&y) {
			x.normalize(&y)
			if next.Rewound {
				return false
			}
			x.state = transfer.State{}
			x.state.Replicas[x.r] = y
			return true
		}
	}
	return false
}

// must takes an action and says that it cannot be taken if so.
func (x *step) must(kind transfer.ActionKind) string {
	if x.do(kind, nil) {
		return ""
	}
	return fmt.Sprintf("%s(%d) is not enabled", kind, x.r)
}

// host takes up what a host does by itself. It reports false where what landed before a crash is
// more than a part of an install: then nobody has seen the steps in between.
func (x *step) host() bool {
	y := x.replica()
	switch x.in.kind { //nolint:exhaustive // The others are the core's.
	case kindCheckpoint:
		status, fetch := y.Status, y.Transfer
		y.Status, y.Transfer = transfer.Normal, transfer.Transfer{}
		x.do(transfer.TakeCheckpoint, nil)
		y.Status, y.Transfer = status, fetch
	case kindPart:
		if y.Transfer.Stage > stageFetch && !x.before.checkpointing.target.IsZero() &&
			x.before.checkpointing.own.IsZero() {
			x.do(transfer.Install, nil)
		}
	case kindExecute:
		x.execute(y)
	case kindCrash:
		landed := x.before.writes[:x.in.arg]
		switch {
		case len(landed) > 1 || len(landed) == 1 && !x.before.rebases(landed[0]):
			return false
		case len(landed) == 1 && y.Transfer.Stage == stageLog:
			x.do(transfer.Install, nil)
		}
	}
	return true
}

// execute executes the op that was handed out before, whatever has begun since: a view change, a
// fetch, a hole in the log.
func (x *step) execute(y *transfer.Replica) {
	e := x.entry(x.before.executes[0])
	status, fetch, log := y.Status, y.Transfer, y.Headers
	y.Status, y.Transfer = transfer.Normal, transfer.Transfer{}
	if y.Headers.Length >= x.drive.Length(e) {
		y.Headers.Entries[x.drive.Length(e)-1] = e
	}
	x.do(transfer.WalkExecute, nil)
	y.Status, y.Transfer, y.Headers = status, fetch, log
	x.normalize(y)
}

// take takes the step that an event tells of.
func (x *step) take(e vsr.Event) string {
	y := x.replica()
	switch e.Action { //nolint:exhaustive // The others change nothing that the module sees.
	case vsr.ActionClientRequest:
		return x.must(transfer.ClientRequest)
	case vsr.ActionReceivePrepare:
		return x.receivePrepare()
	case vsr.ActionPrimaryCommit:
		for r := range y.PrepareOKs {
			y.PrepareOKs[r] = ^transfer.EntrySet(0)
		}
		return x.must(transfer.PrimaryCommit)
	case vsr.ActionReceiveCommit:
		return x.receiveCommit(uint8(e.Commit))
	case vsr.ActionRepairPrepare:
		return x.repairPrepare(x.entry(wire.PrepareID{Op: e.Op, Checksum: e.Checksum}))
	case vsr.EventRepairHeader:
		x.repairHeaders()
	case vsr.ActionStartViewChange, vsr.ActionReceiveStartViewChange:
		view := uint8(e.View)
		if !x.do(transfer.StartViewChange, func(z *transfer.Replica) bool { return z.View == view }) {
			return fmt.Sprintf("StartViewChange(%d,%d) is not enabled", x.r, view)
		}
	case vsr.ActionBecomePrimary:
		if reason := x.merge(); reason != "" {
			return reason
		}
		return x.must(transfer.BecomePrimary)
	case vsr.ActionReceiveStartView:
		return x.adopt(transfer.ReceiveStartView)
	case vsr.ActionRecover:
		return x.adopt(transfer.Recover)
	case vsr.EventRaiseHead:
		return x.adopt(transfer.RaiseHead)
	case vsr.EventStartTransfer, vsr.EventResumeTransfer:
		return x.startTransfer(x.entry(wire.PrepareID{Op: e.Op, Checksum: e.Checksum}))
	case vsr.EventAbandonTransfer:
		return x.abandonTransfer()
	case vsr.EventInstall:
		return x.must(transfer.Install)
	case vsr.ActionRestart:
		x.decides = true
		if y.Status == transfer.Recovering {
			y.Status = transfer.Normal // a crash on the way back is one, too
		}
		return x.must(transfer.Restart)
	}
	return ""
}

// receivePrepare takes the next op of the log that the replica has afterwards.
func (x *step) receivePrepare() string {
	y := x.replica()
	p := &x.state.Replicas[x.primary(y.View)]
	*p = transfer.Replica{
		Status: transfer.Normal, View: y.View, Headers: x.want.Headers, Bodies: x.want.Bodies,
	}
	return x.must(transfer.ReceivePrepare)
}

// receiveCommit learns a commit point, from the primary or from a backup of this primary.
func (x *step) receiveCommit(commit uint8) string {
	y := x.replica()
	from := x.primary(y.View)
	if from == x.r {
		from = x.other()
	}
	x.state.Replicas[from] = transfer.Replica{
		Status: transfer.Normal, View: y.View, CommitMax: commit,
		Executed: x.drive.Cut(y.Headers.At(int(y.Headers.Length)), int(commit)),
	}
	return x.must(transfer.ReceiveCommit)
}

// peer is one that has what the replica has afterwards.
func (x *step) peer() {
	x.state.Replicas[x.other()] = transfer.Replica{
		Status: transfer.ViewChange, Headers: x.want.Headers, Bodies: x.want.Bodies,
	}
}

// repairPrepare takes a body. A new primary fetches bodies before its merged log is durable: they
// are of no log yet, and prove nothing in a vote.
func (x *step) repairPrepare(e transfer.Entry) string {
	y := x.replica()
	switch {
	case x.drive.Length(e) <= y.Base:
		return "" // it was released before it came
	case y.Status == transfer.ViewChange && y.LogView < y.View:
		y.Bodies.Add(e)
		return ""
	}
	x.repairHeaders()
	x.peer()
	peer := &x.state.Replicas[x.other()]
	peer.Bodies.Add(e)
	peer.Headers.Length = max(peer.Headers.Length, x.drive.Length(e))
	bodies := x.replica().Bodies
	bodies.Add(e)
	if !x.do(transfer.RepairPrepare, func(z *transfer.Replica) bool { return z.Bodies == bodies }) {
		return fmt.Sprintf("RepairPrepare(%d,%d) is not enabled", x.r, x.drive.Length(e))
	}
	return ""
}

// repairHeaders closes a hole as far as the replica has afterwards: a header names its parent.
func (x *step) repairHeaders() {
	for again := true; again; {
		x.peer()
		again = x.do(transfer.RepairHeader, func(z *transfer.Replica) bool {
			for op := 1; op <= int(z.Headers.Length); op++ {
				if z.Headers.At(op) != x.replica().Headers.At(op) {
					return z.Headers.At(op) == x.want.Headers.At(op)
				}
			}
			return false
		})
	}
}

// merge makes the merged log of a new primary durable, which is when the module merges.
func (x *step) merge() string {
	y := x.replica()
	if y.Status != transfer.ViewChange || y.LogView == y.View {
		return ""
	}
	x.decides = true
	f := &x.before.footing
	for _, r := range f.Voters {
		if vote := f.Votes[r]; r != x.r && vote != nil {
			x.state.Replicas[r] = x.voter(vote)
		}
	}
	// Holes are repaired while the log is not durable yet, which the module does afterwards; and
	// what the replica had of committed ops that does not chain to the rest is forgotten.
	partly := func(z *transfer.Replica) bool {
		for op := 1; op <= int(z.Headers.Length); op++ {
			e, want := z.Headers.At(op), x.want.Headers.At(op)
			if e != 0 && e != want && (want != 0 || op > int(x.want.CommitMax)) {
				return false
			}
		}
		return z.Headers.Length == x.want.Headers.Length
	}
	if x.do(transfer.MergeVotes, partly) {
		x.repairHeaders()
		return ""
	}
	return fmt.Sprintf("MergeVotes(%d,%v) gives another log", x.r, f.Voters)
}

func (x *step) voter(vote *wire.DoViewChange) transfer.Replica {
	z := transfer.Replica{
		Status: transfer.ViewChange, View: uint8(vote.View), LogView: uint8(vote.LogView),
		CommitMax: uint8(vote.Commit), Headers: x.log(suffix(vote.Base, vote.Headers)),
	}
	for i := range vote.Headers {
		if vote.Present[i] {
			z.Bodies.Add(x.entry(vote.Headers[i].ID()))
		}
	}
	return z
}

// suffix is the identities of what a peer has sent of its log.
func suffix(base wire.PrepareID, headers []wire.PrepareHeader) []wire.PrepareID {
	ids := []wire.PrepareID{base}
	for i := range headers {
		ids = append(ids, headers[i].ID())
	}
	return ids
}

// adopt takes a StartView over.
func (x *step) adopt(kind transfer.ActionKind) string {
	message := x.in.message
	if message == nil {
		message = x.before.cause
	}
	if message == nil {
		return fmt.Sprintf("%s(%d) without a StartView", kind, x.r)
	}
	m, ok := message.content.(*wire.StartView)
	if !ok {
		return fmt.Sprintf("%s(%d) by a %v", kind, x.r, message.content.Command())
	}
	x.decides = true
	p := x.primary(uint8(m.View))
	x.state.Replicas[p] = transfer.Replica{
		Status: transfer.Normal, View: uint8(m.View), LogView: uint8(m.View),
		Headers: x.log(suffix(m.Base, m.Headers)), CommitMax: uint8(m.Commit),
	}
	return x.must(kind)
}

// startTransfer begins to fetch what some peer has released. Another sender of the same is none.
func (x *step) startTransfer(target transfer.Entry) string {
	y := x.replica()
	if y.Transfer.Stage == stageFetch && y.Transfer.Target == target {
		return ""
	}
	if y.Transfer.Stage == stageFetch {
		if reason := x.abandonTransfer(); reason != "" {
			return reason
		}
	}
	if x.want.Status == transfer.ViewChange {
		if reason := x.merge(); reason != "" {
			return reason
		}
	}
	x.state.Replicas[x.other()] = transfer.Replica{
		Status: transfer.ViewChange, Base: x.drive.Length(target), Pairing: target,
	}
	return x.must(transfer.StartTransfer)
}

// abandonTransfer gives a fetch up. Its view may have ended already.
func (x *step) abandonTransfer() string {
	y := x.replica()
	if y.Transfer.Stage != stageFetch {
		return ""
	}
	y.Transfer.Sender = uint8(x.other())
	x.state.Replicas[x.other()] = transfer.Replica{Status: transfer.Recovering}
	return x.must(transfer.AbandonTransfer)
}

// end takes the steps that no event tells of, and compares.
func (x *step) end() string {
	if x.want.LogView == x.want.View && x.want.Status == transfer.ViewChange {
		if reason := x.merge(); reason != "" {
			return reason
		}
	}
	y := x.replica()
	if y.Transfer.Stage == stageFetch && x.want.Transfer.Stage == stageSnapshot {
		y.Transfer.Sender = uint8(x.other())
		x.state.Replicas[x.other()] = transfer.Replica{
			Status: transfer.ViewChange, Pairing: y.Transfer.Target,
		}
		if reason := x.must(transfer.FetchChunk); reason != "" {
			return reason
		}
		y = x.replica()
	}
	if x.decides {
		x.forget(y)
	}
	// Of a base that was the head, and is not any more, only the identity was known.
	f := &x.now.footing
	if base := f.Log[0].Op; base > x.now.applied.Op && len(f.Log) > 1 {
		y.Headers.Entries[base-1] = 0
	}
	return x.difference(y)
}

// forget lets go what the module keeps and a core does not, when it takes over a log: the
// headers of committed ops that have become a hole, or are one again after a restart. It also
// raises the commit point to what the log says: below a base, and below the commit point that
// the head's primary wrote into it, everything is committed.
func (x *step) forget(y *transfer.Replica) {
	y.CommitMax = max(y.CommitMax, x.want.CommitMax)
	for op := 1; op <= min(int(y.Headers.Length), int(x.want.CommitMax)); op++ {
		if x.want.Headers.At(op) == 0 {
			y.Headers.Entries[op-1] = 0
		}
	}
}

// difference says where the replica is not as the module has it.
func (x *step) difference(y *transfer.Replica) string {
	if *y == x.want {
		return ""
	}
	text := func(z *transfer.Replica) string {
		var log, bodies []string
		for op := 1; op <= int(z.Headers.Length); op++ {
			log = append(log, x.drive.Text(z.Headers.At(op)))
		}
		for set := uint64(z.Bodies); set != 0; set &= set - 1 {
			bodies = append(bodies, x.drive.Text(transfer.Entry(bits.TrailingZeros64(set))))
		}
		return fmt.Sprintf("%v view %d/%d log %v bodies %v executed %s commit %d snapshot %s pairing "+
			"%s base %d transfer %d of %s", z.Status, z.View, z.LogView, log, bodies,
			x.drive.Text(z.Executed), z.CommitMax, x.drive.Text(z.Snapshot), x.drive.Text(z.Pairing),
			z.Base, z.Transfer.Stage, x.drive.Text(z.Transfer.Target))
	}
	return fmt.Sprintf("r%d is %s, expected %s", x.r, text(&x.want), text(y))
}
