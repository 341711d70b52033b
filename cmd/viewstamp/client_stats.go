package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// statsLine is what a node says of itself as JSON.
type statsLine struct {
	Host           string  `json:"host"`
	Process        uint32  `json:"process"`
	Version        string  `json:"version"`
	Started        string  `json:"started"`
	Seconds        float64 `json:"seconds"`
	CPU            float32 `json:"cpu_percent"`
	Memory         uint64  `json:"memory_bytes"`
	FreeDisk       uint64  `json:"free_disk_bytes"`
	Clients        uint32  `json:"clients"`
	Streams        uint32  `json:"streams"`
	Topics         uint32  `json:"topics"`
	Partitions     uint32  `json:"partitions"`
	ConsumerGroups uint32  `json:"consumer_groups"`
	Segments       uint32  `json:"segments"`
	Messages       uint64  `json:"messages"`
	Bytes          uint64  `json:"bytes"`
}

func statsOf(s protocol.Stats) statsLine {
	return statsLine{
		Host: s.Host, Process: s.Process, Version: s.Version, Started: moment(s.StartTime),
		Seconds: (time.Duration(s.RunTime) * time.Microsecond).Seconds(), CPU: s.CPU,
		Memory: s.Memory, FreeDisk: s.FreeDisk, Clients: s.Clients, Streams: s.Streams,
		Topics: s.Topics, Partitions: s.Partitions, ConsumerGroups: s.ConsumerGroups,
		Segments: s.Segments, Messages: s.Messages, Bytes: s.MessageBytes,
	}
}

func (t *tool) clientStats(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "what a node says of itself, and how much there is",
		Long: clientLong(`Ask the node of --address what it uses and what there is. Messages and bytes are
those that this node has executed: others may be a moment ahead.`),
		Args: none,
		RunE: func(command *cobra.Command, _ []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				stats, err := c.Stats(ctx)
				if err != nil {
					return err
				}
				s := statsOf(stats)
				return t.print(f, s, func() {
					t.table("WHAT\tFIGURE", func(line func(string, ...any)) {
						line("node\tprocess %d on %s, %s", s.Process, s.Host, s.Version)
						line("running\t%s", (time.Duration(s.Seconds) * time.Second))
						line("memory\t%d bytes", s.Memory)
						line("free disk\t%d bytes", s.FreeDisk)
						line("clients\t%d", s.Clients)
						line("streams\t%d", s.Streams)
						line("topics\t%d", s.Topics)
						line("partitions\t%d", s.Partitions)
						line("consumer groups\t%d", s.ConsumerGroups)
						line("messages\t%d", s.Messages)
						line("bytes\t%d", s.Bytes)
					})
				})
			})
		},
	}
}
