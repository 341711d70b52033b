package node_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
)

// small is a configuration that is complete.
const small = `
data_dir = "/data"
[cluster]
name = "c"
replica = 1
[[replicas]]
mesh = "127.0.0.1:1"
client = "127.0.0.1:2"
[[replicas]]
mesh = "127.0.0.1:3"
client = "127.0.0.1:4"
`

func load(t *testing.T, text string, environment, settings []string) (node.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "node.toml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return node.LoadConfig(file, environment, settings)
}

func TestExampleIsComplete(t *testing.T) {
	t.Parallel()
	config, err := load(t, node.Example, nil, nil)
	require.NoError(t, err)
	assert.Len(t, config.Replicas, 3)
	// What is commented out shows the defaults: with the comments taken off, nothing changes.
	var shown []string
	for line := range strings.Lines(node.Example) {
		if bare, commented := strings.CutPrefix(line, "# "); commented &&
			strings.Contains(bare, " = ") && !strings.HasPrefix(bare, "key = ") &&
			!strings.HasPrefix(bare, "root_password = ") &&
			!strings.HasPrefix(bare, "mesh = ") && !strings.HasPrefix(bare, "client = ") {
			line = bare
		}
		shown = append(shown, line)
	}
	again, err := load(t, strings.Join(shown, ""), nil, nil)
	require.NoError(t, err)
	assert.Equal(t, config, again)
	for _, key := range []string{
		"request_max", "wal_file", "tick", "level", "sessions_max",
	} {
		assert.Contains(t, strings.Join(shown, ""), "\n"+key+" = ")
	}
}

func TestLaterSourcesCount(t *testing.T) {
	t.Parallel()
	config, err := load(t, small+"[run]\nshards = 2\ntick = \"20ms\"\n",
		[]string{"VIEWSTAMP_RUN_SHARDS=3", "VIEWSTAMP_CLUSTER_REPLICA=0", "VIEWSTAMP_OTHER=1"},
		[]string{"run.shards=4", "clients.request_max=2 MiB", "mesh.tls.authority ="})
	require.NoError(t, err)
	assert.Equal(t, 4, config.Run.Shards, "the command line")
	assert.Equal(t, 0, config.Cluster.Replica, "the environment")
	assert.Equal(t, node.Duration(20*time.Millisecond), config.Run.Tick, "the file")
	assert.Equal(t, node.Size(2<<20), config.Clients.RequestMax)
	assert.Equal(t, node.DefaultConfig().Log, config.Log, "the defaults")
}

// Every mistake is one line that names the key and what was expected.
func TestMistakesNameTheKey(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text     string
		settings []string
		want     []string
	}{
		"unknown key": {small + "[run]\nshard = 2\n", nil, []string{"line 13", `"run.shard"`}},
		"key of another table": {
			"tick = \"1s\"\n" + small, nil,
			[]string{"line 1", `"tick"`, "expected run.tick"},
		},
		"wrong kind": {
			small + "[run]\nshards = \"x\"\n", nil,
			[]string{"line 13", "run.shards", "a string, expected a number"},
		},
		"wrong duration": {
			small + "[run]\ntick = \"soon\"\n", nil,
			[]string{"run.tick", "500ms"},
		},
		"wrong size": {
			small + "[storage]\nwal_file = \"big\"\n", nil,
			[]string{"wal_file", "64 MiB"},
		},
		"not TOML": {"data_dir = \n", nil, []string{"line 1"}},
		"no directory": {
			strings.Replace(small, "/data", "", 1), nil,
			[]string{`"data_dir"`},
		},
		"no such replica": {
			small,
			[]string{"cluster.replica=2"},
			[]string{"cluster.replica", "0 to 1"},
		},
		"replica no place": {
			small,
			[]string{"cluster.replica=x"},
			[]string{"cluster.replica", "number"},
		},
		"no address": {
			strings.Replace(small, "127.0.0.1:3", "there", 1), nil,
			[]string{"replicas[1].mesh", "HOST:PORT"},
		},
		"no port": {
			strings.Replace(small, "127.0.0.1:3", "a:0", 1), nil,
			[]string{"replicas[1].mesh", "1 to 65535"},
		},
		"address twice": {
			strings.Replace(small, "127.0.0.1:3", "127.0.0.1:2", 1), nil,
			[]string{"replicas[1].mesh", "replicas[0].client"},
		},
		"no secret": {
			strings.Replace(small, "127.0.0.1:3", "10.0.0.1:3", 1), nil,
			[]string{"cluster.key", "10.0.0.1:3"},
		},
		"two secrets": {
			small,
			[]string{"cluster.key=a", "cluster.key_file=b"},
			[]string{"cluster.key_file"},
		},
		"half of TLS":  {small, []string{"clients.tls.key=a"}, []string{"clients.tls"}},
		"out of range": {small, []string{"run.tick=1h"}, []string{"run.tick", "1ms to 1s"}},
		"too small": {
			small,
			[]string{"storage.wal_max=1 MiB"},
			[]string{"storage.wal_max", "256 MiB"},
		},
		"unknown level":   {small, []string{"log.level=loud"}, []string{"log.level", "warn"}},
		"unknown setting": {small, []string{"nonsense=1"}, []string{"nonsense", "--example"}},
		"no value":        {small, []string{"run.tick"}, []string{"run.tick", "key=value"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, tc.text, nil, tc.settings)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "\n")
			for _, want := range tc.want {
				assert.Contains(t, err.Error(), want)
			}
		})
	}
	_, err := node.LoadConfig(filepath.Join(t.TempDir(), "none"), nil, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}
