package refine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

func TestCoresRefineTheModel(t *testing.T) {
	t.Parallel()
	for _, b := range []Bounds{
		{Replicas: 3, Requests: 1}, {Replicas: 3, Requests: 1, Views: 1},
	} {
		r, err := Check(context.Background(), b, explore.Options{Workers: 1})
		require.NoError(t, err)
		t.Log(r.Result, r.Replicas, r.Messages, r.Covered, r.Missing)
		require.Nil(t, r.Violation, "%s", r.Story)
	}
}
