package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// writeHistory writes what was seen of partitions.
func writeHistory(path string, recorder *client.Recorder) error {
	return lin.WriteFile(path, recorder.History(lin.Partition))
}

// messageLine is a message as JSON.
type messageLine struct {
	Partition uint32 `json:"partition"`
	Offset    uint64 `json:"offset"`
	Timestamp string `json:"timestamp"`
	// Payload is there if it is text, else Base64.
	Payload *string `json:"payload,omitempty"`
	Base64  string  `json:"payload_base64,omitempty"`
}

func messageOf(partition uint32, m client.Message) messageLine {
	line := messageLine{
		Partition: partition, Offset: m.Offset, Timestamp: moment(m.Timestamp),
	}
	if utf8.Valid(m.Payload) {
		text := string(m.Payload)
		line.Payload = &text
	} else {
		line.Base64 = base64.StdEncoding.EncodeToString(m.Payload)
	}
	return line
}

// partitionFlag adds --partition.
func partitionFlag(flags *pflag.FlagSet, what string) *int64 {
	return flags.Int64("partition", -1, what)
}

// partitions are those that were asked for: one, or all of the topic.
func partitions(
	ctx context.Context, c *client.Client, stream, topic protocol.Identifier, asked int64,
) ([]client.Partition, error) {
	if asked >= 0 {
		return []client.Partition{{Stream: stream, Topic: topic, ID: uint32(asked)}}, nil
	}
	details, found, err := c.Topic(ctx, stream, topic, client.Linearizable)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("no topic %s in stream %s", topic, stream)
	}
	var all []client.Partition
	for _, s := range details.States {
		all = append(all, client.Partition{Stream: stream, Topic: topic, ID: s.ID})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("topic %s has no partition", topic)
	}
	return all, nil
}

func (t *tool) clientSend(f *clientFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "send STREAM TOPIC [FILE]",
		Short: "send the lines of a file, or of the input",
		Long: clientLong(`Send each line as a message, in order, and say where they went. Without
--partition they take turns. A batch whose outcome is unknown is not sent again, unless
--repeat says that a message may be there twice.`,
			"echo hello | viewstamp client send shop orders",
			"viewstamp client send shop orders lines.txt --partition 0"),
		Args: args("STREAM", "TOPIC", "[FILE]"),
	}
	partition := partitionFlag(command.Flags(), "the partition; -1: all take turns")
	repeat := command.Flags().Bool("repeat", false, "at least once instead of at most once")
	command.RunE = func(command *cobra.Command, given []string) error {
		if *partition > 1<<32-1 {
			return usage(command, "--partition %d, expected at most %d", *partition, 1<<32-1)
		}
		input := command.InOrStdin()
		if len(given) == 3 && given[2] != "-" {
			file, err := os.Open(given[2])
			if err != nil {
				return usage(command, "%v", err)
			}
			defer func() { _ = file.Close() }() // It was only read.
			input = file
		}
		return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
			to, err := partitions(ctx, c, ident(given[0]), ident(given[1]), *partition)
			if err != nil {
				return err
			}
			return t.send(ctx, c, f, to, input, *repeat)
		})
	}
	return command
}

// sentLine says how many messages a partition got; First and Last are offsets.
type sentLine struct {
	Partition uint32 `json:"partition"`
	Messages  int    `json:"messages"`
	First     uint64 `json:"first"`
	Last      uint64 `json:"last"`
}

// send sends lines through a producer for each partition.
func (t *tool) send(
	ctx context.Context, c *client.Client, f *clientFlags, to []client.Partition,
	input io.Reader, repeat bool,
) error {
	producers := make([]*client.Producer, len(to))
	results := make([][]<-chan client.Sent, len(to))
	for i := range to {
		producers[i] = c.NewProducer(to[i], client.ProducerOptions{Repeat: repeat})
	}
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, 32<<20)
	var failed error
	for i := 0; failed == nil && ctx.Err() == nil && lines.Scan(); i++ {
		at := i % len(to)
		result, err := producers[at].Send(bytes.Clone(lines.Bytes()))
		if failed = err; err == nil {
			results[at] = append(results[at], result)
		}
	}
	if err := lines.Err(); err != nil {
		failed = errors.Join(failed, fmt.Errorf("read lines: %w", err))
	}
	for _, p := range producers {
		failed = errors.Join(failed, p.Close(context.WithoutCancel(ctx)))
	}
	report := []sentLine{}
	for i := range to {
		line, err := gather(to[i].ID, results[i])
		failed = errors.Join(failed, err)
		if line.Messages > 0 {
			report = append(report, line)
		}
	}
	return errors.Join(failed, t.print(f, map[string]any{"sent": report}, func() {
		for _, l := range report {
			fmt.Fprintf(t.stdout, "partition %d: %d messages, offsets %d to %d\n", l.Partition,
				l.Messages, l.First, l.Last)
		}
	}))
}

