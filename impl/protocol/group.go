package protocol

// CreateGroup is a new group of consumers of a topic.
type CreateGroup struct {
	Stream, Topic Identifier
	Name          string
}

func (g *CreateGroup) layout(c *coder) {
	c.ident("stream", &g.Stream)
	c.ident("topic", &g.Topic)
	c.name("name", &g.Name)
}

// GroupRef names a group: the body of get, delete, join, leave and sync.
type GroupRef struct{ Stream, Topic, Group Identifier }

func (g *GroupRef) layout(c *coder) {
	c.ident("stream", &g.Stream)
	c.ident("topic", &g.Topic)
	c.ident("group", &g.Group)
}

// GroupHeader is a group without its members.
type GroupHeader struct {
	ID         uint32
	Partitions uint32
	Members    uint32
	Name       string
}

func (g *GroupHeader) layout(c *coder) {
	c.u32("id", &g.ID)
	c.u32("partitions", &g.Partitions)
	c.u32("members", &g.Members)
	c.name("name", &g.Name)
}

// GroupMember is a consumer with its partitions.
type GroupMember struct {
	ID         uint32
	Partitions []uint32
}

func (g *GroupMember) layout(c *coder) {
	c.u32("member_id", &g.ID)
	c.partitions(&g.Partitions)
}

func (c *coder) partitions(all *[]uint32) {
	counted(c, "member_partitions", all, func(c *coder, p *uint32) { c.u32("partition", p) })
}

// GroupDetails is a group with its members; the reply of get and create. A group that is not
// there has an empty body.
type GroupDetails struct {
	GroupHeader
	Assignments []GroupMember
}

func (g *GroupDetails) layout(c *coder) {
	g.GroupHeader.layout(c)
	toEnd(c, &g.Assignments, func(c *coder, m *GroupMember) { m.layout(c) })
}

// GroupList is all groups of a topic.
type GroupList struct{ Groups []GroupHeader }

func (g *GroupList) layout(c *coder) {
	toEnd(c, &g.Groups, func(c *coder, h *GroupHeader) { h.layout(c) })
}

// Assignment is what a member may read now.
type Assignment struct {
	// Generation rises with each new distribution of the partitions.
	Generation uint64
	Partitions []uint32
}

func (a *Assignment) layout(c *coder) {
	c.u64("generation", &a.Generation)
	c.partitions(&a.Partitions)
}
