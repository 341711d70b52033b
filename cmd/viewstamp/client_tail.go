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

func (t *tool) clientTail(f *clientFlags) *cobra.Command {
	var r readFlags
	command := &cobra.Command{
		Use:   "tail STREAM TOPIC",
		Short: "print the newest messages, and those to come",
		Long: clientLong(`Print the last messages of a topic's partitions. With --follow, go on with those
that come, until a signal, or until --limit are printed. It goes on when primaries change.`,
			"viewstamp client tail shop orders --follow",
			"viewstamp client tail shop orders --from first --follow --limit 1000 --json"),
		Args: args("STREAM", "TOPIC"),
	}
	r.add(command.Flags(), "last")
	follow := command.Flags().Bool("follow", false, "go on with messages to come")
	limit := command.Flags().Int("limit", 0, "end after so many messages; 0: never")
	interval := command.Flags().Duration("interval", 200*time.Millisecond,
		"how often to look for messages")
	command.RunE = func(command *cobra.Command, given []string) error {
		from, level, err := r.start(command)
		if err != nil {
			return err
		}
		if *interval <= 0 {
			return usage(command, "--interval %s, expected more than 0", *interval)
		}
		return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
			of, err := partitions(ctx, c, ident(given[0]), ident(given[1]), *r.partition)
			if err != nil {
				return err
			}
			tail := tail{
				tool: t, flags: f, client: c, who: r.who(), count: r.count, level: level,
				limit: *limit,
			}
			for _, p := range of {
				tail.places = append(tail.places, place{of: p, from: from})
			}
			return tail.run(ctx, *follow, *interval)
		})
	}
	return command
}

// tail reads partitions in turn.
type tail struct {
	tool    *tool
	flags   *clientFlags
	client  *client.Client
	who     protocol.Consumer
	count   uint32
	level   client.Level
	limit   int
	printed int
	places  []place
}

// place is how far a partition was read.
type place struct {
	of   client.Partition
	from client.PollFrom
}

func (t *tail) run(ctx context.Context, follow bool, interval time.Duration) error {
	for {
		some := false
		for i := range t.places {
			got, err := t.step(ctx, &t.places[i])
			switch {
			case ctx.Err() != nil:
				return nil // A signal is how it ends.
			case err != nil && follow && !final(err):
				fmt.Fprintf(t.tool.stderr, "viewstamp: %v; trying again\n", err)
			case err != nil:
				return err
			}
			some = some || got
			if t.limit > 0 && t.printed >= t.limit {
				return nil
			}
		}
		if some {
			continue
		}
		if !follow {
			return nil
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

// final says that another try has the same answer.
func final(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Outcome.Status != 0 &&
		!e.Outcome.Status.Open() && e.Outcome.Status != protocol.StatusNotCommitted
}

// step prints what there is behind a place, and moves it on.
func (t *tail) step(ctx context.Context, p *place) (some bool, err error) {
	polled, err := t.client.Poll(ctx, p.of, t.who, p.from, t.count, false, t.level)
	if err != nil {
		return false, err
	}
	if len(polled.Messages) == 0 && p.from.Strategy == protocol.FromLast {
		p.from.Strategy = protocol.FromFirst // All that will come is new.
	}
	for _, m := range polled.Messages {
		if t.limit > 0 && t.printed >= t.limit {
			break
		}
		if err := t.tool.line(t.flags, messageOf(p.of.ID, m)); err != nil {
			return false, err
		}
		t.printed++
		p.from = client.PollFrom{Strategy: protocol.FromOffset, Value: m.Offset + 1}
	}
	return len(polled.Messages) > 0, nil
}

func (t *tool) clientOffset(f *clientFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "offset STREAM TOPIC --consumer NAME",
		Short: "show, store or delete a consumer's offset",
		Long: clientLong("Show the stored offsets of a consumer; with --store or --delete, change one.",
			"viewstamp client offset shop orders --consumer billing",
			"viewstamp client offset shop orders --consumer billing --partition 0 --store 41"),
		Args: args("STREAM", "TOPIC"),
	}
	partition := partitionFlag(command.Flags(), "the partition; -1: all")
	consumer := command.Flags().String("consumer", "", "whose offset")
	store := command.Flags().Int64("store", -1, "store this offset")
	remove := command.Flags().Bool("delete", false, "delete the offset")
	levelText := command.Flags().String("level", "linearizable", levelHelp)
	command.RunE = func(command *cobra.Command, given []string) error {
		name, err := identifier(*consumer)
		switch {
		case err != nil:
			return usage(command, "--consumer: %v", err)
		case *store >= 0 && *remove:
			return usage(command, "--store and --delete, expected one of them")
		case (*store >= 0 || *remove) && *partition < 0:
			return usage(command, "--store and --delete need --partition")
		}
		level, err := levelOf(command, *levelText)
		if err != nil {
			return err
		}
		who := protocol.Consumer{Kind: protocol.Single, ID: name}
		return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
			of, err := partitions(ctx, c, ident(given[0]), ident(given[1]), *partition)
			if err != nil {
				return err
			}
			switch {
			case *store >= 0:
				err = c.StoreOffset(ctx, of[0], who, uint64(*store))
			case *remove:
				err = c.DeleteOffset(ctx, of[0], who)
			}
			if err != nil {
				return err
			}
			return t.offsets(ctx, c, f, of, who, level)
		})
	}
	return command
}

// offsetLine is a consumer's offset as JSON; Stored is null if there is none.
type offsetLine struct {
	Partition uint32  `json:"partition"`
	Stored    *uint64 `json:"stored"`
}

// offsets prints what is stored.
func (t *tool) offsets(
	ctx context.Context, c *client.Client, f *clientFlags, of []client.Partition,
	who protocol.Consumer, level client.Level,
) error {
	lines := []offsetLine{}
	for _, p := range of {
		reply, found, err := c.StoredOffset(ctx, p, who, level)
		if err != nil {
			return err
		}
		line := offsetLine{Partition: p.ID}
		if found {
			line.Stored = &reply.Stored
		}
		lines = append(lines, line)
	}
	return t.print(f, map[string]any{"offsets": lines}, func() {
		t.table("PARTITION\tOFFSET", func(line func(string, ...any)) {
			for _, l := range lines {
				if l.Stored == nil {
					line("%d\tnone", l.Partition)
				} else {
					line("%d\t%d", l.Partition, *l.Stored)
				}
			}
		})
	})
}