// gather waits for results; the first error stands for all of them.
func gather(partition uint32, results []<-chan client.Sent) (sentLine, error) {
	line := sentLine{Partition: partition}
	var failed error
	for _, result := range results {
		sent := <-result
		switch {
		case sent.Err != nil:
			if failed == nil {
				failed = sent.Err
			}
			continue
		case line.Messages == 0:
			line.First = sent.Offset
		}
		line.Messages++
		line.Last = sent.Offset
	}
	return line, failed
}

// readFlags say what poll and tail read.
type readFlags struct {
	partition             *int64
	from, level, consumer string
	count                 uint32
}

func (r *readFlags) add(flags *pflag.FlagSet, from string) {
	r.partition = partitionFlag(flags, "the partition; -1: all")
	flags.StringVar(&r.from, "from", from, "first, last, next or an offset")
	flags.StringVar(&r.level, "level", "linearizable", levelHelp)
	flags.StringVar(&r.consumer, "consumer", "", "whose offset 'next' stands for")
	flags.Uint32Var(&r.count, "count", 10, "how many messages at most")
}

// start reads --from and --level.
func (r *readFlags) start(command *cobra.Command) (client.PollFrom, client.Level, error) {
	from := client.PollFrom{}
	switch r.from {
	case "first":
		from.Strategy = protocol.FromFirst
	case "last":
		from.Strategy = protocol.FromLast
	case "next":
		from.Strategy = protocol.FromNext
		if r.consumer == "" {
			return from, 0, usage(command, "--from next without --consumer")
		}
	default:
		offset, err := strconv.ParseUint(r.from, 10, 64)
		if err != nil {
			return from, 0, usage(command, "--from %q, expected first, last, next or an offset", r.from)
		}
		from = client.PollFrom{Strategy: protocol.FromOffset, Value: offset}
	}
	level, err := levelOf(command, r.level)
	return from, level, err
}

const levelHelp = "linearizable, or local: what one node has executed"

// levelOf reads --level.
func levelOf(command *cobra.Command, text string) (client.Level, error) {
	switch text {
	case "linearizable":
		return client.Linearizable, nil
	case "local":
		return client.Local, nil
	}
	return 0, usage(command, "--level %q, expected linearizable or local", text)
}

func (r *readFlags) who() protocol.Consumer {
	if r.consumer == "" {
		return protocol.Consumer{}
	}
	return protocol.Consumer{Kind: protocol.Single, ID: protocol.Named(r.consumer)}
}

func (t *tool) clientPoll(f *clientFlags) *cobra.Command {
	var r readFlags
	command := &cobra.Command{
		Use:   "poll STREAM TOPIC",
		Short: "read messages once",
		Long: clientLong("Read messages of a topic's partitions, and print them.",
			"viewstamp client poll shop orders --from first --count 100",
			"viewstamp client poll shop orders --partition 0 --from next --consumer billing --commit"),
		Args: args("STREAM", "TOPIC"),
	}
	r.add(command.Flags(), "first")
	commit := command.Flags().Bool("commit", false, "store the offset of the last message")
	command.RunE = func(command *cobra.Command, given []string) error {
		from, level, err := r.start(command)
		switch {
		case err != nil:
			return err
		case *commit && r.consumer == "":
			return usage(command, "--commit without --consumer")
		}
		return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
			of, err := partitions(ctx, c, ident(given[0]), ident(given[1]), *r.partition)
			if err != nil {
				return err
			}
			lines := []messageLine{}
			for _, p := range of {
				polled, err := c.Poll(ctx, p, r.who(), from, r.count, false, level)
				if err != nil {
					return err
				}
				for _, m := range polled.Messages {
					lines = append(lines, messageOf(p.ID, m))
				}
				if n := len(polled.Messages); *commit && n > 0 {
					last := polled.Messages[n-1].Offset
					if err := c.StoreOffset(ctx, p, r.who(), last); err != nil {
						return err
					}
				}
			}
			return t.print(f, map[string]any{"messages": lines}, func() { t.messages(lines) })
		})
	}
	return command
}

// messages prints messages for people.
func (t *tool) messages(lines []messageLine) {
	for _, m := range lines {
		payload := m.Base64
		if m.Payload != nil {
			payload = *m.Payload
		}
		fmt.Fprintf(t.stdout, "%d/%d  %s\n", m.Partition, m.Offset, payload)
	}
}

// line prints one message, as JSON on a line of its own if that is wanted.
func (t *tool) line(f *clientFlags, m messageLine) error {
	if !f.json {
		t.messages([]messageLine{m})
		return nil
	}
	if err := json.NewEncoder(t.stdout).Encode(m); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}
