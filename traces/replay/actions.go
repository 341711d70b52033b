package replay

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

// actions says how each action of the specification is brought about. PipelineExecute and
// StallTruncate are not here: no core takes them.
var actions = map[string]func(d *driver, r int, args traces.Args) error{
	traces.ActionClientRequest:          (*driver).clientRequest,
	traces.ActionReceivePrepare:         (*driver).receivePrepare,
	traces.ActionPrimaryCommit:          (*driver).primaryCommit,
	traces.ActionReceiveCommit:          (*driver).receiveCommit,
	traces.ActionWalkExecute:            (*driver).walkExecute,
	traces.ActionRepairPrepare:          (*driver).repairPrepare,
	traces.ActionStartViewChange:        (*driver).startViewChange,
	traces.ActionReceiveStartViewChange: (*driver).receiveStartViewChange,
	traces.ActionSendDoViewChange:       (*driver).sendDoViewChange,
	traces.ActionMergeVotes:             (*driver).mergeVotes,
	traces.ActionBecomePrimary:          (*driver).becomePrimary,
	traces.ActionReceiveStartView:       (*driver).receiveStartView,
	traces.ActionRestart:                (*driver).restart,
	traces.ActionAnswerProbe:            (*driver).answerProbe,
	traces.ActionRecover:                (*driver).recover,
}

func (d *driver) clientRequest(r int, args traces.Args) error {
	d.cluster.Request(r, &wire.Request{
		Cluster: sim.ClusterID, Client: wire.ClientID{Lo: 1}, Session: 1,
		Number: wire.RequestNumber(args.Request), Operation: statemachine.RegisterWrite,
		Body: statemachine.RegisterBody(1, args.Request),
	})
	d.finishWrites(r)
	d.names.bind(args.Checksum, d.cluster.State(r).HeadChecksum)
	return nil
}

func (d *driver) receivePrepare(r int, args traces.Args) error {
	want := d.prepareID(args)
	return d.deliver(r, "prepare "+args.Checksum, func(m wire.Message) bool {
		p, ok := m.(*wire.Prepare)
		return ok && p.Header.ID() == want
	})
}

func (d *driver) prepareID(args traces.Args) wire.PrepareID {
	return wire.PrepareID{Op: wire.Op(args.Op), Checksum: d.names.ofModel[args.Checksum]}
}

// primaryCommit delivers the promises for the op, one after the other, until it commits; then
// the primary tells its backups.
func (d *driver) primaryCommit(r int, _ traces.Args) error {
	s := d.cluster.State(r)
	for _, from := range d.others(r) {
		p, ok := d.find(r, func(m wire.Message) bool {
			ok, is := m.(*wire.PrepareOK)
			return is && int(ok.Replica) == from && ok.View == s.View && ok.Op == s.CommitMax+1
		})
		if ok && d.cluster.State(r).CommitMax == s.CommitMax {
			d.handOver(p)
		}
	}
	d.cluster.Input(r, vsr.Tick{})
	return nil
}

func (d *driver) receiveCommit(r int, args traces.Args) error {
	view := d.cluster.State(r).View
	return d.deliver(r, fmt.Sprintf("commit %d", args.Commit), func(m wire.Message) bool {
		c, ok := m.(*wire.Commit)
		return ok && c.View == view && c.Commit == wire.Op(args.Commit)
	})
}

func (d *driver) walkExecute(r int, _ traces.Args) error {
	if d.cluster.Executes(r) == 0 {
		return fmt.Errorf("%s executes nothing", replicaName(r))
	}
	d.cluster.FinishExecute(r)
	return nil
}

// repairPrepare lets the replica ask until it asks one that holds the body, and delivers the
// answer.
func (d *driver) repairPrepare(r int, args traces.Args) error {
	want := d.prepareID(args)
	answer := func(m wire.Message) bool {
		p, ok := m.(*wire.RepairPrepare)
		return ok && p.Prepare.Header.ID() == want
	}
	for range ticksMax {
		if _, ok := d.find(r, answer); ok {
			return d.deliver(r, "repair_prepare "+args.Checksum, answer)
		}
		question, err := d.tickUntil(r, "request_prepares", d.others(r), func(m wire.Message) bool {
			q, ok := m.(*wire.RequestPrepares)
			return ok && int(q.Replica) == r && asks(q, want)
		})
		if err != nil {
			return err
		}
		d.cluster.Drop(question.Number)
		d.handOver(question)
		for d.cluster.Reads(question.To) > 0 {
			d.cluster.FinishRead(question.To, 0)
		}
	}
	return fmt.Errorf("%s asks only replicas without the body", replicaName(r))
}

