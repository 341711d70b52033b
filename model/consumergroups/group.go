package consumergroups

import "slices"

// share is ConsumerGroups!Share: the partitions of the member at a place, from 0.
func (m *machine) share(g *Group, place int) uint8 {
	n := int(g.Count)
	if m.bugs.has(ShareCountsDeparted) {
		n = int(g.Last)
	}
	var share uint8
	for p := 1; p <= int(g.Partitions); p++ {
		if (p-place-1)%n == 0 {
			share |= 1 << (p - 1)
		}
	}
	return share
}

// shares is ConsumerGroups!Shares, as what is noted of an op.
func (m *machine) shares(g *Group, op uint8) Deal {
	var all []Share
	for i := range int(g.Count) {
		all = append(all, Share{Client: g.Members[i].Client, Partitions: m.share(g, i)})
	}
	slices.SortFunc(all, func(a, b Share) int {
		return 256*(int(a.Client)-int(b.Client)) + int(a.Partitions) - int(b.Partitions)
	})
	all = slices.Compact(all)
	d := Deal{Op: op, Generation: g.Generation, Count: uint8(len(all))}
	copy(d.Shares[:], all)
	return d
}

// dealt is ConsumerGroups!Dealt: the partitions are dealt out anew.
func (m *machine) dealt(g *Group, keeps Bug) {
	switch {
	case m.bugs.has(GenerationIsSize):
		g.Generation = g.Count
	case !m.bugs.has(keeps):
		g.Generation++
	}
}

// join is ConsumerGroups!Join: the client is the last member.
func (m *machine) join(g *Group, client uint8) {
	if g.place(client) >= 0 && !m.bugs.has(JoinsTwice) {
		return
	}
	g.Last++
	if m.bugs.has(IDIsPlace) {
		g.Last = g.Count + 1
	}
	g.Members[g.Count] = Member{ID: g.Last, Client: client}
	g.Count++
	g.Known |= 1 << (client - 1)
	m.dealt(g, JoinKeepsGeneration)
}

// leave is ConsumerGroups!Leave: the others move up.
func (m *machine) leave(g *Group, client uint8) {
	if g.place(client) >= 0 {
		g.without(client)
		m.dealt(g, LeaveKeepsGeneration)
	}
}

// end is ConsumerGroups!End: the session of a client has ended.
func (m *machine) end(g *Group, client uint8) {
	if g.Known&(1<<(client-1)) == 0 {
		return
	}
	g.Known &^= 1 << (client - 1)
	if g.place(client) >= 0 {
		g.without(client)
		m.dealt(g, EndKeepsGeneration)
	}
}

// change is ConsumerGroups!Change: the topic has other partitions.
func (m *machine) change(g *Group, partitions uint8) {
	g.Partitions = partitions
	if g.Count > 0 {
		m.dealt(g, ChangeKeepsGeneration)
	}
}

// victim is ConsumerGroups!Victim: the client whose row a Register takes, 0 if there is room.
func (m *machine) victim(t *Table, client uint8) uint8 {
	used, oldest := 0, uint8(0)
	for c := range uint8(m.Clients) {
		if t[c].Session == 0 {
			continue
		}
		used++
		if oldest == 0 || t[c].Newest < t[oldest-1].Newest {
			oldest = c + 1
		}
	}
	if t[client-1].Session > 0 || used < m.Capacity {
		return 0
	}
	return oldest
}

// after is ConsumerGroups!After: what a message makes of table and group.
func (m *machine) after(t *Table, g *Group, op uint8, x Message) {
	if x.Kind == ChangeKind {
		m.change(g, x.Number)
		return
	}
	row := &t[x.Client-1]
	bound := row.Session > 0
	live := bound && row.Session == x.Number
	switch x.Kind {
	case RegisterKind:
		victim := m.victim(t, x.Client)
		*row = Row{Session: op, Newest: op}
		if victim > 0 {
			t[victim-1] = Row{}
			if !m.bugs.has(EvictionKeepsMember) {
				m.end(g, victim)
				return
			}
		}
		if bound && m.bugs.has(RebindEndsMembership) {
			m.end(g, x.Client)
		}
	case JoinKind:
		if live {
			row.Newest = op
		}
		if live || m.bugs.has(JoinWithoutSession) {
			m.join(g, x.Client)
		}
	case LeaveKind:
		if live {
			row.Newest = op
			m.leave(g, x.Client)
		}
	case LogoutKind:
		if !live && (!bound || !m.bugs.has(LogoutOfOlderSession)) {
			return
		}
		*row = Row{}
		if !m.bugs.has(LogoutKeepsMember) {
			m.end(g, x.Client)
		}
	case ChangeKind:
	}
}
