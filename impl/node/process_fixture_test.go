package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/node/dev"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Set in the environment of a process of these tests: its configuration file.
const configVariable = "VIEWSTAMP_TEST_CONFIG"

// patience bounds every wait of these tests. It is reached by failures only.
const patience = 20 * time.Second

// TestMain is also the program that the tests start as their processes: the test binary starts
// itself, so that nothing has to be built or found.
func TestMain(m *testing.M) {
	file := os.Getenv(configVariable)
	if file == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	err := serve(ctx, file)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(ctx context.Context, file string) error {
	config, err := node.LoadConfig(file, nil, nil)
	if err != nil {
		return err
	}
	log := node.NewLog(config.Log, os.Stderr)
	n, err := node.Start(config, log)
	if err != nil {
		return err
	}
	return n.Run(ctx)
}

// processes are the processes of one cluster on loopback addresses.
type processes struct {
	t       *testing.T
	configs []string // files
	clients []string // addresses
	meshes  []string
	admins  []string
	dirs    []string

	mu      sync.Mutex
	running []*exec.Cmd
	stderr  []*os.File
}

// layout is what differs from one cluster of these tests to another; zero fields change nothing.
type layout struct {
	// reach is the address at which one replica reaches another.
	reach func(from, to int, address string) string
	// directory is where a process has its data.
	directory func(process int) string
	// shards of each process, 1 unless set: each costs the machine its ticks.
	shards int
	// storage are the sizes of the log, in place of the usual ones.
	storage string
	// more is added to each configuration: of process i.
	more func(process int) string
}

// newProcesses formats n directories.
func newProcesses(t *testing.T, n int) *processes {
	t.Helper()
	return newProcessesAs(t, n, layout{})
}

func newProcessesAs(t *testing.T, n int, as layout) *processes {
	t.Helper()
	p := &processes{
		t: t, running: make([]*exec.Cmd, n), stderr: make([]*os.File, n),
	}
	all, err := dev.FreeAddresses(3 * n)
	require.NoError(t, err)
	base := t.TempDir()
	for i := range n {
		dir := filepath.Join(base, fmt.Sprint(i), "data")
		if as.directory != nil {
			dir = as.directory(i)
		}
		require.NoError(t, node.Format(dir, node.Identity{
			Cluster: "processes", Replica: i, Replicas: n,
		}))
		file := filepath.Join(base, fmt.Sprintf("node%d.toml", i))
		require.NoError(t, os.WriteFile(file, []byte(as.config(i, n, dir, all)), 0o600))
		p.configs, p.dirs = append(p.configs, file), append(p.dirs, dir)
		p.meshes = append(p.meshes, all[3*i])
		p.clients, p.admins = append(p.clients, all[3*i+1]), append(p.admins, all[3*i+2])
	}
	t.Cleanup(p.cleanup)
	return p
}

// config is the configuration of process i; each has three of the addresses.
func (as layout) config(i, n int, dir string, addresses []string) string {
	var replicas strings.Builder
	for to := range n {
		mesh := addresses[3*to]
		if as.reach != nil && to != i {
			mesh = as.reach(i, to, mesh)
		}
		fmt.Fprintf(&replicas, "[[replicas]]\nmesh = %q\nclient = %q\n", mesh, addresses[3*to+1])
	}
	storage := as.storage
	if storage == "" {
		storage = "wal_file = \"2 MiB\"\nwal_max = \"256 MiB\"\n"
	}
	text := fmt.Sprintf("data_dir = %q\n[cluster]\nname = \"processes\"\nreplica = %d\n"+
		"key = \"secret\"\n%s[listen]\nmesh = %q\nadmin = %q\n"+
		"[run]\ntick = \"2ms\"\nretention = \"50ms\"\nshards = %d\n"+
		"[users]\nroot_password = \"secret\"\n[log]\nlevel = \"debug\"\n"+
		"[storage]\n%s",
		dir, i, replicas.String(), addresses[3*i], addresses[3*i+2], max(as.shards, 1), storage)
	if as.more != nil {
		text += as.more(i)
	}
	return text
}

// cleanup leaves no process behind, and shows what they said if the test failed.
func (p *processes) cleanup() {
	for i := range p.running {
		p.kill(i)
		if content, err := os.ReadFile(p.configs[i] + ".log"); err == nil && p.t.Failed() {
			said, stacks, _ := strings.Cut(string(content), "SIGQUIT: quit")
			lines := strings.Split(said, "\n")
			p.t.Logf("process %d:\n%s\n%s", i, strings.Join(lines[max(0, len(lines)-60):], "\n"),
				stacks)
		}
	}
}

func (p *processes) start(i int) {
	p.t.Helper()
	log, err := os.OpenFile(p.configs[i]+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(p.t, err)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), configVariable+"="+p.configs[i])
	command.Stderr = log
	command.SysProcAttr = childOf()
	require.NoError(p.t, command.Start())
	require.NoError(p.t, log.Close())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[i] = command
}

