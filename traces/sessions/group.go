package sessions

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/sessions"
)

// Table is what the model is compared with: [clienttable.Table], or one with a defect.
type Table interface {
	Op() wire.Op
	Capacity() int
	Rows() iter.Seq2[int, clienttable.Row]
	Execute(op wire.Op, m clienttable.Message) clienttable.Result
	Complete(op wire.Op, body []byte) clienttable.Answer
	Answer(m clienttable.Message) clienttable.Answer
	AppendSnapshot(dst []byte) []byte
}

// Maker makes tables.
type Maker struct {
	New     func(c clienttable.Config) Table
	Restore func(c clienttable.Config, snapshot []byte) (Table, error)
}

// Production makes the tables that run.
func Production() Maker {
	return Maker{
		New: func(c clienttable.Config) Table { return clienttable.New(c) },
		Restore: func(c clienttable.Config, snapshot []byte) (Table, error) {
			return clienttable.Restore(c, snapshot)
		},
	}
}

// Counts says how much was compared. A comparison that counted nothing showed nothing.
type Counts struct {
	// Steps are those of the walks, Executed the requests that the tables executed, Restored
	// the tables that came out of a snapshot.
	Steps, Executed, Restored int
	// Answers and Rows are those that were compared, Snapshots the pairs of equal ones.
	Answers, Rows, Snapshots int
}

// Group has the tables of the model's replicas.
type Group struct {
	Counts
	// RoundTrip sends each table through its snapshot after every op that it executes.
	RoundTrip bool

	config     clienttable.Config
	maker      Maker
	observer   model.Observer
	tables     []Table
	checkpoint []byte
	snapshots  [][]byte // of the tables, scratch
}

// NewGroup returns the tables of a model's initial state.
func NewGroup(c model.Config, maker Maker) *Group {
	g := &Group{config: configOf(c), maker: maker, observer: model.NewObserver(c)}
	for range c.N {
		g.tables = append(g.tables, maker.New(g.config))
	}
	g.checkpoint = g.tables[0].AppendSnapshot(nil)
	g.snapshots = make([][]byte, c.N)
	return g
}

// Follow takes the steps of a path, of the model with g's configuration, from its initial state
// on. The error is a [*Mismatch] where the tables differ from the model.
func (g *Group) Follow(path []explore.Step[model.State, model.Action]) error {
	for i := range path {
		if i > 0 {
			g.Steps++
			if m := g.act(path[i].Action, &path[i].State); m != nil {
				return m.at(i, path[i].Action)
			}
		}
		if m := g.compare(&path[i].State); m != nil {
			return m.at(i, path[i].Action)
		}
	}
	return nil
}

// act does what an action does to the tables. s is the model's state after it.
func (g *Group) act(a model.Action, s *model.State) *Mismatch {
	r := int(a.Replica)
	switch a.Kind {
	case model.Execute:
		return g.execute(r, s)
	case model.CheckpointTable:
		g.checkpoint = g.tables[0].AppendSnapshot(nil)
		made, m := g.restore(0, g.checkpoint)
		if m != nil {
			return m
		}
		return g.compareRows(0, made, s.CheckpointOp, &s.CheckpointTable)
	case model.RestartReplica:
		return g.install(0)
	case model.InstallTable:
		return g.install(r)
	case model.CommitMessage, model.ProposeCapacity, model.Register, model.TakeSession,
		model.LearnTaken, model.IntruderRegister, model.SendRequest, model.ForeignRequest,
		model.TakeAnswer, model.LearnOver, model.Logout:
	}
	return nil
}

// execute lets replica r execute its next op.
func (g *Group) execute(r int, s *model.State) *Mismatch {
	t, op := g.tables[r], s.CommitMin[r]
	message := g.observer.Committed(s, op)
	m := messageOf(message)
	done := t.Execute(wire.Op(op), m)
	executed := done.Outcome == clienttable.Execute
	if executed {
		g.Executed++
		done.Answer = t.Complete(wire.Op(op), bodyOf(message.Payload, op))
	}
	if want := g.observer.Executed(s, op); executed != want {
		return differ(r, fmt.Sprintf("%v at op %d executes", message, op), want, executed)
	}
	var endings []model.Ending
	for _, e := range done.Ended {
		endings = append(endings, endOf(e))
	}
	if want := fmt.Sprint(g.observer.Endings(s, op)); fmt.Sprint(sorted(endings)) != want {
		return differ(r, fmt.Sprintf("sessions that op %d ended", op), want,
			fmt.Sprint(sorted(endings)))
	}
	if m.Kind != clienttable.Resize { // Who asked hears what who asks again hears.
		got, err := answerOf(done.Answer, message)
		if want := g.observer.Answer(s, r, message); err != nil || got != want {
			return differ(r, fmt.Sprintf("answer of executing %v", message), want,
				describe(got, err))
		}
	}
	if !g.RoundTrip {
		return nil
	}
	made, mismatch := g.restore(r, t.AppendSnapshot(nil))
	g.tables[r] = made
	return mismatch
}

// install gives replica r the table of the checkpoint.
func (g *Group) install(r int) *Mismatch {
	made, m := g.restore(r, g.checkpoint)
	g.tables[r] = made
	return m
}

func (g *Group) restore(r int, snapshot []byte) (Table, *Mismatch) {
	made, err := g.maker.Restore(g.config, snapshot)
	if err != nil {
		return g.tables[r], differ(r, "snapshot", "one that can be restored", err.Error())
	}
	g.Restored++
	if again := made.AppendSnapshot(nil); !bytes.Equal(again, snapshot) {
		return made, differ(r, "snapshot of the restored table",
			fmt.Sprintf("%x", snapshot), fmt.Sprintf("%x", again))
	}
	return made, nil
}
