package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// clusterCommands are the commands for cores; doc.go describes them.
var clusterCommands = map[string]func(s *stage, c command) error{
	"cluster":    (*stage).start,
	"request":    (*stage).request,
	"read":       (*stage).read,
	"drop":       (*stage).drop,
	"delay":      (*stage).delay,
	"duplicate":  (*stage).duplicate,
	"deliver":    (*stage).deliver,
	"heal":       func(s *stage, _ command) error { s.drops = nil; return nil },
	"hold":       (*stage).hold,
	"release":    (*stage).release,
	"settle":     func(s *stage, _ command) error { return s.settle() },
	"tick":       (*stage).tick,
	"leave":      (*stage).leave,
	"elect":      (*stage).elect,
	"crash":      (*stage).crash,
	"restart":    (*stage).restart,
	"wipe":       (*stage).wipe,
	"rot":        (*stage).rot,
	"checkpoint": (*stage).checkpoint,
	"state":      func(s *stage, _ command) error { s.state(); return nil },
	"check":      (*stage).check,
}

func commandNames() string {
	names := slices.Sorted(maps.Keys(clusterCommands))
	names = append(names, slices.Sorted(maps.Keys(partitionCommands))...)
	return strings.Join(names, ", ")
}

// lookup returns the value of an argument.
func (c command) lookup(key string) (string, bool) {
	for _, a := range c.args {
		if a.key == key {
			return a.value, true
		}
	}
	return "", false
}

// number returns a numeric argument, or its default.
func (c command) number(key string, otherwise int) (int, error) {
	text, ok := c.lookup(key)
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%s: expected a number", key, text)
	}
	return n, nil
}

// replica returns the replica that the command's first argument names.
func (s *stage) replica(c command) (int, error) {
	if len(c.args) == 0 {
		return 0, fmt.Errorf("%s: expected a replica, r0 to r%d", c.name, s.cluster.Replicas()-1)
	}
	return s.parseReplica(c.args[0].key)
}

func (s *stage) parseReplica(text string) (int, error) {
	for r := range s.cluster.Replicas() {
		if text == fmt.Sprintf("r%d", r) {
			return r, nil
		}
	}
	return 0, fmt.Errorf("replica %q: expected r0 to r%d", text, s.cluster.Replicas()-1)
}

// optionalReplica returns the replica of an argument, or -1.
func (s *stage) optionalReplica(c command, key string) (int, error) {
	text, ok := c.lookup(key)
	if !ok {
		return -1, nil
	}
	return s.parseReplica(text)
}

func (s *stage) request(c command) error {
	n, err := c.number("n", 1)
	if err != nil {
		return err
	}
	to, err := s.optionalReplica(c, "to")
	if err != nil {
		return err
	}
	if to < 0 {
		if to = s.primary(); to < 0 {
			return fmt.Errorf("request: no replica is a primary; expected to=rI")
		}
	}
	for range n {
		s.requests++
		s.cluster.Request(to, &wire.Request{
			Cluster: sim.ClusterID, Client: wire.ClientID{Lo: 1}, Session: 1,
			Number: wire.RequestNumber(s.requests), Operation: statemachine.RegisterWrite,
			Body: statemachine.RegisterBody(1, uint64(s.requests)),
		})
	}
	return nil
}

// primary returns the normal primary of the newest view, or -1.
func (s *stage) primary() int {
	best, view := -1, wire.View(0)
	for r := range s.cluster.Replicas() {
		if !s.cluster.Up(r) {
			continue
		}
		state := s.cluster.State(r)
		leads := state.Status == vsr.StatusNormal && int(state.View)%s.cluster.Replicas() == r
		if leads && (best < 0 || state.View > view) {
			best, view = r, state.View
		}
	}
	return best
}

func (s *stage) tick(c command) error {
	n, err := c.number("n", 1)
	if err != nil {
		return err
	}
	return s.tickAll(n)
}

func (s *stage) tickAll(n int) error {
	for range n {
		for r := range s.cluster.Replicas() {
			s.cluster.Input(r, vsr.Tick{})
		}
		if err := s.settle(); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) leave(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	if !s.cluster.Up(r) {
		return fmt.Errorf("leave r%d: it is down", r)
	}
	s.cluster.Input(r, vsr.LeaveView{})
	return s.settle()
}

// electTicks bounds a view change that runs without losses: vote, merge, repair, start.
const electTicks = 100

func (s *stage) elect(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	if !s.cluster.Up(r) {
		return fmt.Errorf("elect r%d: it is down", r)
	}
	n := s.cluster.Replicas()
	for range n {
		s.cluster.Input(r, vsr.LeaveView{})
		for s.cluster.Writes(r) > 0 {
			s.cluster.FinishWrite(r, 0)
		}
		if int(s.cluster.State(r).View)%n == r {
			break
		}
	}
	if err := s.settle(); err != nil {
		return err
	}
	for range electTicks {
		if s.down != "" || s.primary() == r {
			return nil
		}
		if err := s.tickAll(1); err != nil {
			return err
		}
	}
	s.print("r%d is no primary after %d ticks", r, electTicks)
	return nil
}

func (s *stage) crash(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	if !s.cluster.Up(r) {
		return fmt.Errorf("crash r%d: it is down", r)
	}
	s.cluster.Crash(r, nil)
	s.print("r%d crashed", r)
	return nil
}

func (s *stage) restart(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	return s.cluster.Restart(r)
}

func (s *stage) state() {
	for r := range s.cluster.Replicas() {
		if !s.cluster.Up(r) {
			s.print("r%d down", r)
			continue
		}
		state := s.cluster.State(r)
		role := "backup"
		if int(state.View)%s.cluster.Replicas() == r {
			role = "primary"
		}
		text := fmt.Sprintf("r%d %s %s view=%d log_view=%d op_head=%d commit=%d/%d", r,
			state.Status, role, state.View, state.LogView, state.OpHead, state.CommitMin,
			state.CommitMax)
		if len(state.Hollow) > 0 {
			text += fmt.Sprintf(" hollow=%v", state.Hollow)
		}
		if state.Stop != vsr.StopCaughtUp {
			text += " stop=" + state.Stop.String()
		}
		s.print("%s", text)
	}
}