func (p *processes) startAll() {
	p.t.Helper()
	for i := range p.running {
		p.start(i)
	}
	for i := range p.running {
		p.ready(i)
	}
}

func (p *processes) take(i int) *exec.Cmd {
	p.mu.Lock()
	defer p.mu.Unlock()
	command := p.running[i]
	p.running[i] = nil
	return command
}

// kill ends a process with SIGKILL.
func (p *processes) kill(i int) {
	if command := p.take(i); command != nil {
		_ = command.Process.Kill() // It may have ended by itself.
		_ = command.Wait()
	}
}

// signal sends a signal to a process: SIGSTOP and SIGCONT, say.
func (p *processes) signal(i int, s syscall.Signal) {
	p.t.Helper()
	p.mu.Lock()
	command := p.running[i]
	p.mu.Unlock()
	if command != nil {
		require.NoError(p.t, command.Process.Signal(s), "process %d", i)
	}
}

// stop ends a process with SIGTERM, gracefully.
func (p *processes) stop(i int) {
	p.t.Helper()
	command := p.take(i)
	require.NoError(p.t, command.Process.Signal(syscall.SIGTERM))
	require.NoError(p.t, command.Wait(), "process %d", i)
}

// eventually waits until a condition holds, with pauses that a dead process ends.
func (p *processes) eventually(what string, holds func() bool) {
	p.t.Helper()
	if assert.Eventually(p.t, holds, patience, 10*time.Millisecond, what) {
		return
	}
	for i := range p.running {
		_, body := p.get(i, "/status")
		p.t.Logf("process %d: %s", i, body)
		p.signal(i, syscall.SIGQUIT) // It says where its goroutines are.
	}
	pause(time.Second)
	p.t.FailNow()
}

func (p *processes) get(i int, path string) (int, string) {
	response, err := http.Get("http://" + p.admins[i] + path)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return response.StatusCode, string(body)
}

func (p *processes) ready(i int) {
	p.t.Helper()
	p.eventually(fmt.Sprintf("process %d is ready", i), func() bool {
		status, _ := p.get(i, "/readyz")
		return status == http.StatusOK
	})
}

func (p *processes) status(i int) (s node.Status) {
	p.t.Helper()
	code, body := p.get(i, "/status")
	require.Equal(p.t, http.StatusOK, code, body)
	require.NoError(p.t, json.Unmarshal([]byte(body), &s))
	return s
}

// group returns where replica i stands in a group, once it has one in status normal.
func (p *processes) group(i int, id wire.GroupID) (found node.GroupStatus) {
	p.t.Helper()
	p.eventually(fmt.Sprintf("process %d has group %d", i, id), func() bool {
		for _, g := range p.status(i).Groups {
			if g.Group == id && g.Status == "normal" {
				found = g
				return true
			}
		}
		return false
	})
	return found
}
