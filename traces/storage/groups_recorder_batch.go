package storage

func (r *groupsRecorder) free() int { return r.g.config.Slots + r.base - r.written - 1 }

// groupsLeast are the batches for which there is always room, so that a node can move and boot.
const groupsLeast = 2

// think returns the records that are to be written next, if any.
func (r *groupsRecorder) think() []GroupsLineRecord {
	free := r.free()
	if r.written >= r.g.config.MaxBatch || free < 1 {
		return nil
	}
	if free == groupsLeast || free == 1 && r.unsaid {
		return r.move()
	}
	i := r.random.IntN(len(r.groups))
	switch g := &r.groups[i]; {
	case free < groupsLeast:
	case r.unsaid:
		return r.states()
	case r.random.IntN(5) == 0 || g.inDoubt || g.said.LogView > g.logView:
		if max(g.logView, g.said.LogView) < r.g.config.MaxView {
			return []GroupsLineRecord{{
				Group: i + 1, State: true, Op: g.history, LogView: max(g.logView, g.said.LogView) + 1,
			}}
		}
	case g.head < r.g.config.MaxOp && r.takes():
		return []GroupsLineRecord{{Group: i + 1, LogView: g.logView, Op: g.head + 1}}
	}
	return nil
}

// takes says whether the log has room for a prepare more, and for the state records of all groups.
func (r *groupsRecorder) takes() bool {
	pending := 0
	for i, g := range r.groups {
		for op := g.said.Checkpoint + 1; op <= r.g.config.MaxOp; op++ {
			if r.holds(i, op, r.base, r.written) {
				pending++
			}
		}
	}
	return pending+1+len(r.groups)+groupsLeast+1 <= r.g.config.Slots
}

// states are the state records of all groups.
func (r *groupsRecorder) states() (all []GroupsLineRecord) {
	for i := range r.groups {
		all = append(all, r.state(i))
	}
	return all
}

func (r *groupsRecorder) state(i int) GroupsLineRecord {
	g := &r.groups[i]
	return GroupsLineRecord{
		Group: i + 1, State: true, LogView: g.logView, Op: g.head, InDoubt: g.inDoubt,
	}
}

// move returns what of the oldest batch is nowhere else.
func (r *groupsRecorder) move() (all []GroupsLineRecord) {
	if r.base > r.synced {
		return nil
	}
	needed := false
	for i, g := range r.groups {
		for op := g.said.Checkpoint + 1; op <= r.g.config.MaxOp; op++ {
			if r.holds(i, op, r.base, r.base) && !r.holds(i, op, r.base+1, r.written) {
				all, needed = append(all, GroupsLineRecord{Group: i + 1, LogView: g.logView, Op: op}), true
			}
		}
		newest := r.newestState(i) == r.base
		needed = needed || newest
		if newest || r.unsaid {
			all = append(all, r.state(i))
		}
	}
	if !needed {
		return nil
	}
	return all
}

// holds says whether one of some batches has a body.
func (r *groupsRecorder) holds(i, op, first, last int) bool {
	for n := first; n <= last; n++ {
		for _, x := range r.batches[n] {
			if x.Group == i+1 && !x.State && x.Op == op {
				return true
			}
		}
	}
	return false
}

// newestState is the newest batch with a state record of a group; 0: none.
func (r *groupsRecorder) newestState(i int) int {
	for n := r.written; n >= r.base; n-- {
		for _, x := range r.batches[n] {
			if x.Group == i+1 && x.State {
				return n
			}
		}
	}
	return 0
}
