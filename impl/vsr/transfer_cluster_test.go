package vsr_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// away is a cluster whose replica 2 was down while the others committed ten ops, and released
// those up to op 8 with a checkpoint there. StartViews carry one header at least, checkpoints
// travel in pieces of 16 bytes. Replica 2 has booted again and asks for the view's log.
func away(t *testing.T, checkpoints sim.Checkpoints) *stage {
	t.Helper()
	if checkpoints.ChunkBytes == 0 {
		checkpoints.ChunkBytes = 16
	}
	s := newStageOf(t, sim.Config{Suffix: 1, Checkpoints: checkpoints})
	s.request(0)
	s.settle()
	s.tick(100)
	s.Crash(2, nil)
	for op := wire.Op(2); op <= 10; op++ {
		s.request(0)
		s.settle()
		s.tick(60)
		if op == 8 {
			s.checkpoint(0)
			s.checkpoint(1)
		}
	}
	require.NoError(t, s.Restart(2))
	return s
}

func (s *stage) checkpoint(replica int) {
	s.TakeCheckpoint(replica)
	s.settle()
}

// saw counts an event.
func (s *stage) saw(event string) int {
	n := 0
	for _, e := range s.events {
		if e == event {
			n++
		}
	}
	return n
}

// requireOneState demands that all have executed the log to op, to one state.
func (s *stage) requireOneState(op wire.Op) {
	s.t.Helper()
	s.requireCaughtUp(op)
	for r := range s.Replicas() {
		require.Equal(s.t, op, s.Applied(r), "replica %d", r)
		require.Equal(s.t, s.Machine(0).Checksum(), s.Machine(r).Checksum(), "replica %d", r)
	}
}

// What its peers have released a replica gets as a checkpoint; what lies above as prepares
// (R21).
func TestAReplicaThatWasAwayFetchesACheckpoint(t *testing.T) {
	t.Parallel()
	s := away(t, sim.Checkpoints{})
	s.tick(600)
	s.requireOneState(10)
	require.Equal(t, 1, s.saw("r2 StartTransfer"))
	require.Equal(t, 1, s.saw("r2 Install"))
	require.Zero(t, s.saw("r2 AbandonTransfer"))
	require.Equal(t, 3, s.saw("r2 WalkExecute"), "op 1 before its crash, ops 9 and 10 after")
	s.request(0)
	s.settle()
	s.tick(60)
	s.requireOneState(11)
}

// Each write that replica 2 does on its way back is one at which it may crash, with the write
// done or not. It comes back each time: the old log boots with an older or a newer checkpoint.
func TestATransferSurvivesACrashAtEachWrite(t *testing.T) {
	t.Parallel()
	for _, landed := range []bool{false, true} {
		t.Run(fmt.Sprintf("landed %v", landed), func(t *testing.T) {
			t.Parallel()
			for write := 1; ; write++ {
				s := away(t, sim.Checkpoints{})
				crashed := s.crashAtWrite(2, write, landed)
				s.tick(600)
				s.requireOneState(10)
				if !crashed {
					require.Greater(t, write, 10, "an adoption, the chunks, three of the install")
					return
				}
			}
		})
	}
}

// crashAtWrite lets up to 300 ticks pass and crashes the replica when the n-th of its writes
// would finish. It reports whether there were so many.
func (s *stage) crashAtWrite(replica, n int, landed bool) bool {
	finished := 0
	for ticks := 0; ticks < 300; {
		if s.Writes(replica) > 0 {
			if finished++; finished == n {
				s.Crash(replica, func(vsr.Input) bool { return landed })
				require.NoError(s.t, s.Restart(replica))
				return true
			}
			s.FinishWrite(replica, 0)
			continue
		}
		if !s.settleOne() {
			for r := range s.Replicas() {
				s.Input(r, vsr.Tick{})
			}
			ticks++
		}
	}
	return false
}

// chunkTo2 reports whether a packet brings replica 2 bytes of a checkpoint.
func chunkTo2(p sim.Packet) bool {
	m, ok := p.Message.(*wire.CheckpointChunk)
	return ok && p.To == 2 && !m.IsOffer()
}

// untilTwoPieces lets time pass until two pieces of a checkpoint have come to replica 2, and
// returns who has sent the second.
func (s *stage) untilTwoPieces() (sender int) {
	come := 0
	for ticks := 0; ticks < 300; {
		if packets := s.Packets(); len(packets) > 0 && chunkTo2(packets[0]) {
			p := packets[0]
			s.Drop(p.Number)
			s.Deliver(p)
			if come++; come == 2 {
				return p.From
			}
			continue
		}
		if !s.settleOne() {
			for r := range s.Replicas() {
				s.Input(r, vsr.Tick{})
			}
			ticks++
		}
	}
	s.t.Fatalf("%d pieces have come: expected 2", come)
	return 0
}