func asks(q *wire.RequestPrepares, id wire.PrepareID) bool {
	i := int(id.Op) - int(q.FromOp)
	return i >= 0 && i < len(q.Wanted) && q.Wanted[i] == id.Checksum
}

func (d *driver) startViewChange(r int, _ traces.Args) error {
	d.cluster.Input(r, vsr.LeaveView{})
	d.finishWrites(r)
	return nil
}

func (d *driver) receiveStartViewChange(r int, args traces.Args) error {
	return d.deliver(r, "start_view_change", startViewChangeOf(args.View))
}

func startViewChangeOf(view uint32) func(wire.Message) bool {
	return func(m wire.Message) bool {
		_, ok := m.(*wire.StartViewChange)
		return ok && m.InView() == wire.View(view)
	}
}

// sendDoViewChange delivers who else wants the view, and lets the replica look at it.
func (d *driver) sendDoViewChange(r int, _ traces.Args) error {
	view := uint32(d.cluster.State(r).View)
	if err := d.deliver(r, "start_view_change", startViewChangeOf(view)); err != nil {
		return err
	}
	d.cluster.Input(r, vsr.Tick{})
	return nil
}

func (d *driver) mergeVotes(r int, args traces.Args) error {
	view := d.cluster.State(r).View
	for _, from := range args.Quorum {
		if from == r {
			continue
		}
		err := d.deliver(r, "do_view_change of "+replicaName(from), func(m wire.Message) bool {
			vote, ok := m.(*wire.DoViewChange)
			return ok && int(vote.Replica) == from && vote.View == view
		})
		if err != nil {
			return err
		}
	}
	d.cluster.Input(r, vsr.Tick{})
	for _, h := range d.happened {
		e := h.event
		if e.Action == vsr.ActionMergeVotes &&
			(e.Op != wire.Op(args.Op) || e.Commit != wire.Op(args.Commit)) {
			return fmt.Errorf("%s merges to head %d and commit %d, not to %d and %d",
				replicaName(r), e.Op, e.Commit, args.Op, args.Commit)
		}
	}
	return nil
}

// becomePrimary lets the new primary start, and tell its backups what it knows committed.
func (d *driver) becomePrimary(r int, _ traces.Args) error {
	d.cluster.Input(r, vsr.Tick{})
	d.finishWrites(r)
	if d.cluster.State(r).Status == vsr.StatusNormal {
		d.cluster.Input(r, vsr.Tick{})
	}
	return nil
}

func (d *driver) receiveStartView(r int, args traces.Args) error {
	return d.deliver(r, fmt.Sprintf("start_view of view %d", args.View),
		func(m wire.Message) bool {
			sv, ok := m.(*wire.StartView)
			return ok && sv.View == wire.View(args.View) && sv.Incarnation.IsZero()
		})
}

func (d *driver) restart(r int, _ traces.Args) error {
	d.cluster.Crash(r, nil)
	if err := d.cluster.Restart(r); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}

func (d *driver) answerProbe(r int, args traces.Args) error {
	if args.To == nil {
		return fmt.Errorf("the event names no replica that is answered")
	}
	prober := *args.To
	incarnation := d.cluster.State(prober).Incarnation
	probe, err := d.tickUntil(prober, "request_start_view", []int{r}, func(m wire.Message) bool {
		q, ok := m.(*wire.RequestStartView)
		return ok && int(q.Replica) == prober && q.Incarnation == incarnation
	})
	if err != nil {
		return err
	}
	d.handOver(probe)
	return nil
}

func (d *driver) recover(r int, args traces.Args) error {
	incarnation := d.cluster.State(r).Incarnation
	return d.deliver(r, fmt.Sprintf("answer of view %d", args.View), func(m wire.Message) bool {
		sv, ok := m.(*wire.StartView)
		return ok && sv.Incarnation == incarnation && sv.View == wire.View(args.View) &&
			len(sv.Headers) == int(args.Op) && sv.Commit == wire.Op(args.Commit)
	})
}
