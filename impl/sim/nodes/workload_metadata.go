package nodes

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// catalogue is the metadata group: streams come and go.
type catalogue struct{}

// String returns the name.
func (catalogue) String() string { return "metadata" }

func (catalogue) machine(_ *process, w watching) statemachine.Machine {
	return &metadataMachine{Machine: metadata.New(metadata.DefaultLimits()), watching: w}
}

func (catalogue) begin(c *client) {
	chance, o := c.s.chances.clients, &c.operation
	name := "stream-" + strconv.Itoa(chance.IntN(c.s.plan.shape.keys+1))
	c.model, o.Input.Value = lin.Metadata, lin.Text(name)
	o.Key += "." + name
	if chance.IntN(3) > 0 {
		o.Kind, c.request.Operation = lin.Create, protocol.OperationCreateStream
		c.request.Body = protocol.MustAppend(nil, &protocol.CreateStream{Name: name})
		return
	}
	o.Kind, c.request.Operation = lin.Delete, protocol.OperationDeleteStream
	c.request.Body = protocol.MustAppend(nil, &protocol.StreamRef{
		Stream: protocol.Named(name),
	})
}

func (catalogue) end(c *client, result []byte) string {
	o := &c.operation
	var r protocol.Result
	if err := protocol.Decode(result, &r); err != nil {
		return err.Error()
	}
	if o.Kind == lin.Delete {
		o.Output.OK = len(r.Rejections) == 0
		return ""
	}
	if len(r.Rejections) > 0 {
		return "" // the name exists
	}
	var stream protocol.StreamDetails
	if err := protocol.Decode(r.Payload, &stream); err != nil {
		return fmt.Sprintf("no stream in the answer to its creation: %v", err)
	}
	o.Output.Number = lin.Int(int64(stream.ID))
	c.known = int64(stream.ID)
	c.knownName = o.Input.Value.Text
	return c.s.history.shows(c.group, stream.ID, c.knownName, true)
}

// ask looks for a stream by its name, or for the name of one that the client has created.
func (catalogue) ask(c *client) uint32 {
	chance, o := c.s.chances.clients, &c.operation
	c.model = lin.Metadata
	name, who := c.knownName, protocol.ID(uint32(max(c.known, 0)))
	if c.known < 0 || chance.IntN(2) == 0 {
		name = "stream-" + strconv.Itoa(chance.IntN(c.s.plan.shape.keys+1))
		o.Kind, o.Input.Value, who = lin.Lookup, lin.Text(name), protocol.Named(name)
	} else {
		o.Kind, o.Input.Number = lin.NameOf, lin.Int(c.known)
	}
	o.Key += "." + name
	c.request.Body = protocol.MustAppend(nil, &protocol.StreamRef{Stream: who})
	return uint32(protocol.CodeGetStream)
}

func (catalogue) told(c *client, answer []byte) string {
	if len(answer) == 0 {
		return "" // there is none
	}
	var stream protocol.StreamDetails
	if err := protocol.Decode(answer, &stream); err != nil {
		return fmt.Sprintf("no stream in an answer: %v", err)
	}
	if c.operation.Kind == lin.NameOf {
		c.operation.Output.Value = lin.Text(stream.Name)
	} else {
		c.operation.Output.Number = lin.Int(int64(stream.ID))
	}
	return c.s.history.shows(c.group, stream.ID, stream.Name, false)
}
