package vsr

import "slices"

// viewMessages is what was sent in one view and can still be acted on: the view's
// share of the spec's prepares, prepare_oks, commits, start_view_changes,
// do_view_changes and start_views. It is immutable once its state was yielded.
type viewMessages struct {
	view             View
	commit           Op
	startViewChanges ReplicaSet
	prepares         EntrySet
	// prepareOKs holds, per sender, what it acknowledged.
	prepareOKs [NMax]EntrySet
	// votes holds the vote of each replica, nil if it sent none: while a vote is there,
	// its sender sends no second one.
	votes      [NMax]*Vote
	startViews []StartView // A set: ascending, without duplicates.
}

// noMessages stands for a view in which nothing was sent; never written.
var noMessages viewMessages

// messages returns what was sent in view v, to be read only.
func (s *State) messages(v View) *viewMessages {
	for _, m := range s.network {
		if m.view == v {
			return m
		}
	}
	return &noMessages
}

// editMessages gives s a copy of the network and returns the messages of view v in
// it, to be written before s is yielded. The caller adds something: a view without
// messages must not stay in the network.
func (s *State) editMessages(v View) *viewMessages {
	i := 0
	for i < len(s.network) && s.network[i].view < v {
		i++
	}
	fresh := &viewMessages{view: v}
	rest := s.network[i:]
	if len(rest) > 0 && rest[0].view == v {
		*fresh = *rest[0]
		rest = rest[1:]
	}
	network := make([]*viewMessages, 0, i+1+len(rest))
	network = append(network, s.network[:i]...)
	network = append(network, fresh)
	s.network = append(network, rest...)
	return fresh
}

func (m *viewMessages) empty() bool {
	for r := range NMax {
		if len(m.prepareOKs[r]) > 0 || m.votes[r] != nil {
			return false
		}
	}
	return m.commit == 0 && m.startViewChanges == 0 && len(m.prepares) == 0 &&
		len(m.startViews) == 0
}

// prepareOKUseful is the spec's PrepareOKUseful: somebody counts a PrepareOK of v.
func (s *State) prepareOKUseful(v View) bool {
	p := s.primaryOf(v)
	return s.status[p] == StatusNormal && s.view[p] == v
}

// voteUseful is the spec's VoteUseful: somebody counts a vote for v.
func (s *State) voteUseful(v View) bool {
	p := s.primaryOf(v)
	return s.view[p] < v || s.view[p] == v && s.status[p] == StatusViewChange
}

// lowestView is the lowest view that a replica is in: older messages are garbage.
func (s *State) lowestView() View {
	return slices.Min(s.view[:s.n])
}

// collectGarbage is the spec's Gc: it removes from s, whose views and statuses are
// those of the next state, every message that no replica can act on any more.
func (s *State) collectGarbage() {
	low := s.lowestView()
	for i, m := range s.network {
		if kept := s.useful(m, low); kept != m {
			s.rebuildNetwork(low, i, kept)
			return
		}
	}
}

// rebuildNetwork cleans all views: those before the first dirty one have no garbage,
// and kept is what is left of that one.
func (s *State) rebuildNetwork(low View, dirty int, kept *viewMessages) {
	network := make([]*viewMessages, dirty, len(s.network))
	copy(network, s.network)
	if kept != nil {
		network = append(network, kept)
	}
	for _, m := range s.network[dirty+1:] {
		if kept := s.useful(m, low); kept != nil {
			network = append(network, kept)
		}
	}
	s.network = network
}

// useful returns m itself if it has no garbage, a copy without it, or nil if nothing
// is left.
func (s *State) useful(m *viewMessages, low View) *viewMessages {
	old := m.view < low && (m.commit != 0 || m.startViewChanges != 0 ||
		len(m.prepares) > 0 || len(m.startViews) > 0)
	dropOKs, dropVotes := false, false
	for r := range s.n {
		dropOKs = dropOKs || len(m.prepareOKs[r]) > 0
		dropVotes = dropVotes || m.votes[r] != nil
	}
	dropOKs = dropOKs && !s.prepareOKUseful(m.view)
	dropVotes = dropVotes && !s.voteUseful(m.view)
	if !old && !dropOKs && !dropVotes {
		if m.empty() {
			return nil
		}
		return m
	}
	kept := *m
	if old {
		kept.commit, kept.startViewChanges = 0, 0
		kept.prepares, kept.startViews = nil, nil
	}
	if dropOKs {
		kept.prepareOKs = [NMax]EntrySet{}
	}
	if dropVotes {
		kept.votes = [NMax]*Vote{}
	}
	if kept.empty() {
		return nil
	}
	return &kept
}

// sendPrepareOK is the spec's SendPrepareOK: r acknowledges entry e in view v.
func (s *State) sendPrepareOK(r int, v View, e Entry) {
	if !s.prepareOKUseful(v) || s.messages(v).prepareOKs[r].Has(e) {
		return
	}
	m := s.editMessages(v)
	m.prepareOKs[r] = m.prepareOKs[r].with(e)
}
