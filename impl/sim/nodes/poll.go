package nodes

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// ask reads messages from some offset on, or what offset a consumer has stored.
func (partitionLog) ask(c *client) uint32 {
	chance, o := c.s.chances.clients, &c.operation
	if chance.IntN(3) == 0 {
		o.Key += "." + consumerOf(chance.IntN(c.s.plan.shape.keys))
		o.Kind, c.model = lin.GetOffset, lin.Offsets
		ask := consumer(o.Key)
		c.request.Body = protocol.MustAppend(nil, &ask)
		return uint32(protocol.CodeGetOffset)
	}
	from := chance.IntN(int(c.known) + 2)
	o.Kind, c.model = lin.Poll, lin.Partition
	o.Input = lin.Input{Number: lin.Int(int64(from)), Max: lin.Int(pollMax)}
	c.request.Body = pollBody(uint64(from), pollMax)
	return uint32(protocol.CodePoll)
}

func (partitionLog) told(c *client, answer []byte) (wrong string) {
	o := &c.operation
	if o.Kind == lin.Poll {
		o.Output.Values, wrong = polled(answer)
		return wrong
	}
	if len(answer) == 0 {
		return "" // none is stored
	}
	var reply protocol.OffsetReply
	if err := protocol.Decode(answer, &reply); err != nil {
		return fmt.Sprintf("no answer about an offset: %v", err)
	}
	o.Output.Number = lin.Int(int64(reply.Stored))
	return ""
}

// pollBody asks for messages from an offset on.
func pollBody(from uint64, most int) []byte {
	ask := consumer("reader")
	return protocol.MustAppend(nil, &protocol.Poll{
		Consumer: ask.Consumer, Stream: ask.Stream, Topic: ask.Topic, Partition: ask.Partition,
		Strategy: protocol.FromOffset, Value: from, Count: uint32(most),
	})
}

// polled returns the messages in the answer to a poll, or what is wrong with it.
func polled(answer []byte) (messages []string, wrong string) {
	messages = []string{}
	var reply protocol.PollReply
	if err := protocol.Decode(answer, &reply); err != nil {
		return nil, fmt.Sprintf("no answer to a poll: %v", err)
	}
	for rest := reply.Batches; len(rest) > 0; {
		b, behind, err := batch.DecodeFirst(rest)
		if err != nil {
			return nil, fmt.Sprintf("no batch in a poll: %v", err)
		}
		for m := range b.Messages() {
			messages = append(messages, string(m.Payload))
		}
		rest = behind
	}
	return messages, ""
}

// pollMax is how many messages a poll asks for, pollFrom bounds where one of a single replica
// begins.
const (
	pollMax  = 5
	pollFrom = 32
)

// pollSomewhere reads from one replica of a partition what it has executed, which may be old: it
// is some beginning of the log, and never one shorter than what this boot has shown before.
func (s *simulation) pollSomewhere() {
	chance := s.chances.clients
	p, group := s.processes[chance.IntN(len(s.processes))], chance.IntN(len(s.plan.shape.workloads))
	from := chance.IntN(pollFrom)
	if p.up && s.workloadOf(wire.GroupID(group)) == (partitionLog{}) {
		reader := (p.id+1)*readersEach + p.boot
		s.poll(p, wire.GroupID(group), uint64(from), pollMax, reader, lin.LevelSerializable)
	}
}

// pollBody is [pollBody], kept for the polls that come each tick.
func (s *simulation) pollBody(from uint64, most int) []byte {
	if from >= pollFrom || most != pollMax {
		return pollBody(from, most)
	}
	if s.pollBodies[from] == nil {
		s.pollBodies[from] = pollBody(from, most)
	}
	return s.pollBodies[from]
}

// readersEach bounds the boots of a process, each of which is a reader of its own.
const readersEach = 1 << 20

// poll asks a replica for messages and puts what it says into the history. It returns how many
// there were.
func (s *simulation) poll(
	p *process, group wire.GroupID, from uint64, most, reader int, level lin.Level,
) int {
	answer, err := p.hosts[group].Query(uint32(protocol.CodePoll), s.pollBody(from, most))
	if err != nil {
		s.fail(FailReply, "process %d, group %d: %v", p.id, group, err)
		return 0
	}
	call := s.history.moment()
	o := lin.Operation{
		Client: reader, ID: uint64(call), Call: call, Return: s.history.moment(), Kind: lin.Poll,
		Key: groupKey(group),
		Input: lin.Input{
			Number: lin.Int(int64(from)), Max: lin.Int(int64(most)), Level: level,
		},
	}
	var wrong string
	if o.Output.Values, wrong = polled(answer); wrong != "" {
		s.fail(FailReply, "process %d, group %d: %s", p.id, group, wrong)
		return 0
	}
	s.result.Polls++
	s.history.add(lin.Partition, o)
	return len(o.Output.Values)
}
