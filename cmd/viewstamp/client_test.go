package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/client/clienttest"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// asked runs "viewstamp client" against a cluster in memory.
type asked struct {
	t       *testing.T
	cluster *clienttest.Cluster
	flags   []string
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	cluster, err := clienttest.New(3)
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return &asked{t: t, cluster: cluster, flags: []string{
		"--address", strings.Join(cluster.Addresses(), ","), "--user", clienttest.User,
		"--password-file", write(t, "password", clienttest.Password+"\n"),
	}}
}

func (a *asked) do(line string, more ...string) (status int, stdout, stderr string) {
	a.t.Helper()
	arguments := append(append([]string{"client"}, strings.Fields(line)...), more...)
	return do(a.t, append(arguments, a.flags...)...)
}

// ok demands success, and returns what was printed.
func (a *asked) ok(line string, more ...string) string {
	a.t.Helper()
	status, stdout, stderr := a.do(line, more...)
	require.Empty(a.t, stderr, line)
	require.Equal(a.t, statusPassed, status, line)
	return stdout
}

func TestClientCommands(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	assert.Contains(t, a.ok("ping"), "NODE")
	assert.Equal(t, "created stream shop, id 1\n", a.ok("stream create shop"))
	assert.Equal(t, "created topic orders, id 2, 2 partitions\n",
		a.ok("topic create shop orders --partitions 2 --option durability=persisted"))
	lines := write(t, "lines", "one\ntwo\nthree\n")
	assert.Equal(t, "partition 0: 2 messages, offsets 0 to 1\n"+
		"partition 1: 1 messages, offsets 0 to 0\n", a.ok("send shop orders", lines))
	assert.Equal(t, "0/0  one\n0/1  three\n1/0  two\n", a.ok("poll shop orders"))
	assert.Equal(t, "0/1  three\n", a.ok("poll #1 #2 --partition 0 --from 1 --level local"))
	assert.Equal(t, "1/0  two\n", a.ok("tail shop orders --partition 1"))
	assert.Equal(t, "0/0  one\n",
		a.ok("tail shop orders --from first --follow --limit 1 --partition 0"))
	assert.Equal(t, "PARTITION  OFFSET\n0          1\n",
		a.ok("offset shop orders --consumer billing --partition 0 --store 1"))
	assert.Equal(t, "PARTITION  OFFSET\n0          1\n1          none\n",
		a.ok("offset shop orders --consumer billing"))
	assert.Empty(t, a.ok("poll shop orders --partition 0 --from next --consumer billing"))
	a.ok("poll shop orders --partition 1 --consumer billing --commit")
	assert.Equal(t, "PARTITION  OFFSET\n0          none\n",
		a.ok("offset shop orders --consumer billing --partition 0 --delete"))
	assert.Contains(t, a.ok("stream list"), "1   shop  1       3")
	assert.Contains(t, a.ok("topic list shop"), "2   orders  2           3")
	assert.Equal(t, "deleted topic orders\n", a.ok("topic delete shop orders"))
	assert.Equal(t, "deleted stream shop\n", a.ok("stream delete shop"))
}

func TestClientPrintsJSON(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	parse := func(line string, more ...string) map[string]any {
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(a.ok(line+" --json", more...)), &got), line)
		return got
	}
	assert.Equal(t, "test", parse("ping")["cluster"])
	assert.Empty(t, parse("stream list")["streams"])
	assert.Equal(t, "shop", parse("stream create shop")["name"])
	assert.Equal(t, "orders", parse("topic create shop orders")["name"])
	assert.Len(t, parse("topic list shop")["topics"], 1)
	assert.Len(t, parse("send shop orders", write(t, "lines", "a\n\xff\n"))["sent"], 1)
	messages := parse("poll shop orders")["messages"].([]any)
	assert.Equal(t, "a", messages[0].(map[string]any)["payload"])
	assert.Equal(t, "/w==", messages[1].(map[string]any)["payload_base64"])
	assert.Len(t, parse("offset shop orders --consumer c")["offsets"], 1)
	assert.Equal(t, "orders", parse("topic delete shop orders")["deleted"])
	assert.Equal(t, "shop", parse("stream delete shop")["deleted"])
}

