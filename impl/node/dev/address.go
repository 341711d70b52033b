package dev

import (
	"fmt"
	"math/rand/v2"
	"net"

	"go.uber.org/multierr"
)

// Ports are drawn from below those that systems give to outgoing connections (from 32768 on
// Linux, 49152 elsewhere): between the moment that an address is found free and the one at
// which its process listens there, a process that starts earlier dials its peers already, and
// one of these connections would now and then be given the port.
const (
	portFirst = 10_240
	portLast  = 32_767
	triesMax  = 1_000
)

// FreeAddresses returns n different loopback addresses that nobody listens at just now.
//
// Errors: that of the last try, if a thousand find nothing.
func FreeAddresses(n int) (addresses []string, err error) {
	var taken []net.Listener
	defer func() {
		for _, listener := range taken {
			err = multierr.Append(err, listener.Close())
		}
	}()
	for tries := 0; len(taken) < n; {
		address := fmt.Sprintf("127.0.0.1:%d", portFirst+rand.IntN(portLast-portFirst+1))
		listener, err := net.Listen("tcp", address)
		if err == nil {
			taken, addresses = append(taken, listener), append(addresses, address)
			continue
		}
		if tries++; tries == triesMax {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
	}
	return addresses, nil
}
