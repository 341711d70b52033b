package protocol

// CreateTopic is a new topic with its partitions, numbered from 0 or 1 as the node does it.
type CreateTopic struct {
	Stream     Identifier
	Partitions uint32
	Name       string
	Options    []Option
}

func (t *CreateTopic) layout(c *coder) {
	c.ident("stream", &t.Stream)
	c.u32("partitions", &t.Partitions)
	c.name("name", &t.Name)
	c.options(&t.Options)
}

// TopicRef names a topic: the body of get, delete and purge, and of the list of groups.
type TopicRef struct{ Stream, Topic Identifier }

func (t *TopicRef) layout(c *coder) {
	c.ident("stream", &t.Stream)
	c.ident("topic", &t.Topic)
}

// UpdateTopic gives a topic another name and other options; those that it does not list stay.
type UpdateTopic struct {
	Stream, Topic Identifier
	Name          string
	Options       []Option
}

func (t *UpdateTopic) layout(c *coder) {
	c.ident("stream", &t.Stream)
	c.ident("topic", &t.Topic)
	c.name("name", &t.Name)
	c.options(&t.Options)
}

// TopicHeader is a topic without its partitions.
type TopicHeader struct {
	ID          uint32
	Created     uint64 // microseconds since 1970
	Partitions  uint32
	Expiry      uint64 // microseconds; all bits set: never
	Compression uint8
	MaxBytes    uint64 // all bits set: no limit
	Bytes       uint64
	Messages    uint64
	Name        string
	// Options are those that the creator chose, Derived the defaults of the others.
	Options, Derived []Option
}

func (t *TopicHeader) layout(c *coder) {
	c.u32("id", &t.ID)
	c.u64("created", &t.Created)
	c.u32("partitions", &t.Partitions)
	c.u64("expiry", &t.Expiry)
	c.u8("compression", &t.Compression)
	c.u64("max_bytes", &t.MaxBytes)
	c.u64("bytes", &t.Bytes)
	c.u64("messages", &t.Messages)
	c.name("name", &t.Name)
	c.sized("options", func(c *coder) { c.options(&t.Options) })
	c.sized("derived", func(c *coder) { c.options(&t.Derived) })
}

// PartitionState is a partition's size.
type PartitionState struct {
	ID       uint32
	Created  uint64 // microseconds since 1970
	Segments uint32
	Current  uint64 // the offset of the newest message; 0 also of an empty partition
	Bytes    uint64
	Messages uint64
}

func (p *PartitionState) layout(c *coder) {
	c.u32("partition_id", &p.ID)
	c.u64("partition_created", &p.Created)
	c.u32("segments", &p.Segments)
	c.u64("current_offset", &p.Current)
	c.u64("partition_bytes", &p.Bytes)
	c.u64("partition_messages", &p.Messages)
}

// TopicDetails is a topic with its partitions; the reply of get and create. A topic that is
// not there has an empty body.
type TopicDetails struct {
	TopicHeader
	States []PartitionState
}

func (t *TopicDetails) layout(c *coder) {
	t.TopicHeader.layout(c)
	toEnd(c, &t.States, func(c *coder, p *PartitionState) { p.layout(c) })
}

// TopicList is all topics of a stream.
type TopicList struct{ Topics []TopicHeader }

func (t *TopicList) layout(c *coder) {
	counted(c, "topics", &t.Topics, func(c *coder, h *TopicHeader) { h.layout(c) })
}

// ChangePartitions adds partitions to a topic, or removes its last ones.
type ChangePartitions struct {
	Stream, Topic Identifier
	Count         uint32
}

func (p *ChangePartitions) layout(c *coder) {
	c.ident("stream", &p.Stream)
	c.ident("topic", &p.Topic)
	c.u32("count", &p.Count)
}

// DeleteSegments removes the oldest segments of a partition.
type DeleteSegments struct {
	Stream, Topic Identifier
	Partition     uint32
	Segments      uint32
}

func (d *DeleteSegments) layout(c *coder) {
	c.ident("stream", &d.Stream)
	c.ident("topic", &d.Topic)
	c.u32("partition", &d.Partition)
	c.u32("segments", &d.Segments)
}