func TestClientFailuresAreOneLine(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.ok("stream create shop")
	a.ok("topic create shop orders")
	for name, tc := range map[string]struct {
		line, want string
		status     int
	}{
		"a stream that exists": {"stream create shop", "a stream of this name exists", 1},
		"an unknown stream":    {"topic list nowhere", "no stream of this name", 1},
		"an unknown topic": {
			"poll shop nothing",
			`no topic "nothing" in stream "shop"`, 1,
		},
		"an unknown partition": {"poll shop orders --partition 9", "no such partition", 1},
		"a wrong password":     {"ping --password-file /dev/null", "invalid_credentials", 1},
		"an offset beyond the end": {
			"offset shop orders --consumer c --partition 0 --store 9",
			"no message has this offset", 1,
		},
		"no argument":   {"stream create", "0 arguments, expected NAME", 2},
		"a bad id":      {"topic list #x", `STREAM: "#x", expected # and a number`, 2},
		"a bad address": {"ping --address there", "expected host:port", 1},
		"a bad level":   {"poll shop orders --level none", "linearizable or local", 2},
		"a bad beginning": {
			"tail shop orders --from then",
			"first, last, next or an offset", 2,
		},
		"next of nobody": {
			"poll shop orders --from next",
			"--from next without --consumer", 2,
		},
		"a commit of nobody": {
			"poll shop orders --commit",
			"--commit without --consumer", 2,
		},
		"a file that is not there":  {"send shop orders nothing.txt", "nothing.txt", 2},
		"an option without a value": {"topic create shop t --option x", "expected key=value", 2},
		"an offset of all": {
			"offset shop orders --consumer c --delete",
			"need --partition", 2,
		},
		"two changes of an offset": {
			"offset shop orders --consumer c --store 1 --delete",
			"expected one of them", 2,
		},
		"an authority without a key": {
			"ping --tls-authority client.go",
			"client.go has no certificate", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arguments := append(append([]string{"client"}, a.flags...), strings.Fields(tc.line)...)
			status, stdout, stderr := do(t, arguments...)
			assert.Equal(t, tc.status, status, stderr)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
}

// A full disk is waited out, and then said: nothing was done.
func TestClientSaysThatTheDiskIsFull(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.ok("stream create shop")
	a.ok("topic create shop orders")
	for range 1000 {
		a.cluster.Inject(clienttest.Fault{Code: protocol.CodeSend, Status: protocol.StatusDiskFull})
	}
	status, stdout, stderr := a.do("send shop orders --timeout 300ms", write(t, "lines", "a\n"))
	assert.Equal(t, statusFailed, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "the disk is full")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
}

func TestClientSaysWhatIsUnknown(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.ok("stream create shop")
	a.ok("topic create shop orders")
	a.cluster.Inject(clienttest.Fault{Code: protocol.CodeSend, Lose: true})
	status, _, stderr := a.do("send shop orders", write(t, "lines", "a\n"))
	assert.Equal(t, statusUndecided, status)
	assert.Contains(t, stderr, "send: outcome unknown")
	a.cluster.Inject(clienttest.Fault{Code: protocol.CodeSend, Lose: true})
	assert.Contains(t, a.ok("send shop orders --repeat", write(t, "lines", "b\n")), "1 messages")

	path := filepath.Join(t.TempDir(), "history.jsonl")
	a.ok("poll shop orders --from 0 --history", path)
	status, stdout, _ := do(t, "lin", "check", "--model", "partition", path)
	assert.Equal(t, statusFailed, status, "it sees records of others, which nobody appended")
	assert.Contains(t, stdout, "poll")
}

// A tail that follows goes on when the primary moves.
func TestTailFollowsThePrimary(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.ok("stream create shop")
	a.ok("topic create shop orders")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := &waitingBuffer{want: "0/2", found: cancel}
	var stderr bytes.Buffer
	done := make(chan int)
	go func() {
		arguments := append([]string{
			"client", "tail", "shop", "orders", "--follow", "--from", "first", "--interval", "1ms",
		}, a.flags...)
		done <- run(ctx, arguments, seen, &stderr)
	}()
	for i := range 3 {
		a.cluster.SetPrimary((i+1)%3, (i+2)%3)
		a.ok("send shop orders", write(t, "lines", strings.Repeat("x", i+1)+"\n"))
	}
	assert.Equal(t, statusPassed, <-done)
	assert.Equal(t, "0/0  x\n0/1  xx\n0/2  xxx\n", seen.text.String())
	assert.Empty(t, stderr.String())
}

// waitingBuffer calls found when it has seen a text.
type waitingBuffer struct {
	text  bytes.Buffer
	want  string
	found func()
}

func (w *waitingBuffer) Write(b []byte) (int, error) {
	n, err := w.text.Write(b)
	if strings.Contains(w.text.String(), w.want) {
		w.found()
	}
	return n, err
}
