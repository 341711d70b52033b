package client

import (
	"context"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// Consumer groups. A client is one member of a group, whatever it does at the same time; its polls
// for a group go through the connection of the metadata plane, whose session is the member.

// CreateGroup makes a consumer group of a topic.
func (c *Client) CreateGroup(
	ctx context.Context, stream, topic protocol.Identifier, name string,
) (protocol.GroupDetails, error) {
	var reply protocol.GroupDetails
	_, err := c.metadata(ctx, protocol.CodeCreateGroup,
		&protocol.CreateGroup{Stream: stream, Topic: topic, Name: name}, &reply)
	return reply, err
}

// Groups lists the consumer groups of a topic that there were when it was asked.
func (c *Client) Groups(ctx context.Context, stream, topic protocol.Identifier) (
	[]protocol.GroupHeader, error,
) {
	var reply protocol.GroupList
	_, err := c.metadata(ctx, Linearizable.code(protocol.CodeListGroups),
		&protocol.TopicRef{Stream: stream, Topic: topic}, &reply)
	return reply.Groups, err
}

// DeleteGroup removes a consumer group.
func (c *Client) DeleteGroup(ctx context.Context, group protocol.GroupRef) error {
	return c.change(ctx, protocol.CodeDeleteGroup, &group)
}

// Group returns a consumer group with its members and their partitions; found is false if there
// is none.
func (c *Client) Group(ctx context.Context, group protocol.GroupRef, level Level) (
	reply protocol.GroupDetails, found bool, err error,
) {
	found, err = c.metadata(ctx, level.code(protocol.CodeGetGroup), &group, &reply)
	return reply, found, err
}

// JoinGroup makes the client a member. It stays one until it leaves, logs out, or has been away
// for longer than the nodes wait.
func (c *Client) JoinGroup(ctx context.Context, group protocol.GroupRef) error {
	return c.change(ctx, protocol.CodeJoinGroup, &group)
}

// LeaveGroup ends the membership.
func (c *Client) LeaveGroup(ctx context.Context, group protocol.GroupRef) error {
	return c.change(ctx, protocol.CodeLeaveGroup, &group)
}

// SyncGroup returns which partitions the client may read as a member.
func (c *Client) SyncGroup(ctx context.Context, group protocol.GroupRef) (
	protocol.Assignment, error,
) {
	var reply protocol.Assignment
	_, err := c.metadata(ctx, Linearizable.code(protocol.CodeSyncGroup), &group, &reply)
	return reply, err
}
