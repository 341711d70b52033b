package client

import (
	"context"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// CreateStream makes a stream.
func (c *Client) CreateStream(
	ctx context.Context, name string, options ...protocol.Option,
) (protocol.StreamHeader, error) {
	var reply protocol.StreamHeader
	err := c.options.Recorder.create(name, func() (uint32, error) {
		_, err := c.metadata(ctx, protocol.CodeCreateStream,
			&protocol.CreateStream{Name: name, Options: options}, &reply)
		return reply.ID, err
	})
	return reply, err
}

// Streams lists all streams that there were when it was asked.
func (c *Client) Streams(ctx context.Context) ([]protocol.StreamHeader, error) {
	var reply protocol.StreamList
	_, err := c.metadata(ctx, Linearizable.code(protocol.CodeListStreams), nil, &reply)
	return reply.Streams, err
}

// Stream returns a stream with its topics; found is false if there is none. The level says
// how new the answer is.
func (c *Client) Stream(
	ctx context.Context, stream protocol.Identifier, level Level,
) (reply protocol.StreamDetails, found bool, err error) {
	err = c.options.Recorder.lookup(stream, level, func() (uint32, bool, error) {
		found, err = c.metadata(ctx, level.code(protocol.CodeGetStream),
			&protocol.StreamRef{Stream: stream}, &reply)
		return reply.ID, found, err
	})
	return reply, found, err
}

// DeleteStream removes a stream with all that is in it.
func (c *Client) DeleteStream(ctx context.Context, stream protocol.Identifier) error {
	return c.options.Recorder.remove(stream, func() error {
		return c.change(ctx, protocol.CodeDeleteStream, &protocol.StreamRef{Stream: stream})
	})
}

// UpdateStream gives a stream another name.
func (c *Client) UpdateStream(
	ctx context.Context, stream protocol.Identifier, name string,
) error {
	return c.change(ctx, protocol.CodeUpdateStream,
		&protocol.UpdateStream{Stream: stream, Name: name})
}

// PurgeStream removes the messages of a stream.
func (c *Client) PurgeStream(ctx context.Context, stream protocol.Identifier) error {
	return c.change(ctx, protocol.CodePurgeStream, &protocol.StreamRef{Stream: stream})
}

// CreateTopic makes a topic of so many partitions.
func (c *Client) CreateTopic(
	ctx context.Context, stream protocol.Identifier, name string, partitions uint32,
	options ...protocol.Option,
) (protocol.TopicDetails, error) {
	var reply protocol.TopicDetails
	_, err := c.metadata(ctx, protocol.CodeCreateTopic, &protocol.CreateTopic{
		Stream: stream, Partitions: partitions, Name: name, Options: options,
	}, &reply)
	return reply, err
}

// Topics lists the topics of a stream that there were when it was asked.
func (c *Client) Topics(
	ctx context.Context, stream protocol.Identifier,
) ([]protocol.TopicHeader, error) {
	var reply protocol.TopicList
	_, err := c.metadata(ctx, Linearizable.code(protocol.CodeListTopics),
		&protocol.StreamRef{Stream: stream}, &reply)
	return reply.Topics, err
}

// Topic returns a topic with its partitions; found is false if there is none.
func (c *Client) Topic(
	ctx context.Context, stream, topic protocol.Identifier, level Level,
) (reply protocol.TopicDetails, found bool, err error) {
	found, err = c.metadata(ctx, level.code(protocol.CodeGetTopic),
		&protocol.TopicRef{Stream: stream, Topic: topic}, &reply)
	return reply, found, err
}

// DeleteTopic removes a topic with its partitions.
func (c *Client) DeleteTopic(ctx context.Context, stream, topic protocol.Identifier) error {
	return c.change(ctx, protocol.CodeDeleteTopic,
		&protocol.TopicRef{Stream: stream, Topic: topic})
}

// PurgeTopic removes the messages of a topic.
func (c *Client) PurgeTopic(ctx context.Context, stream, topic protocol.Identifier) error {
	return c.change(ctx, protocol.CodePurgeTopic,
		&protocol.TopicRef{Stream: stream, Topic: topic})
}

// CreatePartitions adds partitions to a topic.
func (c *Client) CreatePartitions(
	ctx context.Context, stream, topic protocol.Identifier, count uint32,
) error {
	return c.change(ctx, protocol.CodeCreatePartitions,
		&protocol.ChangePartitions{Stream: stream, Topic: topic, Count: count})
}

// DeleteSegments drops the oldest segments of a partition, so many of them; the last one stays.
func (c *Client) DeleteSegments(ctx context.Context, of Partition, count uint32) error {
	return c.change(ctx, protocol.CodeDeleteSegments, &protocol.DeleteSegments{
		Stream: of.Stream, Topic: of.Topic, Partition: of.ID, Segments: count,
	})
}

// CreateUser makes a user.
func (c *Client) CreateUser(
	ctx context.Context, user protocol.CreateUser,
) (protocol.UserDetails, error) {
	var reply protocol.UserDetails
	_, err := c.metadata(ctx, protocol.CodeCreateUser, &user, &reply)
	return reply, err
}

// DeleteUser removes a user.
func (c *Client) DeleteUser(ctx context.Context, user protocol.Identifier) error {
	return c.change(ctx, protocol.CodeDeleteUser, &protocol.UserRef{User: user})
}

// CreateToken makes a personal access token of the own user, and returns its secret.
func (c *Client) CreateToken(
	ctx context.Context, token protocol.CreateToken,
) (string, error) {
	var reply protocol.RawToken
	_, err := c.metadata(ctx, protocol.CodeCreateToken, &token, &reply)
	return reply.Token, err
}

// change asks for something that has no payload to answer.
func (c *Client) change(ctx context.Context, code protocol.Code, body protocol.Body) error {
	_, err := c.metadata(ctx, code, body, nil)
	return err
}

// Level says how new an answer is (R19).
type Level uint8

const (
	// Linearizable: it has all that was acknowledged when the question was asked.
	Linearizable Level = iota + 1
	// Local: it has what the node has executed, which may lag behind. It costs no round.
	Local
)

func (l Level) code(c protocol.Code) protocol.Code {
	if l == Linearizable {
		return c.Linearizable()
	}
	return c
}
