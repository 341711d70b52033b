package metadata_test

import (
	"crypto/rand"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// What a node does with a request, and what it learns of the groups that it is to run.
func ExampleMachine() {
	m := metadata.New(metadata.DefaultLimits())
	request := func(at uint64, op wire.Operation, r protocol.Body) {
		prepared, _, err := m.Admit(op, protocol.MustAppend(nil, r)).Body(rand.Reader)
		if err != nil {
			fmt.Println(err)
			return
		}
		reply := m.Execute(&wire.Prepare{
			Header: wire.PrepareHeader{Operation: op, Timestamp: at}, Body: prepared,
		})
		var result protocol.Result
		if err := protocol.Decode(reply, &result); err != nil {
			fmt.Println(err)
			return
		}
		for _, r := range result.Rejections {
			fmt.Println("refused:", r.Status)
		}
	}
	request(1, protocol.OperationCreateStream, &protocol.CreateStream{Name: "orders"})
	request(2, protocol.OperationCreateStream, &protocol.CreateStream{Name: "orders"})
	request(3, protocol.OperationCreateTopic, &protocol.CreateTopic{
		Stream: protocol.Named("orders"), Name: "eu", Partitions: 2,
		Options: []protocol.Option{protocol.TextOption(protocol.OptionDurability, "persisted")},
	})
	for _, c := range m.TakeChanges() {
		g := c.Group
		fmt.Printf("%v: group %d is partition %d of topic %d, %v\n",
			c.Kind, g.ID, g.Partition, g.Topic, g.Options.Durability)
	}
	// Output:
	// refused: a stream of this name exists
	// created: group 1 is partition 0 of topic 1, persisted
	// created: group 2 is partition 1 of topic 1, persisted
}
