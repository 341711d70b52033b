package node

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Check says what is wrong with a configuration: the first key whose value cannot be.
func (c *Config) Check() error {
	if c.DataDir == "" {
		return wrong("data_dir", "", "a directory")
	}
	if c.Cluster.Name == "" {
		return wrong("cluster.name", "", "the name of the cluster")
	}
	if n := len(c.Replicas); n < 1 || n > vsr.ReplicaCountMax {
		return fmt.Errorf("key \"replicas\": %d replicas, expected 1 to %d", n, vsr.ReplicaCountMax)
	}
	if r := c.Cluster.Replica; r < 0 || r >= len(c.Replicas) {
		return wrong("cluster.replica", r, fmt.Sprintf("0 to %d, a place in replicas",
			len(c.Replicas)-1))
	}
	if err := c.checkAddresses(); err != nil {
		return err
	}
	if err := c.checkKey(); err != nil {
		return err
	}
	return c.checkRanges()
}

// wrong is the error of one key.
func wrong(key string, got any, expected string) error {
	if got == "" {
		return fmt.Errorf("key %q: nothing, expected %s", key, expected)
	}
	return fmt.Errorf("key %q: %v, expected %s", key, got, expected)
}

func (c *Config) checkAddresses() error {
	seen := map[string]string{}
	check := func(key, address string, once bool) error {
		host, port, err := net.SplitHostPort(address)
		if err != nil || host == "" && once {
			return wrong(key, address, "HOST:PORT")
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 && once {
			return wrong(key, address, "a port of 1 to 65535")
		}
		if other, taken := seen[address]; taken && once {
			return wrong(key, address, "another address than "+other)
		}
		seen[address] = key
		return nil
	}
	for i, r := range c.Replicas {
		if err := check(fmt.Sprintf("replicas[%d].mesh", i), r.Mesh, true); err != nil {
			return err
		}
		if err := check(fmt.Sprintf("replicas[%d].client", i), r.Client, true); err != nil {
			return err
		}
	}
	for key, address := range map[string]string{
		"listen.mesh": c.Listen.Mesh, "listen.client": c.Listen.Client,
		"listen.admin": c.Listen.Admin,
	} {
		if address == "" {
			continue
		}
		if err := check(key, address, false); err != nil {
			return err
		}
	}
	return nil
}

// checkKey makes sure that nobody runs a cluster that strangers can join, unless they would
// have to be on this machine.
func (c *Config) checkKey() error {
	if c.Cluster.Key != "" && c.Cluster.KeyFile != "" {
		return wrong("cluster.key_file", c.Cluster.KeyFile, "nothing beside cluster.key")
	}
	if c.Users.RootPassword != "" && c.Users.RootPasswordFile != "" {
		return wrong("users.root_password_file", c.Users.RootPasswordFile,
			"nothing beside users.root_password")
	}
	for name, t := range map[string]TLSConfig{"mesh": c.Mesh.TLS, "clients": c.Clients.TLS} {
		if (t.Certificate == "") != (t.Key == "") || t.Authority != "" && t.Certificate == "" {
			return fmt.Errorf("key %q: expected certificate and key, or neither", name+".tls")
		}
	}
	if c.Cluster.Key != "" || c.Cluster.KeyFile != "" || c.Mesh.TLS.Authority != "" ||
		len(c.Replicas) == 1 {
		return nil
	}
	for i, r := range c.Replicas {
		host, _, _ := net.SplitHostPort(r.Mesh) // Checked already.
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("key \"cluster.key\": nothing, expected a secret, since replica %d "+
				"is reached at %s", i, r.Mesh)
		}
	}
	return nil
}

// Bounds of the timing.
const (
	tickMin = Duration(time.Millisecond)
	tickMax = Duration(time.Second)
)

