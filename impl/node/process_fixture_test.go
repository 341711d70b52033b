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
	admins  []string
	dirs    []string

	mu      sync.Mutex
	running []*exec.Cmd
	stderr  []*os.File
}

// newProcesses formats n directories.
func newProcesses(t *testing.T, n int) *processes {
	t.Helper()
	return newProcessesAt(t, n, t.TempDir())
}

// newProcessesAt formats n directories below one.
func newProcessesAt(t *testing.T, n int, base string) *processes {
	t.Helper()
	p := &processes{
		t: t, running: make([]*exec.Cmd, n), stderr: make([]*os.File, n),
	}
	all, err := dev.FreeAddresses(3 * n)
	require.NoError(t, err)
	var replicas strings.Builder
	for i := range n {
		fmt.Fprintf(&replicas, "[[replicas]]\nmesh = %q\nclient = %q\n", all[3*i], all[3*i+1])
	}
	for i := range n {
		dir := filepath.Join(base, fmt.Sprint(i), "data")
		require.NoError(t, node.Format(dir, node.Identity{
			Cluster: "processes", Replica: i, Replicas: n,
		}))
		text := fmt.Sprintf("data_dir = %q\n[cluster]\nname = \"processes\"\nreplica = %d\n"+
			"key = \"secret\"\n%s[listen]\nadmin = %q\n[run]\ntick = \"2ms\"\nshards = 2\n"+
			"[users]\nroot_password = \"secret\"\n[log]\nlevel = \"debug\"\n"+
			"[storage]\nwal_file = \"8 MiB\"\nwal_max = \"256 MiB\"\n",
			dir, i, replicas.String(), all[3*i+2])
		file := filepath.Join(base, fmt.Sprint(i), "node.toml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		p.configs, p.dirs = append(p.configs, file), append(p.dirs, dir)
		p.clients, p.admins = append(p.clients, all[3*i+1]), append(p.admins, all[3*i+2])
	}
	t.Cleanup(p.cleanup)
	return p
}

// cleanup leaves no process behind, and shows what they said if the test failed.
func (p *processes) cleanup() {
	for i := range p.running {
		p.kill(i)
		if content, err := os.ReadFile(p.configs[i] + ".log"); err == nil && p.t.Failed() {
			lines := strings.Split(string(content), "\n")
			p.t.Logf("process %d:\n%s", i, strings.Join(lines[max(0, len(lines)-60):], "\n"))
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
	require.Eventually(p.t, holds, patience, 10*time.Millisecond, what)
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
