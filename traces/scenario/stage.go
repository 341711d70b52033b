package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// settleMax bounds what one settle may take.
const settleMax = 100_000

// stage is what a scenario runs on: a cluster of cores or a partition of logs.
type stage struct {
	cluster   *sim.Cluster
	partition *PartitionCluster
	out       []string
	drops     []filter
	rules     []rule
	late      []sim.Packet // kept back by rules, oldest first
	held      map[held]bool
	reads     uint64
	down      string // why the cluster is over: a core contradicted itself
	requests  int
	answered  map[wire.RequestNumber]bool
	quiet     bool              // events are not printed
	votes     map[string]string // by replica and view: the vote's frame
	second    []string          // second votes, in words
}

// filter says which packets a rule is about.
type filter struct {
	command  string
	from, to int // -1: any
	op       uint64
}

func (f filter) matches(p sim.Packet) bool {
	command := f.command == "any" || f.command == p.Message.Command().String()
	return command && (f.from < 0 || f.from == p.From) && (f.to < 0 || f.to == p.To) &&
		(f.op == 0 || f.op == opOf(p.Message))
}

// held is a part of a replica that stands still: its machine, its disk or its reads.
type held struct {
	replica int
	what    string
}

// run carries out the commands of one block and returns their output.
func (s *stage) run(path string, commands []command) ([]string, error) {
	s.out = nil
	for _, c := range commands {
		if err := s.do(c); err != nil {
			return nil, &FormatError{path, c.line, err.Error()}
		}
	}
	if len(s.out) == 0 {
		s.out = []string{"ok"}
	}
	return s.out, nil
}

func (s *stage) print(format string, args ...any) {
	s.out = append(s.out, fmt.Sprintf(format, args...))
}

// do carries out one command. A core that contradicts itself ends the cluster, in words.
func (s *stage) do(c command) (err error) {
	if handler, known := partitionCommands[c.name]; known {
		return handler(s, c)
	}
	handler, known := clusterCommands[c.name]
	if !known {
		return fmt.Errorf("command %q: expected one of %s", c.name, commandNames())
	}
	if s.cluster == nil && c.name != "cluster" {
		return fmt.Errorf("command %q: expected cluster first", c.name)
	}
	if s.down != "" && c.name != "cluster" {
		s.print("%s: the cluster is down: %s", c.name, s.down)
		return nil
	}
	_, s.quiet = c.lookup("quiet")
	defer func() {
		if r := recover(); r != nil {
			s.down, _, _ = strings.Cut(fmt.Sprint(r), ";")
			s.print("panic: %s", s.down)
			err = nil
		}
	}()
	return handler(s, c)
}

func (s *stage) start(c command) error {
	defects := vsr.Defects(0)
	if name, ok := c.lookup("mutant"); ok {
		d, err := vsr.ParseDefect(name)
		if err != nil {
			return err
		}
		defects = d
	}
	replicas, err := c.number("replicas", 3)
	if err != nil {
		return err
	}
	suffix, err := c.number("suffix", 0)
	if err != nil {
		return err
	}
	chunk, err := c.number("chunk", 1<<20)
	if err != nil {
		return err
	}
	*s = stage{
		out: s.out, held: map[held]bool{}, votes: map[string]string{},
		answered: map[wire.RequestNumber]bool{},
	}
	cluster, err := sim.NewCluster(sim.Config{
		Seed: 1, Replicas: replicas, Timers: vsr.DefaultTimers(), Defects: defects,
		Suffix: suffix, Checkpoints: sim.Checkpoints{ChunkBytes: chunk},
		Machine: statemachine.NewRegister, OnEvent: s.onEvent, OnReply: s.onReply,
		OnRead: s.onRead, OnReadRefused: s.onReadRefused,
	})
	if err != nil {
		return err
	}
	s.cluster = cluster
	s.state()
	return nil
}

// settle delivers and finishes what is under way, first come first served.
func (s *stage) settle() error {
	for range settleMax {
		if !s.settleOne() {
			return nil
		}
	}
	return fmt.Errorf("the cluster does not settle within %d steps", settleMax)
}

