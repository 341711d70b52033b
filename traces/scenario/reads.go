package scenario

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// read asks a replica for the register that all requests write (R19).
func (s *stage) read(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	if !s.cluster.Up(r) {
		return fmt.Errorf("read r%d: it is down", r)
	}
	level := vsr.ReadLinearizable
	if _, local := c.lookup("local"); local {
		level = vsr.ReadLocal
	}
	s.reads++
	s.cluster.Input(r, vsr.ReadRequest{ID: s.reads, Level: level})
	return nil
}

func (s *stage) onRead(replica int, ready vsr.ReadReady) {
	result := s.cluster.Machine(replica).Execute(&wire.Prepare{
		Header: wire.PrepareHeader{Operation: statemachine.RegisterRead},
		Body:   statemachine.RegisterBody(1),
	})
	_, value, _ := statemachine.ParseRegisterResult(result)
	s.print("r%d read %d %s: value=%d", replica, ready.ID, ready.Level, value)
}

func (s *stage) onReadRefused(replica int, refused vsr.ReadRefused) {
	s.print("r%d read %d refused: %s", replica, refused.ID, refused.Reason)
}
