package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// groupLine is a consumer group as JSON.
type groupLine struct {
	ID         uint32 `json:"id"`
	Name       string `json:"name"`
	Partitions uint32 `json:"partitions"`
	Members    uint32 `json:"members"`
}

func groupOf(h protocol.GroupHeader) groupLine {
	return groupLine{ID: h.ID, Name: h.Name, Partitions: h.Partitions, Members: h.Members}
}

// clientGroup is the commands of consumer groups.
func (t *tool) clientGroup(f *clientFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "group",
		Short: "consumer groups: create, list, show, delete and join them",
		Long: clientLong(`A consumer group shares the partitions of a topic among its members: each
message is read by one of them. The group's offsets stay when members come and go.`,
			"viewstamp client group create shop orders billing",
			"viewstamp client group join shop orders billing"),
		RunE: t.group,
		Args: cobra.ArbitraryArgs,
	}
	command.AddCommand(t.groupCreate(f), t.groupList(f), t.groupShow(f), t.groupDelete(f),
		t.groupJoin(f))
	return command
}

func (t *tool) groupCreate(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "create STREAM TOPIC NAME",
		Short: "create a consumer group",
		Long: clientLong("Create a consumer group of a topic.",
			"viewstamp client group create shop orders billing"),
		Args: args("STREAM", "TOPIC", "NAME"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				d, err := c.CreateGroup(ctx, ident(given[0]), ident(given[1]), given[2])
				if err != nil {
					return err
				}
				return t.print(f, groupOf(d.GroupHeader), func() {
					fmt.Fprintf(t.stdout, "created group %s, id %d\n", d.Name, d.ID)
				})
			})
		},
	}
}

func (t *tool) groupList(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list STREAM TOPIC",
		Short: "list the consumer groups of a topic",
		Long:  clientLong("List the consumer groups of a topic."),
		Args:  args("STREAM", "TOPIC"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				groups, err := c.Groups(ctx, ident(given[0]), ident(given[1]))
				if err != nil {
					return err
				}
				lines := []groupLine{}
				for _, h := range groups {
					lines = append(lines, groupOf(h))
				}
				return t.print(f, map[string]any{"groups": lines}, func() {
					t.table("ID\tNAME\tPARTITIONS\tMEMBERS", func(line func(string, ...any)) {
						for _, g := range lines {
							line("%d\t%s\t%d\t%d", g.ID, g.Name, g.Partitions, g.Members)
						}
					})
				})
			})
		},
	}
}

// memberLine is a member of a consumer group as JSON.
type memberLine struct {
	ID         uint32   `json:"id"`
	Partitions []uint32 `json:"partitions"`
}

func (t *tool) groupShow(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "show STREAM TOPIC GROUP",
		Short: "show the members of a consumer group, and who reads what",
		Long:  clientLong("Show the members of a consumer group with their partitions."),
		Args:  args("STREAM", "TOPIC", "GROUP"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				d, found, err := c.Group(ctx, groupRef(given), client.Linearizable)
				if err == nil && !found {
					err = fmt.Errorf("no group %q of topic %q in stream %q", given[2], given[1], given[0])
				}
				if err != nil {
					return err
				}
				members := []memberLine{}
				for _, m := range d.Assignments {
					members = append(members, memberLine{ID: m.ID, Partitions: m.Partitions})
				}
				answer := struct {
					groupLine
					Assignments []memberLine `json:"assignments"`
				}{groupOf(d.GroupHeader), members}
				return t.print(f, answer, func() {
					t.table("MEMBER\tPARTITIONS", func(line func(string, ...any)) {
						for _, m := range members {
							line("%d\t%v", m.ID, m.Partitions)
						}
					})
				})
			})
		},
	}
}

func (t *tool) groupDelete(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "delete STREAM TOPIC GROUP",
		Short: "delete a consumer group",
		Long:  clientLong("Delete a consumer group. Its members read no more."),
		Args:  args("STREAM", "TOPIC", "GROUP"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				if err := c.DeleteGroup(ctx, groupRef(given)); err != nil {
					return err
				}
				return t.print(f, map[string]any{"deleted": given[2]}, func() {
					fmt.Fprintf(t.stdout, "deleted group %s\n", given[2])
				})
			})
		},
	}
}

func groupRef(given []string) protocol.GroupRef {
	return protocol.GroupRef{
		Stream: ident(given[0]), Topic: ident(given[1]), Group: ident(given[2]),
	}
}

func (t *tool) groupJoin(f *clientFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "join STREAM TOPIC GROUP",
		Short: "read as a member of a consumer group, until a signal",
		Long: clientLong(`Join a consumer group and print the messages of the partitions that are this
member's share, from where the group has come to, until a signal, or until --limit are printed. Its
offsets are stored as they are printed. At the end the member leaves.`,
			"viewstamp client group join shop orders billing --limit 100"),
		Args: args("STREAM", "TOPIC", "GROUP"),
	}
	limit := command.Flags().Int("limit", 0, "end after so many messages; 0: never")
	interval := command.Flags().Duration("interval", 200*time.Millisecond,
		"how often to look for messages")
	command.RunE = func(command *cobra.Command, given []string) error {
		if *interval <= 0 {
			return usage(command, "--interval %s, expected more than 0", *interval)
		}
		return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
			m := member{tool: t, flags: f, client: c, group: groupRef(given), limit: *limit}
			return m.run(ctx, *interval)
		})
	}
	return command
}

// member reads its share of a topic.
type member struct {
	tool    *tool
	flags   *clientFlags
	client  *client.Client
	group   protocol.GroupRef
	limit   int
	printed int
}

// leaveLimit is how long a member takes to say that it leaves.
const leaveLimit = 2 * time.Second

func (m *member) run(ctx context.Context, interval time.Duration) error {
	if err := m.client.JoinGroup(ctx, m.group); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
		defer cancel()
		_ = m.client.LeaveGroup(ctx, m.group) // Else it loses its place by its absence.
	}()
	for {
		some, err := m.round(ctx)
		switch {
		case ctx.Err() != nil:
			return nil // A signal is how it ends.
		case errors.Is(err, client.StatusError(protocol.StatusMemberNotFound)):
			if err := m.client.JoinGroup(ctx, m.group); err != nil { // It was away for too long.
				return err
			}
		case err != nil && !final(err):
			fmt.Fprintf(m.tool.stderr, "viewstamp: %v; trying again\n", err)
		case err != nil:
			return err
		}
		if m.limit > 0 && m.printed >= m.limit {
			return nil
		}
		if some {
			continue
		}
		timer := time.NewTimer(interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// round polls each partition of the share as it is now.
func (m *member) round(ctx context.Context) (some bool, err error) {
	share, err := m.client.SyncGroup(ctx, m.group)
	if err != nil {
		return false, err
	}
	who := protocol.Consumer{Kind: protocol.Group, ID: m.group.Group}
	for _, p := range share.Partitions {
		count := uint32(1000)
		if m.limit > 0 {
			count = uint32(min(m.limit-m.printed, int(count)))
		}
		if count == 0 {
			return some, nil
		}
		of := client.Partition{Stream: m.group.Stream, Topic: m.group.Topic, ID: p}
		polled, err := m.client.Poll(ctx, of, who, client.PollFrom{Strategy: protocol.FromNext},
			count, true, client.Linearizable)
		if err != nil {
			return some, err
		}
		for _, message := range polled.Messages {
			if err := m.tool.line(m.flags, messageOf(p, message)); err != nil {
				return some, err
			}
			m.printed++
		}
		some = some || len(polled.Messages) > 0
	}
	return some, nil
}
