package client_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/client/clienttest"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// exampleOptions are those of a cluster in memory. Against nodes, Addresses are theirs.
func exampleOptions() (client.Options, func()) {
	cluster, err := clienttest.New(3)
	if err != nil {
		panic(err)
	}
	return client.Options{
		Addresses: cluster.Addresses(), User: clienttest.User, Password: clienttest.Password,
	}, cluster.Close
}

func ExampleOpen() {
	options, stop := exampleOptions()
	defer stop()
	ctx := context.Background()
	c, err := client.Open(ctx, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	stream, err := c.CreateStream(ctx, "shop")
	fmt.Println(stream.Name, err)
	_, err = c.CreateStream(ctx, "shop")
	fmt.Println(errors.Is(err, client.StatusError(protocol.StatusStreamExists)))
	fmt.Println(errors.Is(err, client.ErrUnknown))
	// Output:
	// shop <nil>
	// true
	// false
}

func ExampleClient_NewProducer() {
	options, stop := exampleOptions()
	defer stop()
	ctx := context.Background()
	c, err := client.Open(ctx, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if _, err := c.CreateStream(ctx, "shop"); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.CreateTopic(ctx, protocol.Named("shop"), "orders", 1); err != nil {
		fmt.Println(err)
		return
	}
	orders := client.Partition{Stream: protocol.Named("shop"), Topic: protocol.Named("orders")}

	producer := c.NewProducer(orders, client.ProducerOptions{})
	for _, text := range []string{"one", "two", "three"} {
		if _, err := producer.Send([]byte(text)); err != nil {
			fmt.Println(err)
		}
	}
	if err := producer.Close(ctx); err != nil {
		fmt.Println(err)
	}

	consumer := c.NewConsumer(orders, client.ConsumerOptions{
		ID: protocol.Consumer{Kind: protocol.Single, ID: protocol.Named("billing")},
	})
	messages, err := consumer.Next(ctx)
	for _, m := range messages {
		fmt.Println(m.Offset, string(m.Payload))
	}
	fmt.Println(err, consumer.Commit(ctx))
	// Output:
	// 0 one
	// 1 two
	// 2 three
	// <nil> <nil>
}