// A sender that dies is replaced by another that has the same checkpoint, behind the pieces
// that are here; if the bytes differ, from the first on.
func TestATransferGoesOnFromAnotherSender(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		salted bool
		want   uint64 // where the other begins
	}{
		"the same bytes: it goes on":      {want: 32},
		"other bytes: from the beginning": {salted: true, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := away(t, sim.Checkpoints{Salted: tc.salted})
			first := s.untilTwoPieces()
			other := 1 - first
			var offsets []uint64
			s.lost = func(p sim.Packet) bool {
				if m, ok := p.Message.(*wire.CheckpointChunk); ok && p.From == other && !m.IsOffer() {
					offsets = append(offsets, m.Offset)
				}
				return p.From == first && chunkTo2(p)
			}
			s.tick(1500)
			s.requireOneState(10)
			require.NotEmpty(t, offsets)
			if tc.salted {
				offsets = offsets[1:] // the one that told
			}
			require.Equal(t, tc.want, offsets[0])
			require.Positive(t, s.saw("r2 ResumeTransfer"))
			require.Equal(t, 1, s.saw("r2 Install"))
		})
	}
}

// Both senders have replaced the checkpoint meanwhile: their newer one is in the chain, too.
func TestAReplacedCheckpointIsGivenUpForTheNewerOne(t *testing.T) {
	t.Parallel()
	s := away(t, sim.Checkpoints{})
	s.untilTwoPieces()
	s.checkpoint(0)
	s.checkpoint(1)
	s.tick(1500)
	s.requireOneState(10)
	require.Equal(t, 2, s.saw("r2 StartTransfer"))
	require.Equal(t, 1, s.saw("r2 Install"))
	require.Equal(t, 1, s.saw("r2 WalkExecute"), "op 1: the checkpoint is at the head")
}

// Who retains what it serves is asked for all of it.
func TestARetainedCheckpointIsServedToItsEnd(t *testing.T) {
	t.Parallel()
	s := away(t, sim.Checkpoints{Retain: 1})
	s.untilTwoPieces()
	s.checkpoint(0)
	s.checkpoint(1)
	s.tick(1500)
	s.requireOneState(10)
	require.Equal(t, 1, s.saw("r2 StartTransfer"))
}

// A view change drops a fetch, and keeps the pieces: in the new view it goes on behind them.
func TestAViewChangeDropsAFetchAndKeepsItsPieces(t *testing.T) {
	t.Parallel()
	s := away(t, sim.Checkpoints{})
	s.untilTwoPieces()
	before := len(s.events)
	again := 0
	s.lost = func(p sim.Packet) bool {
		if m, ok := p.Message.(*wire.CheckpointChunk); ok && m.Offset == 0 && !m.IsOffer() {
			again++
		}
		return false
	}
	s.Input(1, vsr.LeaveView{})
	s.tick(1500)
	s.requireOneState(10)
	events := s.events[before:]
	require.Contains(t, events, "r2 AbandonTransfer")
	require.Contains(t, events, "r2 ResumeTransfer")
	require.Less(t, slices.Index(events, "r2 AbandonTransfer"),
		slices.Index(events, "r2 ResumeTransfer"))
	require.Zero(t, again, "no piece comes a second time")
	require.Equal(t, vsr.Transfers{Started: 2, Finished: 1, Abandoned: 1, Resumed: 1},
		s.Core(2).Transfers())
}

// A piece that rots is found out before anything is installed; the transfer begins anew.
func TestARottenCheckpointIsNotInstalled(t *testing.T) {
	t.Parallel()
	rotten := 3
	s := away(t, sim.Checkpoints{Rot: func() bool { rotten--; return rotten == 0 }})
	s.tick(1500)
	s.requireOneState(10)
	require.Equal(t, 2, s.saw("r2 StartTransfer"))
	require.Equal(t, 1, s.saw("r2 AbandonTransfer"))
	require.Equal(t, 1, s.saw("r2 Install"))
}

// An elect needs what the others have released: it makes the merged log durable first, so that
// the checkpoint is in the chain of the log that its log view speaks for, and starts its view
// afterwards (R13; mutant elect_never_transfers of Transfer.tla).
func TestANewPrimaryTransfersBeforeItStarts(t *testing.T) {
	t.Parallel()
	s := away(t, sim.Checkpoints{})
	s.lost = func(p sim.Packet) bool { // replica 2 hears of no view before its own, view 2
		_, startView := p.Message.(*wire.StartView)
		return startView && p.Message.InView() < 2 && p.To == 2
	}
	for view := range 2 {
		s.Input(1, vsr.LeaveView{})
		s.tick(3 + view)
	}
	s.tick(3000)
	s.requireOneState(10)
	require.Equal(t, wire.View(2), s.State(2).View%3)
	install := slices.Index(s.events, "r2 Install")
	require.Positive(t, install)
	require.Greater(t, slices.Index(s.events, "r2 BecomePrimary"), install)
}
