package protocol

// GetOffset asks for a consumer's stored offset.
type GetOffset struct {
	Consumer      Consumer
	Stream, Topic Identifier
	Partition     Selector
}

func (o *GetOffset) layout(c *coder) {
	c.consumer(&o.Consumer)
	c.ident("stream", &o.Stream)
	c.ident("topic", &o.Topic)
	c.selector(&o.Partition)
}

// StoreOffset stores it, also a lower one than before.
type StoreOffset struct {
	GetOffset
	Offset uint64
	// Quorum says that the answer waits until a quorum has it. Without, a node may answer
	// earlier.
	Quorum bool
}

func (o *StoreOffset) layout(c *coder) {
	o.GetOffset.layout(c)
	c.u64("offset", &o.Offset)
	c.flag("quorum", &o.Quorum)
}

// DeleteOffset removes it.
type DeleteOffset struct {
	GetOffset
	// Quorum is as in [StoreOffset].
	Quorum bool
}

func (o *DeleteOffset) layout(c *coder) {
	o.GetOffset.layout(c)
	c.flag("quorum", &o.Quorum)
}

// OffsetReply is a stored offset. Where none is stored, the reply's body is empty.
type OffsetReply struct {
	Partition uint32
	// Current is the offset of the partition's newest message, Stored the consumer's.
	Current, Stored uint64
}

func (o *OffsetReply) layout(c *coder) {
	c.u32("partition", &o.Partition)
	c.u64("current_offset", &o.Current)
	c.u64("stored_offset", &o.Stored)
}
