package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/sessions"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// sessionsSubject is the subject of a cfg of module Sessions.
func sessionsSubject(cfg spec.Cfg) (subject, error) {
	config, err := SessionsConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[sessions.State, sessions.Action]{model: sessions.Model(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[sessions.State, sessions.Action]) {}
	for _, call := range sessions.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// SessionsConfig returns the constants of a cfg of module Sessions as the Go model
// takes them.
func SessionsConfig(cfg spec.Cfg) (sessions.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := sessions.Config{
		N: r.number("N"), Clients: r.number("Clients"), Capacity: r.number("Capacity"),
		Ring: r.number("Ring"), Window: r.number("Window"), MaxOp: r.number("MaxOp"),
		MaxRegister: r.number("MaxRegister"), MaxRequest: r.number("MaxRequest"),
		MaxRestart: r.number("MaxRestart"), MaxCapacity: r.number("MaxCapacity"),
		Logouts: r.truth("Logouts"), Misuse: r.truth("Misuse"),
		Intruders: r.truth("Intruders"), Transfers: r.truth("Transfers"),
	}
	shape, err := sessions.ParseShape(r.text("Shape"))
	if r.err == nil {
		r.err = err
	}
	config.Shape = shape
	for _, bug := range r.bugs() {
		config.Bugs = append(config.Bugs, sessions.Bug(bug))
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return sessions.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
