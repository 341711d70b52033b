package protocol

// CreateStream is a new stream.
type CreateStream struct {
	Name    string
	Options []Option
}

func (s *CreateStream) layout(c *coder) {
	c.name("name", &s.Name)
	c.options(&s.Options)
}

// StreamRef names a stream: the body of get, delete and purge, and of the list of topics.
type StreamRef struct{ Stream Identifier }

func (s *StreamRef) layout(c *coder) { c.ident("stream", &s.Stream) }

// UpdateStream gives a stream another name.
type UpdateStream struct {
	Stream  Identifier
	Name    string
	Options []Option
}

func (s *UpdateStream) layout(c *coder) {
	c.ident("stream", &s.Stream)
	c.name("name", &s.Name)
	c.options(&s.Options)
}

// StreamHeader is a stream without its topics; the reply of its creation.
type StreamHeader struct {
	ID      uint32
	Created uint64 // microseconds since 1970
	// Topics counts them; Bytes and Messages are sums over all their partitions.
	Topics   uint32
	Bytes    uint64
	Messages uint64
	Name     string
	Options  []Option
}

func (s *StreamHeader) layout(c *coder) {
	c.u32("id", &s.ID)
	c.u64("created", &s.Created)
	c.u32("topics", &s.Topics)
	c.u64("bytes", &s.Bytes)
	c.u64("messages", &s.Messages)
	c.name("name", &s.Name)
	c.sized("options", func(c *coder) { c.options(&s.Options) })
}

// StreamDetails is a stream with its topics. A stream that is not there has an empty body.
type StreamDetails struct {
	StreamHeader
	Headers []TopicHeader
}

func (s *StreamDetails) layout(c *coder) {
	s.StreamHeader.layout(c)
	toEnd(c, &s.Headers, func(c *coder, t *TopicHeader) { t.layout(c) })
}

// StreamList is all streams.
type StreamList struct{ Streams []StreamHeader }

func (s *StreamList) layout(c *coder) {
	toEnd(c, &s.Streams, func(c *coder, h *StreamHeader) { h.layout(c) })
}