func (c *Config) checkRanges() error {
	for _, r := range []struct {
		key             string
		value, from, to int64
	}{
		{"mesh.queue_frames", int64(c.Mesh.QueueFrames), 16, 1 << 20},
		{"clients.connections_max", int64(c.Clients.ConnectionsMax), 1, 1 << 20},
		{"clients.sessions_max", int64(c.Clients.SessionsMax), 2, 65_536},
		{"batches.pipeline", int64(c.Batches.Pipeline), 1, vsr.PipelineCeiling},
		{"batches.queue", int64(c.Batches.Queue), 1, 1 << 20},
		{"batches.requests", int64(c.Batches.Requests), 1, 1 << 16},
		{"run.shards", int64(c.Run.Shards), 0, 1024},
	} {
		if r.value < r.from || r.value > r.to {
			return wrong(r.key, r.value, fmt.Sprintf("%d to %d", r.from, r.to))
		}
	}
	for _, r := range []struct {
		key             string
		value, from, to Size
	}{
		{"mesh.queue_bytes", c.Mesh.QueueBytes, 1 << 20, 64 << 30},
		{"clients.request_max", c.Clients.RequestMax, 4096, wire.MaxBodyBytes},
		{"clients.memory_max", c.Clients.MemoryMax, 1 << 20, 1 << 40},
		{"batches.bytes", c.Batches.Bytes, 4096, wire.MaxBodyBytes},
		{"storage.wal_file", c.Storage.WALFile, 1 << 20, 4 << 30},
		{"trace.max", c.Trace.Max, 2 << 20, 1 << 50},
		{"storage.wal_max", c.Storage.WALMax, 4 * c.Storage.WALFile, 1 << 50},
	} {
		if r.value < r.from || r.value > r.to {
			return wrong(r.key, r.value, fmt.Sprintf("%s to %s", r.from, r.to))
		}
	}
	for _, r := range []struct {
		key             string
		value, from, to Duration
	}{
		{"mesh.keepalive", c.Mesh.Keepalive, Duration(100 * time.Millisecond), Duration(time.Hour)},
		{"clients.idle", c.Clients.Idle, Duration(time.Second), Duration(24 * time.Hour)},
		{
			"clients.deadline", c.Clients.Deadline, Duration(100 * time.Millisecond),
			Duration(time.Hour),
		},
		{
			"clients.member_absence", c.Clients.MemberAbsence, Duration(100 * time.Millisecond),
			Duration(24 * time.Hour),
		},
		{"run.tick", c.Run.Tick, tickMin, tickMax},
		{"run.retention", c.Run.Retention, tickMin, Duration(24 * time.Hour)},
		{"run.shutdown", c.Run.Shutdown, Duration(100 * time.Millisecond), Duration(time.Hour)},
	} {
		if r.value < r.from || r.value > r.to {
			return wrong(r.key, r.value, fmt.Sprintf("%s to %s", r.from, r.to))
		}
	}
	if levels := []string{"debug", "info", "warn", "error"}; !slices.Contains(levels, c.Log.Level) {
		return wrong("log.level", c.Log.Level, strings.Join(levels, ", "))
	}
	if formats := []string{"text", "json"}; !slices.Contains(formats, c.Log.Format) {
		return wrong("log.format", c.Log.Format, strings.Join(formats, " or "))
	}
	return nil
}

// secret returns the cluster's key.
func (c *Config) secret() ([]byte, error) {
	key, err := orFile("cluster.key_file", c.Cluster.Key, c.Cluster.KeyFile)
	return []byte(key), err
}

// rootPassword returns the root's first password, empty if none is given.
func (c *Config) rootPassword() (string, error) {
	return orFile("users.root_password_file", c.Users.RootPassword, c.Users.RootPasswordFile)
}

// orFile returns a secret that is given, or else what a file holds.
func orFile(key, secret, file string) (string, error) {
	if file == "" {
		return secret, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	secret = strings.TrimSpace(string(content))
	if secret == "" {
		return "", fmt.Errorf("read %s: %s is empty, expected a secret", key, file)
	}
	return secret, nil
}
