package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// streamLine is a stream as JSON.
type streamLine struct {
	ID       uint32 `json:"id"`
	Name     string `json:"name"`
	Topics   uint32 `json:"topics"`
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
	Created  string `json:"created"`
}

func streamOf(h protocol.StreamHeader) streamLine {
	return streamLine{
		ID: h.ID, Name: h.Name, Topics: h.Topics, Messages: h.Messages, Bytes: h.Bytes,
		Created: moment(h.Created),
	}
}

// moment is a time in microseconds since 1970 as people read it.
func moment(micros uint64) string {
	return time.UnixMicro(int64(min(micros, 1<<62))).UTC().Format(time.RFC3339Nano)
}

// topicLine is a topic as JSON.
type topicLine struct {
	ID         uint32   `json:"id"`
	Name       string   `json:"name"`
	Partitions uint32   `json:"partitions"`
	Messages   uint64   `json:"messages"`
	Bytes      uint64   `json:"bytes"`
	Created    string   `json:"created"`
	Options    []string `json:"options"`
}

func topicOf(h protocol.TopicHeader) topicLine {
	line := topicLine{
		ID: h.ID, Name: h.Name, Partitions: h.Partitions, Messages: h.Messages, Bytes: h.Bytes,
		Created: moment(h.Created), Options: []string{},
	}
	for _, o := range append(append([]protocol.Option{}, h.Options...), h.Derived...) {
		line.Options = append(line.Options, o.String())
	}
	return line
}

// options reads key=value.
func options(command *cobra.Command, texts []string) ([]protocol.Option, error) {
	var all []protocol.Option
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" || value == "" {
			return nil, usage(command, "--option %q, expected key=value", text)
		}
		all = append(all, protocol.TextOption(key, value))
	}
	return all, nil
}

func (t *tool) streamCreate(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "create NAME",
		Short: "create a stream",
		Long:  clientLong("Create a stream.", "viewstamp client stream create shop"),
		Args:  args("NAME"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				h, err := c.CreateStream(ctx, given[0])
				if err != nil {
					return err
				}
				return t.print(f, streamOf(h), func() {
					fmt.Fprintf(t.stdout, "created stream %s, id %d\n", h.Name, h.ID)
				})
			})
		},
	}
}

func (t *tool) streamList(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the streams",
		Long:  clientLong("List the streams."),
		Args:  none,
		RunE: func(command *cobra.Command, _ []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				streams, err := c.Streams(ctx)
				if err != nil {
					return err
				}
				lines := []streamLine{}
				for _, h := range streams {
					lines = append(lines, streamOf(h))
				}
				return t.print(f, map[string]any{"streams": lines}, func() {
					t.table("ID\tNAME\tTOPICS\tMESSAGES\tBYTES", func(line func(string, ...any)) {
						for _, s := range lines {
							line("%d\t%s\t%d\t%d\t%d", s.ID, s.Name, s.Topics, s.Messages, s.Bytes)
						}
					})
				})
			})
		},
	}
}

func (t *tool) streamDelete(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "delete STREAM",
		Short: "delete a stream with all that is in it",
		Long:  clientLong("Delete a stream with its topics and their messages."),
		Args:  args("STREAM"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				if err := c.DeleteStream(ctx, ident(given[0])); err != nil {
					return err
				}
				return t.print(f, map[string]any{"deleted": given[0]}, func() {
					fmt.Fprintf(t.stdout, "deleted stream %s\n", given[0])
				})
			})
		},
	}
}

func (t *tool) topicCreate(f *clientFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "create STREAM NAME",
		Short: "create a topic",
		Long: clientLong(`Create a topic in a stream. Its options are those of the server, such as
durability=persisted, message_expiry (microseconds) and segment_size (bytes).`,
			"viewstamp client topic create shop orders --partitions 3 --option durability=persisted"),
		Args: args("STREAM", "NAME"),
	}
	partitions := command.Flags().Uint32("partitions", 1, "how many partitions")
	texts := command.Flags().StringArray("option", nil, "key=value, any number of times")
	command.RunE = func(command *cobra.Command, given []string) error {
		chosen, err := options(command, *texts)
		if err != nil {
			return err
		}
		return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
			d, err := c.CreateTopic(ctx, ident(given[0]), given[1], *partitions, chosen...)
			if err != nil {
				return err
			}
			return t.print(f, topicOf(d.TopicHeader), func() {
				fmt.Fprintf(t.stdout, "created topic %s, id %d, %d partitions\n", d.Name, d.ID,
					d.Partitions)
			})
		})
	}
	return command
}

func (t *tool) topicList(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list STREAM",
		Short: "list the topics of a stream",
		Long:  clientLong("List the topics of a stream."),
		Args:  args("STREAM"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				topics, err := c.Topics(ctx, ident(given[0]))
				if err != nil {
					return err
				}
				lines := []topicLine{}
				for _, h := range topics {
					lines = append(lines, topicOf(h))
				}
				return t.print(f, map[string]any{"topics": lines}, func() {
					t.table("ID\tNAME\tPARTITIONS\tMESSAGES\tBYTES", func(line func(string, ...any)) {
						for _, s := range lines {
							line("%d\t%s\t%d\t%d\t%d", s.ID, s.Name, s.Partitions, s.Messages, s.Bytes)
						}
					})
				})
			})
		},
	}
}

func (t *tool) topicDelete(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "delete STREAM TOPIC",
		Short: "delete a topic with its messages",
		Long:  clientLong("Delete a topic with its partitions and their messages."),
		Args:  args("STREAM", "TOPIC"),
		RunE: func(command *cobra.Command, given []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				if err := c.DeleteTopic(ctx, ident(given[0]), ident(given[1])); err != nil {
					return err
				}
				return t.print(f, map[string]any{"deleted": given[1]}, func() {
					fmt.Fprintf(t.stdout, "deleted topic %s\n", given[1])
				})
			})
		},
	}
}
