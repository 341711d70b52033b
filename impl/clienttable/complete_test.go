package clienttable_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The machine may take its time. Until it has answered, the table is that of the op before.
func TestARequestUnderWayChangesNothingYet(t *testing.T) {
	t.Parallel()
	made := tableAfter(t, small, register(1, 1))
	before := made.AppendSnapshot(nil)
	done := made.Execute(2, request(1, 1, 1))
	assert.Equal(t, clienttable.Result{Outcome: clienttable.Execute}, done)
	op, ok := made.Executing()
	assert.True(t, ok)
	assert.Equal(t, wire.Op(2), op)
	assert.Equal(t, before, made.AppendSnapshot(nil))
	assert.Equal(t, clienttable.Prepare, made.Answer(request(1, 1, 1)).Kind)

	copied := made.Clone() // A core may be copied then, too.
	assert.Equal(t, reply(1, 1, 2), made.Complete(2, bodyOf(2)))
	assert.Equal(t, reply(1, 1, 2), copied.Complete(2, bodyOf(2)))
	assert.Equal(t, made.AppendSnapshot(nil), copied.AppendSnapshot(nil))
	_, ok = made.Executing()
	assert.False(t, ok)
}

func TestTheTableKeepsItsOwnBytes(t *testing.T) {
	t.Parallel()
	made := tableAfter(t, small, register(1, 1))
	made.Execute(2, request(1, 1, 1))
	body := []byte("result of 2")
	made.Complete(2, body)
	body[0] = '!'
	assert.Equal(t, reply(1, 1, 2), made.Answer(request(1, 1, 1)))
}

// A full ring is shifted in place: the copy's must not be.
func TestACopyGoesItsOwnWay(t *testing.T) {
	t.Parallel()
	made := tableAfter(t, small, register(1, 1), request(1, 1, 1), request(1, 1, 2))
	copied := made.Clone()
	before := copied.AppendSnapshot(nil)
	execute(made, request(1, 1, 3))
	execute(made, register(2, 1))
	assert.Equal(t, before, copied.AppendSnapshot(nil))
	require.NoError(t, copied.CheckInvariants())
}

// A reply beyond the limit goes out once. Who asks again learns that it executed, and no more.
func TestALargeReplyIsNotKept(t *testing.T) {
	t.Parallel()
	made := tableAfter(t, small, register(1, 1))
	for number, size := range []int{small.ReplyBytes, small.ReplyBytes + 1} {
		m := request(1, 1, wire.RequestNumber(number+1))
		made.Execute(made.Op()+1, m)
		first := made.Complete(made.Op()+1, make([]byte, size))
		assert.Equal(t, clienttable.Replied, first.Kind)
		assert.Len(t, first.Body, size)
		if size <= small.ReplyBytes {
			assert.Equal(t, first, made.Answer(m))
			continue
		}
		assert.Equal(t, gone(1, m.Number), made.Answer(m))
		assert.Equal(t, refused(1, m.Number), made.Answer(otherBytes(m)))
	}
	require.NoError(t, made.CheckInvariants())
}

func TestWhatOnlyABugOfTheHostCanDoPanics(t *testing.T) {
	t.Parallel()
	underWay := func() *table {
		made := tableAfter(t, small, register(1, 1))
		made.Execute(2, request(1, 1, 1))
		return made
	}
	for name, call := range map[string]func(){
		"an op twice":                      func() { underWay().Execute(1, register(1, 1)) },
		"a gap between ops":                func() { clienttable.New(small).Execute(2, register(1, 1)) },
		"an op before the result":          func() { underWay().Execute(3, register(2, 1)) },
		"an op while another is under way": func() { underWay().Execute(2, register(2, 1)) },
		"a result without a request":       func() { clienttable.New(small).Complete(1, nil) },
		"the result of another request":    func() { underWay().Complete(3, nil) },
		"a message without a kind": func() {
			clienttable.New(small).Execute(1, message{Client: client(1)})
		},
		"a bad configuration": func() { clienttable.New(config{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Panics(t, call)
		})
	}
}

func TestConfigSaysWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(c *config)
		want   string
	}{
		"no shape": {
			func(c *config) { c.Shape = 0 },
			"client table: shape is 0, expected 1 (numbered) or 2 (upstream)",
		},
		"no slots": {
			func(c *config) { c.Capacity = 0 }, "client table: capacity is 0, expected 1 to 65536",
		},
		"a ring too large": {
			func(c *config) { c.Ring = 65 }, "client table: ring is 65, expected 1 to 64",
		},
		"less than nothing": {
			func(c *config) { c.ReplyBytes = -1 },
			"client table: reply bytes is -1, expected 0 to 67108352",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := small
			tc.change(&c)
			require.EqualError(t, c.Validate(), tc.want)
		})
	}
	require.NoError(t, small.Validate())
}

// Many clients come and go; whatever they do, the table stays within its figures.
func TestATableIsNoLargerThanItsConfigurationSays(t *testing.T) {
	t.Parallel()
	c := config{Shape: clienttable.Numbered, Capacity: 8, Ring: 3, ReplyBytes: 10}
	made := clienttable.New(c)
	for i := range uint64(100) {
		session := execute(made, register(i+1, 1)).Answer.Session
		for n := range wire.RequestNumber(5) {
			execute(made, request(i+1, session, n+1))
		}
		assert.LessOrEqual(t, made.Len(), c.Capacity)
	}
	assert.LessOrEqual(t, int64(len(made.AppendSnapshot(nil))), c.SnapshotBytes())

	full := clienttable.New(c)
	for i := range uint64(8) {
		session := execute(full, register(i+1, 1)).Answer.Session
		for n := range wire.RequestNumber(5) {
			full.Execute(full.Op()+1, request(i+1, session, n+1))
			full.Complete(full.Op()+1, bytes.Repeat([]byte{1}, c.ReplyBytes))
		}
	}
	assert.Len(t, full.AppendSnapshot(nil), int(c.SnapshotBytes()), "a full table has the figure")
}
