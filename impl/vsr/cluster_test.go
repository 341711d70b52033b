package vsr_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// stage is a cluster whose packets the test drops or delivers, with the events that happened.
type stage struct {
	*sim.Cluster
	t       *testing.T
	events  []string
	replies []*wire.Reply
	number  wire.RequestNumber
	// lost says which packets never arrive.
	lost func(sim.Packet) bool
}

func newStage(t *testing.T, defects vsr.Defects) *stage {
	t.Helper()
	return newStageOf(t, sim.Config{Defects: defects})
}

// newStageOf fills in what every stage has.
func newStageOf(t *testing.T, config sim.Config) *stage {
	t.Helper()
	s := &stage{t: t, lost: func(sim.Packet) bool { return false }}
	c, err := sim.NewCluster(sim.Config{
		Seed: 1, Replicas: 3, Timers: vsr.DefaultTimers(), Defects: config.Defects,
		Machine: statemachine.NewRegister,
		Suffix:  config.Suffix, Checkpoints: config.Checkpoints,
		OnEvent: func(replica int, e vsr.Event) {
			if !e.Stutter {
				s.events = append(s.events, fmt.Sprintf("r%d %s", replica, e.Action))
			}
		},
		OnReply: func(_ int, reply *wire.Reply) { s.replies = append(s.replies, reply) },
	})
	require.NoError(t, err)
	s.Cluster = c
	return s
}

// settle finishes whatever is under way, and what comes of it, without a tick.
func (s *stage) settle() {
	for range 100_000 {
		if !s.settleOne() {
			return
		}
	}
	s.t.Fatal("the cluster does not settle")
}

func (s *stage) settleOne() bool {
	for r := range s.Replicas() {
		switch {
		case s.Writes(r) > 0:
			s.FinishWrite(r, 0)
			return true
		case s.Executes(r) > 0:
			s.FinishExecute(r)
			return true
		case s.Reads(r) > 0:
			s.FinishRead(r, 0)
			return true
		}
	}
	if len(s.Packets()) == 0 {
		return false
	}
	p := s.Packets()[0]
	s.Drop(p.Number)
	if !s.lost(p) {
		s.Deliver(p)
	}
	return true
}

// tick lets time pass at every replica, n ticks, and settles after each.
func (s *stage) tick(n int) {
	for range n {
		for r := range s.Replicas() {
			s.Input(r, vsr.Tick{})
		}
		s.settle()
	}
}

// stepWithout does one thing of what is under way, but none of a replica's writes; a tick passes
// if nothing else is.
func (s *stage) stepWithout(replica int) {
	for r := range s.Replicas() {
		if r != replica && s.Writes(r) > 0 {
			s.FinishWrite(r, 0)
			return
		}
	}
	if len(s.Packets()) > 0 {
		p := s.Packets()[0]
		s.Drop(p.Number)
		s.Deliver(p)
		return
	}
	for r := range s.Replicas() {
		s.Input(r, vsr.Tick{})
	}
}

// request sends a write of the next number as value to a replica.
func (s *stage) request(replica int) {
	s.number++
	s.Request(replica, &wire.Request{
		Cluster: sim.ClusterID, Client: wire.ClientID{Lo: 7}, Session: 1, Number: s.number,
		Operation: statemachine.RegisterWrite,
		Body:      statemachine.RegisterBody(1, uint64(s.number)),
	})
}

func (s *stage) requireCaughtUp(op wire.Op) {
	s.t.Helper()
	for r := range s.Replicas() {
		if !s.Up(r) {
			continue
		}
		state := s.State(r)
		require.Equal(s.t, vsr.StatusNormal, state.Status, "replica %d", r)
		require.Equal(s.t, op, state.OpHead, "replica %d", r)
		require.Equal(s.t, op, state.CommitMin, "replica %d", r)
		require.Empty(s.t, state.Hollow, "replica %d", r)
	}
}
