package protocol

import "fmt"

// Permissions are what a user may do: everywhere, in single streams, in single topics.
type Permissions struct {
	GlobalPermissions
	// Streams has each stream once.
	Streams []StreamPermissions
}

// GlobalPermissions hold in all streams.
type GlobalPermissions struct {
	ManageServers, ReadServers bool
	ManageUsers, ReadUsers     bool
	ManageStreams, ReadStreams bool
	ManageTopics, ReadTopics   bool
	Poll, Send                 bool
}

// StreamPermissions hold in one stream.
type StreamPermissions struct {
	Stream                   uint32
	ManageStream, ReadStream bool
	ManageTopics, ReadTopics bool
	Poll, Send               bool
	// Topics has each topic once.
	Topics []TopicPermissions
}

// TopicPermissions hold in one topic.
type TopicPermissions struct {
	Topic                  uint32
	ManageTopic, ReadTopic bool
	Poll, Send             bool
}

func (p *Permissions) layout(c *coder) {
	c.flags(&p.ManageServers, &p.ReadServers, &p.ManageUsers, &p.ReadUsers, &p.ManageStreams,
		&p.ReadStreams, &p.ManageTopics, &p.ReadTopics, &p.Poll, &p.Send)
	chained(c, "streams", &p.Streams, func(c *coder, s *StreamPermissions) { s.layout(c) },
		func(s *StreamPermissions) uint32 { return s.Stream })
}

func (s *StreamPermissions) layout(c *coder) {
	c.u32("permitted_stream", &s.Stream)
	c.flags(&s.ManageStream, &s.ReadStream, &s.ManageTopics, &s.ReadTopics, &s.Poll, &s.Send)
	chained(c, "topics", &s.Topics, func(c *coder, t *TopicPermissions) { t.layout(c) },
		func(t *TopicPermissions) uint32 { return t.Topic })
}

func (t *TopicPermissions) layout(c *coder) {
	c.u32("permitted_topic", &t.Topic)
	c.flags(&t.ManageTopic, &t.ReadTopic, &t.Poll, &t.Send)
}

func (c *coder) flags(all ...*bool) {
	for _, v := range all {
		c.flag("permission", v)
	}
}

// chained is a flag before each item that says that there is one, and a cleared one behind
// the last. No id comes twice; upstream's clients send them in any order.
func chained[T any](c *coder, field string, items *[]T, item func(*coder, *T), id func(*T) uint32) {
	seen := map[uint32]bool{}
	for i := 0; c.refused == nil; i++ {
		more := i < len(*items)
		c.flag("has_"+field, &more)
		if !more || c.refused != nil {
			return
		}
		at := c.offset()
		if c.decoding {
			*items = append(*items, *new(T))
		}
		item(c, &(*items)[i])
		next := id(&(*items)[i])
		if c.refused == nil && seen[next] {
			c.refuseAt(at, field, fmt.Sprintf("id %d again", next), "each id once")
		}
		seen[next] = true
	}
}
