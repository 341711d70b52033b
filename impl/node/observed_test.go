package node_test

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// observed is what all clients of a test saw, by a common clock.
type observed struct {
	mu         sync.Mutex
	began      time.Time
	operations []lin.Operation
	// open counts requests without an outcome: their clients go on under another name.
	open int
}

func (o *observed) now() int64 { return int64(time.Since(o.began)) + 1 }

// note adds an operation; err says that its outcome is not known.
func (o *observed) note(operation lin.Operation, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	operation.Client += 100_000 * o.open
	operation.Open = err != nil
	if err == nil {
		operation.Return = o.now()
	} else {
		o.open++
	}
	o.operations = append(o.operations, operation)
}

func (o *observed) send(c *tester, client, n int) {
	message := fmt.Sprintf("%d-%d", client, n)
	call := o.now()
	offset, err := c.send("persisted", 0, message)
	operation := lin.Operation{
		Client: client, ID: uint64(n), Key: "0", Kind: lin.Append, Call: call,
		Input: lin.Input{Value: lin.Text(message)},
	}
	if err == nil {
		operation.Output.Number = lin.Int(int64(offset))
	}
	o.note(operation, err)
}

// poll reads all that there is; one that fails says nothing and is left out. A local one shows
// what one replica has executed: of one process never less than before, so that to that extent
// each connection is a client.
func (o *observed) poll(c *tester, client, n int, level lin.Level) {
	const all = 1 << 20
	code := protocol.CodePoll
	if level == lin.LevelLinearizable {
		code = code.Linearizable()
	} else {
		client += 10 * c.connections
	}
	call := o.now()
	messages, err := c.pollAs(code, "persisted", 0, 0, all)
	if err != nil {
		return
	}
	o.note(lin.Operation{
		Client: client, ID: uint64(n), Key: "0", Kind: lin.Poll, Call: call,
		Input:  lin.Input{Number: lin.Int(0), Max: lin.Int(all), Level: level},
		Output: lin.Output{Values: messages},
	}, nil)
}

// lose returns the operations as they would be had the first message that was both acknowledged
// and read later been missing in the last read.
func lose(operations []lin.Operation) []lin.Operation {
	lost := slices.Clone(operations)
	for i := len(lost) - 1; i >= 0; i-- {
		if o := &lost[i]; o.Kind == lin.Poll && len(o.Output.Values) > 1 {
			o.Output.Values = slices.Delete(slices.Clone(o.Output.Values), 0, 1)
			return lost
		}
	}
	return nil
}
