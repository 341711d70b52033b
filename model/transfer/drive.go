package transfer

import "github.com/viewstamp/viewstamp/model/explore"

// Drive is the model one step at a time, for those who compare another system with it: what a
// single replica may do in surroundings that they know.
type Drive struct{ machine *machine }

// NewDrive returns the model's steps under c.
// Errors: a configuration that Validate refuses.
func NewDrive(c Config) (*Drive, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Drive{newMachine(c)}, nil
}

// Entry returns the identity of the prepare that a primary of view v makes over below; zero if
// the bounds have none.
func (d *Drive) Entry(below Entry, v uint8) Entry {
	if int(v) > d.machine.MaxView {
		return 0
	}
	return d.machine.child[below][v]
}

// Length is the op of an entry.
func (d *Drive) Length(e Entry) uint8 { return d.machine.length[e] }

// Cut returns the entry at op n below e, or e itself if it is not above n.
func (d *Drive) Cut(e Entry, n int) Entry { return d.machine.cut[e][n] }

// Above returns the entries of a set that are of ops above n.
func (d *Drive) Above(set EntrySet, n uint8) EntrySet { return set & d.machine.above[n] }

// Text is an entry for people.
func (d *Drive) Text(e Entry) string { return d.machine.text(e) }

// Steps returns what a replica can make of s by one action.
func (d *Drive) Steps(s *State, kind ActionKind, replica int) []State {
	var all []State
	actionKinds[kind].step(d.machine, s, func(a Action, t State) {
		if int(a.Replica) == replica {
			all = append(all, t)
		}
	})
	return all
}

// Invariants are those that look at the state as it is: all but Admission and NoStall.
func (d *Drive) Invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range d.machine.invariants() {
		if p.Name != "Admission" && p.Name != "NoStall" {
			all = append(all, p)
		}
	}
	return all
}

// Add puts an entry into a set.
func (s *EntrySet) Add(e Entry) { s.add(e) }

// At returns the entry at op, zero if it is not known.
func (l *Log) At(op int) Entry { return l.at(op) }
