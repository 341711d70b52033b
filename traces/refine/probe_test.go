package refine

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/model/explore"
)

func TestProbe(t *testing.T) {
	var b Bounds
	b.Replicas = 3
	full := 0
	var d int
	fmt.Sscan(os.Getenv("B"), &b.Requests, &b.Views, &b.Crashes, &full, &d)
	b.Full = full == 1
	b.Defects = vsr.Defects(d)
	ctx, c := context.WithTimeout(context.Background(), 40*time.Second)
	defer c()
	r, err := Check(ctx, b, explore.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Result, r.Replicas, r.Messages, r.Covered, r.Missing, r.Story)
}