func (s *stage) settleOne() bool {
	for r := range s.cluster.Replicas() {
		switch {
		case s.cluster.Writes(r) > 0 && !s.held[held{r, "disk"}]:
			s.cluster.FinishWrite(r, 0)
			return true
		case s.cluster.Reads(r) > 0 && !s.held[held{r, "reads"}]:
			s.cluster.FinishRead(r, 0)
			return true
		case s.cluster.Executes(r) > 0 && !s.held[held{r, "machine"}]:
			s.cluster.FinishExecute(r)
			return true
		}
	}
	packets := s.cluster.Packets()
	if len(packets) == 0 {
		return false
	}
	p := packets[0]
	s.cluster.Drop(p.Number)
	s.watchVote(p)
	if s.dropped(p) {
		if interesting(p.Message) && !s.quiet {
			s.print("%s dropped", packetText(p))
		}
		return true
	}
	if s.kept(p) {
		return true
	}
	s.cluster.Deliver(p)
	return true
}

func (s *stage) dropped(p sim.Packet) bool {
	return slices.ContainsFunc(s.drops, func(f filter) bool { return f.matches(p) })
}

// opOf is the op that a message speaks of, 0 if of none.
func opOf(m wire.Message) uint64 {
	switch m := m.(type) {
	case *wire.Prepare:
		return uint64(m.Header.Op)
	case *wire.RepairPrepare:
		return uint64(m.Prepare.Header.Op)
	case *wire.PrepareOK:
		return uint64(m.Op)
	case *wire.Request, *wire.Reply, *wire.Commit, *wire.StartViewChange, *wire.DoViewChange,
		*wire.StartView, *wire.RequestStartView, *wire.RequestPrepares, *wire.ConfirmView,
		*wire.ConfirmViewOK, *wire.RequestCheckpoint, *wire.CheckpointChunk:
	}
	return 0
}

// interesting says whether the loss of a message is worth a line: heartbeats and repeated
// questions are not.
func interesting(m wire.Message) bool { return opOf(m) != 0 }

func packetText(p sim.Packet) string {
	text := fmt.Sprintf("r%d -> r%d %s", p.From, p.To, p.Message.Command())
	if op := opOf(p.Message); op != 0 {
		text += fmt.Sprintf(" op=%d", op)
	}
	return text
}

// watchVote notes each DoViewChange: a replica has one vote a view (seed 004).
func (s *stage) watchVote(p sim.Packet) {
	vote, ok := p.Message.(*wire.DoViewChange)
	if !ok {
		return
	}
	key := fmt.Sprintf("r%d in view %d", vote.Replica, vote.View)
	first, voted := s.votes[key]
	s.votes[key] = string(p.Frame)
	if voted && first != string(p.Frame) {
		s.second = append(s.second, key)
		s.print("r%d votes a second time in view %d, now with head %d", vote.Replica, vote.View,
			len(vote.Headers))
	}
}

func (s *stage) onReply(_ int, reply *wire.Reply) {
	if reply.Status == 0 {
		s.answered[reply.Number] = true
	}
}

func (s *stage) onEvent(replica int, e vsr.Event) {
	if text := eventText(e); text != "" && !s.quiet {
		s.print("r%d %s", replica, text)
	}
}

// eventText is an event for the output: all actions, and how prepares were admitted unless
// that is plain from the action which follows.
func eventText(e vsr.Event) string {
	switch e.Action { //nolint:exhaustive // the others are about one op
	case vsr.EventRefuse:
		return ""
	case vsr.EventAdmit:
		if e.Class == vsr.AdmitNext || e.Class == vsr.RefuseDuplicate {
			return ""
		}
		return fmt.Sprintf("admit op=%d %s", e.Op, e.Class)
	case vsr.ActionMergeVotes:
		return fmt.Sprintf("%s view=%d quorum=%v op=%d commit=%d", e.Action, e.View, e.Quorum,
			e.Op, e.Commit)
	case vsr.ActionBecomePrimary, vsr.ActionReceiveStartView, vsr.ActionRecover:
		return fmt.Sprintf("%s view=%d op_head=%d commit=%d hollow=%v", e.Action, e.View,
			e.After.OpHead, e.After.CommitMax, e.After.Hollow)
	case vsr.ActionRestart:
		return fmt.Sprintf("%s view=%d log_view=%d op_head=%d", e.Action, e.After.View,
			e.After.LogView, e.After.OpHead)
	case vsr.ActionReceiveCommit:
		return fmt.Sprintf("%s commit=%d", e.Action, e.Commit)
	case vsr.ActionAnswerProbe:
		return fmt.Sprintf("%s to=r%d op_head=%d commit=%d", e.Action, e.To, e.Op, e.Commit)
	case vsr.ActionStartViewChange, vsr.ActionReceiveStartViewChange,
		vsr.ActionSendDoViewChange:
		return fmt.Sprintf("%s view=%d", e.Action, e.View)
	}
	return string(e.Action) + " op=" + strconv.FormatUint(uint64(e.Op), 10)
}
