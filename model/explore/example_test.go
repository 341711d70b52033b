package explore_test

import (
	"context"
	"fmt"
	"os"

	"github.com/viewstamp/viewstamp/model/explore"
)

// add is the only action of the counter.
type add int

func (add) Name() string     { return "Add" }
func (a add) String() string { return fmt.Sprintf("Add(%d)", int(a)) }

// A counter that adds 2 or 3 and should never show 7.
func ExampleCheck() {
	counter := explore.Model[int, add]{
		Name: "counter",
		Init: func() []int { return []int{0} },
		Next: func(s int, yield func(add, int)) {
			for _, n := range []int{2, 3} {
				if s+n <= 10 {
					yield(add(n), s+n)
				}
			}
		},
		Key:    func(dst []byte, s int) []byte { return append(dst, byte(s)) },
		Format: func(s int) []string { return []string{fmt.Sprintf("shows = %d", s)} },
		Always: []explore.Property[int]{{Name: "NeverSeven", Check: func(s int) error {
			if s == 7 {
				return fmt.Errorf("it shows %d", s)
			}
			return nil
		}}},
	}
	result, err := explore.Check(context.Background(), counter, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Distinct, "states, depth", result.Depth)
	_ = explore.Print(os.Stdout, counter, result.Violation)
	// Output:
	// 9 states, depth 4
	// counter: NeverSeven is violated in state 4: it shows 7
	//    1  initial state
	//         shows = 0
	//    2  Add(2)
	//         shows = 2  (was 0)
	//    3  Add(2)
	//         shows = 4  (was 2)
	//    4  Add(3)
	//         shows = 7  (was 4)
}
