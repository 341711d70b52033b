package retention

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	model "github.com/viewstamp/viewstamp/model/retention"
)

// differs says at which replica machine and model differ, and in what; nothing if they do not.
func (g *Group) differs(s *model.State) (replica int, what string) {
	for r, m := range g.machines {
		want := &s.Machine[r]
		got, counted := m.Stats(), partition.Stats{
			Start: uint64(want.Start), Next: uint64(want.Next),
			Messages: uint64(want.Next - want.Start), Segments: int(want.Count),
			Bytes: int64(g.bytes) * int64(want.Next-want.Start),
		}
		for c := range uint8(g.config.Consumers) {
			next := uint64(want.Stored[c])
			if next > 0 {
				counted.Consumers++
			}
			if stored := storedBy(m, c+1); stored != next {
				return r, fmt.Sprintf("consumer %d goes on at %d, expected %d", c+1, stored, next)
			}
		}
		if got != counted {
			return r, fmt.Sprintf("the machine has %+v, expected %+v", got, counted)
		}
		if m.Generation() != uint64(want.Generation) {
			return r, fmt.Sprintf("generation %d, expected %d", m.Generation(), want.Generation)
		}
		for from := range want.Next + 1 {
			g.Counts.Polls++
			if what := pollDiffers(m, uint64(from), want); what != "" {
				return r, what
			}
		}
		for q := range r {
			if s.CommitMin[q] != s.CommitMin[r] {
				continue
			}
			g.Counts.Checksums++
			if g.machines[q].Checksum() != m.Checksum() {
				return r, fmt.Sprintf("another checksum than replica %d at op %d", q, s.CommitMin[r])
			}
		}
	}
	return 0, ""
}

// storedBy is the offset that a consumer reads next, 0 if it has stored none.
func storedBy(m *partition.Machine, consumer uint8) uint64 {
	ask := offsetOf(consumer)
	answer := m.Query(uint32(protocol.CodeGetOffset), protocol.MustAppend(nil, &ask))
	var reply protocol.OffsetReply
	if answer == nil || protocol.Decode(answer, &reply) != nil {
		return 0
	}
	return reply.Stored + 1
}

// pollDiffers polls all from an offset, and says what is wrong with the answer.
func pollDiffers(m *partition.Machine, from uint64, want *model.Machine) string {
	ask := offsetOf(1)
	answer := m.Query(uint32(protocol.CodePoll), protocol.MustAppend(nil, &protocol.Poll{
		Consumer: ask.Consumer, Stream: ask.Stream, Topic: ask.Topic, Partition: ask.Partition,
		Strategy: protocol.FromOffset, Value: from, Count: 100,
	}))
	var reply protocol.PollReply
	if err := protocol.Decode(answer, &reply); err != nil {
		return fmt.Sprintf("the answer to a poll: %v", err)
	}
	at := max(from, uint64(want.Start))
	for rest := reply.Batches; len(rest) > 0; {
		b, behind, err := batch.DecodeFirst(rest)
		if err != nil {
			return fmt.Sprintf("the answer to a poll: %v", err)
		}
		if b.First() != at {
			return fmt.Sprintf("a poll from %d returns offset %d, expected %d", from, b.First(), at)
		}
		at, rest = b.Next(), behind
	}
	if at < uint64(want.Next) {
		return fmt.Sprintf("a poll from %d ends at %d, expected %d", from, at, want.Next)
	}
	return ""
}
