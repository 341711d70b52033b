package iggysim

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

// Source is one log.
type Source struct {
	Path string
	// Replica is who wrote the lines that do not name a replica, or [AnyReplica]. Lines that
	// name another one are lost: they do not belong here.
	Replica int
	// Open opens the log, for each of two passes; nil means the file at Path.
	Open func() (io.ReadCloser, error)
}

func (s Source) open() (io.ReadCloser, error) {
	if s.Open == nil {
		return os.Open(s.Path)
	}
	return s.Open()
}

// AnyReplica is the replica of a log that holds the lines of all.
const AnyReplica = -1

// lineMax is the size, in bytes, of the longest line that can be an event.
const lineMax = 64 << 10

// counts are what one pass over the logs has seen.
type counts struct{ lines, events, foreign, lost int }

// cursor reads one log, one event at a time.
type cursor struct {
	source Source
	index  int // Its place in Header.Files.
	file   io.Closer
	in     *bufio.Reader
	line   int
	counts *counts
	lost   func(Lost)

	// The event in hand, valid unless done.
	next placed
	time string
	done bool
}

func openCursor(s Source, index int, c *counts, lost func(Lost)) (*cursor, error) {
	file, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	in := bufio.NewReaderSize(file, lineMax)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open log %s: %w", s.Path, err), file.Close())
		}
		in = bufio.NewReaderSize(unpacked, lineMax)
	}
	return &cursor{source: s, index: index, file: file, in: in, counts: c, lost: lost}, nil
}

// advance puts the next event in hand.
func (c *cursor) advance() error {
	for {
		line, fits, err := c.readLine()
		if errors.Is(err, io.EOF) {
			c.done = true
			return nil
		}
		if err != nil {
			return fmt.Errorf("read log %s:%d: %w", c.source.Path, c.line+1, err)
		}
		c.line++
		c.counts.lines++
		if c.take(clean(line), fits) {
			return nil
		}
	}
}

// take puts the event of a line in hand, or reports that it has none.
func (c *cursor) take(line string, fits bool) bool {
	time, text, event := split(line)
	if time != "" {
		c.time = time
	}
	if !event {
		return c.foreign(line)
	}
	next, err := eventOf(fieldsOf(text), c.source.Replica)
	switch {
	case !fits:
		err = lostError{fmt.Sprintf("more than %d bytes", lineMax)}
	case err == nil && c.source.Replica != AnyReplica && next.event.Replica != c.source.Replica:
		err = lostError{fmt.Sprintf("replica %d in the log of replica %d", next.event.Replica,
			c.source.Replica)}
	}
	if err != nil {
		c.counts.lost++
		c.lost(Lost{Path: c.source.Path, Line: c.line, Reason: err.Error()})
		next = gap(err.Error())
	} else {
		c.counts.events++
	}
	c.hold(next)
	return true
}

func (c *cursor) hold(next placed) {
	next.event.Origin = &traces.Origin{File: c.index, Line: c.line}
	c.next = next
}

// restartText is the message of a replica that has begun anew from its superblock.
const restartText = "restored group view from its superblock"

// foreign counts a line of another target. It may tell of a restart.
func (c *cursor) foreign(line string) bool {
	c.counts.foreign++
	at := strings.Index(line, restartText)
	if at < 0 {
		return false
	}
	fields := fieldsOf(line[at:])
	if _, found := fields["replica_id"]; !found && fields["replica"] != "" {
		fields["replica_id"] = fields["replica"]
	}
	fields["sim_event"] = ActionRestarted
	next, err := eventOf(fields, c.source.Replica)
	if err != nil && fields["replica_id"] == "" && c.source.Replica == AnyReplica {
		next = gap("a restart of a replica that the line does not name")
	} else if err != nil { // No group: all of them.
		fields["plane"] = "metadata"
		if next, err = eventOf(fields, c.source.Replica); err != nil {
			next = gap("a restart: " + err.Error())
		}
		next.event.Group = ""
	}
	c.hold(next)
	return true
}

// gap is the event of a lost line.
func gap(reason string) placed {
	return placed{event: traces.Event{
		Action: ActionGap, Stutter: true, Args: traces.Args{Reason: reason},
		Open: []string{"status", "view", "log_view", "commit_max"},
	}}
}

// readLine returns the next line, at most lineMax bytes of it, and whether it fits.
func (c *cursor) readLine() (line string, fits bool, err error) {
	part, err := c.in.ReadSlice('\n')
	line = string(bytes.TrimSuffix(part, []byte("\n")))
	if !errors.Is(err, bufio.ErrBufferFull) {
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		return line, true, err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = c.in.ReadSlice('\n')
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, false, err
}
