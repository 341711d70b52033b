package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/node"
)

// Options say what to run.
type Options struct {
	// Dir is where the data is; empty: a temporary directory that is removed at the end.
	Dir string
	// Replicas is the number of processes. A directory that is used again has its own.
	Replicas int
	// Program is the command line that serves a configuration file.
	Program func(config string) []string
	// Log takes what the processes say.
	Log io.Writer
	// Ready bounds the start; 30 s if it is zero.
	Ready time.Duration
}

// Cluster is a running cluster. Its JSON form is that of `viewstamp dev --json`.
type Cluster struct {
	ClientAddresses  []string `json:"client_addresses"`
	MetricsAddresses []string `json:"metrics_addresses"`
	PIDs             []int    `json:"pids"`
	Dirs             []string `json:"dirs"`
	Configs          []string `json:"configs"`

	temporary string
	lock      *node.DirectoryLock
	children  []*child
}

// child is one process.
type child struct {
	command *exec.Cmd
	ended   chan struct{}
	err     error
}

// Start starts the processes and returns when all are ready. After an error, or the end of the
// context, nothing is left running.
//
// Errors: node.ErrBusy where another cluster runs in the directory; a directory of something else;
// a process that ended, or was not ready in time.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	c := &Cluster{}
	if err := c.start(ctx, options); err != nil {
		return nil, multierr.Append(err, c.stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, options Options) error {
	if options.Dir == "" {
		dir, err := os.MkdirTemp("", "viewstamp-dev-")
		if err != nil {
			return fmt.Errorf("make a directory: %w", err)
		}
		options.Dir, c.temporary = dir, dir
	}
	if err := checkKinds(options.Dir, filepath.Join(options.Dir, layoutName)); err != nil {
		return err
	}
	if err := os.MkdirAll(options.Dir, 0o750); err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	var err error
	// The processes of another cluster here would answer as if they were those of this one.
	if c.lock, err = node.LockDirectory(options.Dir); err != nil {
		return err
	}
	layout, err := prepare(options.Dir, options.Replicas)
	if err != nil {
		return err
	}
	if err := layout.writeEnv(options.Dir); err != nil {
		return err
	}
	c.ClientAddresses, c.MetricsAddresses = layout.Clients, layout.Metrics
	for i := range layout.Clients {
		home := filepath.Join(options.Dir, fmt.Sprint(i))
		c.Dirs = append(c.Dirs, filepath.Join(home, "data"))
		c.Configs = append(c.Configs, filepath.Join(home, configName))
		if err := c.launch(options, c.Configs[i]); err != nil {
			return err
		}
	}
	limit := options.Ready
	if limit == 0 {
		limit = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for i, address := range c.MetricsAddresses {
		if err := c.children[i].await(ctx, "http://"+address+"/readyz"); err != nil {
			return fmt.Errorf("replica %d: %w", i, err)
		}
	}
	return nil
}

// launch starts one process. Its goroutine stays on its thread until the process ends: Linux
// ends a child with the thread that has started it.
func (c *Cluster) launch(options Options, config string) error {
	line := options.Program(config)
	p := &child{command: exec.Command(line[0], line[1:]...), ended: make(chan struct{})}
	p.command.Stderr, p.command.SysProcAttr = options.Log, childOf()
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			p.err = p.command.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", line[0], err)
	}
	c.children = append(c.children, p)
	c.PIDs = append(c.PIDs, p.command.Process.Pid)
	return nil
}

// await returns when a process says that it is ready.
func (p *child) await(ctx context.Context, url string) error {
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close() // Nothing in it is of interest.
			if response.StatusCode == http.StatusOK && !p.hasEnded() {
				return nil
			}
		}
		select {
		case <-p.ended:
			return fmt.Errorf("ended before it was ready: %w", p.err)
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", ctx.Err())
		case <-retry.C:
		}
	}
}

// hasEnded says that another process may be answering in this one's place.
func (p *child) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Wait returns when the context is done, after all processes have been stopped, or when all
// have ended by themselves.
//
// Errors: a process did not end in order after it was told to.
func (c *Cluster) Wait(ctx context.Context) error {
	for _, p := range c.children {
		select {
		case <-ctx.Done():
			return c.stop()
		case <-p.ended:
		}
	}
	return multierr.Append(errors.New("all processes have ended"), c.stop())
}

// stopLimit is how long a process may take to end.
const stopLimit = 15 * time.Second

// stop ends all that still runs, and removes what is temporary.
func (c *Cluster) stop() error {
	told := make([]bool, len(c.children))
	for i, p := range c.children {
		told[i] = !p.hasEnded() && p.command.Process.Signal(syscall.SIGTERM) == nil
	}
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	var err error
	for i, p := range c.children {
		select {
		case <-p.ended:
		case <-limit.C:
			limit.Reset(0) // The others have had their time, too.
			err = multierr.Append(err, fmt.Errorf("replica %d did not end in %s", i, stopLimit))
			_ = p.command.Process.Kill() // It may have ended just now.
			<-p.ended
			continue
		}
		if told[i] && p.err != nil {
			err = multierr.Append(err, fmt.Errorf("replica %d: %w", i, p.err))
		}
	}
	if c.temporary != "" {
		err = multierr.Append(err, os.RemoveAll(c.temporary))
	}
	if c.lock != nil {
		err = multierr.Append(err, c.lock.Close())
	}
	return err
}
