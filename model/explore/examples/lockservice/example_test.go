package lockservice_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/examples/lockservice"
)

// With fencing, a client that slept too long is refused, and nothing is overwritten.
func ExampleModel() {
	model := lockservice.Model(3, true)
	result, err := explore.Check(context.Background(), model, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("complete:", result.Complete, "violation:", result.Violation != nil)
	fmt.Println(result.Distinct, "states")
	for _, goal := range model.Sometimes {
		fmt.Println(goal.Name+":", result.Goals[goal.Name])
	}
	// Output:
	// complete: true violation: false
	// 144 states
	// two clients think they hold the lock: true
	// a write is refused: true
}

// Without fencing, the storage takes a write of a client whose lease has expired, after
// one of the client that holds the lock.
func ExampleModel_withoutFencing() {
	model := lockservice.Model(3, false)
	result, err := explore.Check(context.Background(), model, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Violation.Reason)
	_ = explore.WriteMermaid(os.Stdout, lockservice.Participants(), result.Violation.Path,
		lockservice.Arrows)
	// Output:
	// the storage took token 1 after token 2
	// sequenceDiagram
	//   participant p0 as service
	//   participant p1 as client 1
	//   participant p2 as client 2
	//   participant p3 as storage
	//   p0->>p2: 2. lock with token 1
	//   Note over p0: 3. the lease expires
	//   p0->>p1: 4. lock with token 2
	//   p1->>p3: 5. write with token 2
	//   p2->>p3: 6. write with token 1
}

// A walk towards a situation needs no memory of all states, so that it works in models
// that are too large to search.
func ExampleModel_walk() {
	model := lockservice.Model(100, true)
	random := rand.New(rand.NewPCG(1, 2))
	_, reached := explore.WalkTowards(model, random, 1000, func(s lockservice.State) int {
		if lockservice.Refused(s) {
			return 0
		}
		return 1
	})
	fmt.Println("refused:", reached)
	// Output:
	// refused: true
}
