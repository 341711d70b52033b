package node

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Config is everything that a process can be told, as in example.toml. Each field's key is its
// path there: "cluster.replica".
type Config struct {
	// DataDir is the directory that format has given an identity.
	DataDir  string          `toml:"data_dir"`
	Cluster  ClusterConfig   `toml:"cluster"`
	Replicas []ReplicaConfig `toml:"replicas"`
	Listen   ListenConfig    `toml:"listen"`
	Mesh     MeshConfig      `toml:"mesh"`
	Clients  ClientsConfig   `toml:"clients"`
	Users    UsersConfig     `toml:"users"`
	Batches  BatchesConfig   `toml:"batches"`
	Storage  StorageConfig   `toml:"storage"`
	Run      RunConfig       `toml:"run"`
	Log      LogConfig       `toml:"log"`
	Trace    TraceConfig     `toml:"trace"`
}

// ClusterConfig says which replica of which cluster this process is.
type ClusterConfig struct {
	Name    string `toml:"name"`
	Replica int    `toml:"replica"`
	// Key is the secret that replicas prove to one another; KeyFile names a file with it.
	Key     string `toml:"key"`
	KeyFile string `toml:"key_file"`
}

// ReplicaConfig says where one replica can be reached, each as HOST:PORT.
type ReplicaConfig struct {
	Mesh   string `toml:"mesh"`
	Client string `toml:"client"`
}

// ListenConfig says where this process listens, as HOST:PORT. Mesh and Client default to the
// addresses that the others know; an empty Admin is none.
type ListenConfig struct {
	Mesh   string `toml:"mesh"`
	Client string `toml:"client"`
	Admin  string `toml:"admin"`
}

// TLSConfig names PEM files. An authority makes the other end show a certificate of it.
type TLSConfig struct {
	Certificate string `toml:"certificate"`
	Key         string `toml:"key"`
	Authority   string `toml:"authority"`
}

// MeshConfig is about the connections between replicas.
type MeshConfig struct {
	TLS         TLSConfig `toml:"tls"`
	QueueFrames int       `toml:"queue_frames"`
	QueueBytes  Size      `toml:"queue_bytes"`
	Keepalive   Duration  `toml:"keepalive"`
}

// ClientsConfig is about the connections of clients, and what they may cost.
type ClientsConfig struct {
	TLS            TLSConfig `toml:"tls"`
	ConnectionsMax int       `toml:"connections_max"`
	RequestMax     Size      `toml:"request_max"`
	MemoryMax      Size      `toml:"memory_max"`
	Idle           Duration  `toml:"idle"`
	// Deadline is how long a request may wait for its commit before its client is told that
	// the outcome is not known.
	Deadline Duration `toml:"deadline"`
	// MemberAbsence is how long a member of a consumer group may have no connection before its
	// partitions are given to others.
	MemberAbsence Duration `toml:"member_absence"`
	// SessionsMax is how many clients each group remembers.
	SessionsMax int `toml:"sessions_max"`
}

// UsersConfig is about who may log in before anybody could say so.
type UsersConfig struct {
	// RootPassword is the root's first, or in RootPasswordFile. Once the root has one it means
	// nothing any more.
	RootPassword     string `toml:"root_password"`
	RootPasswordFile string `toml:"root_password_file"`
}

// StorageConfig is about the disk.
type StorageConfig struct {
	WALFile Size `toml:"wal_file"`
	WALMax  Size `toml:"wal_max"`
}

// RunConfig is about how the process runs.
type RunConfig struct {
	// Shards is how many groups can take their turns at once; 0 is one a core.
	Shards int      `toml:"shards"`
	Tick   Duration `toml:"tick"`
	// Retention is how often partitions are looked at for segments that may be dropped.
	Retention Duration `toml:"retention"`
	// Shutdown bounds a graceful end; a disk that does not answer gets as long again.
	Shutdown Duration `toml:"shutdown"`
}

// LogConfig is about what the process says of itself.
type LogConfig struct {
	Level  string `toml:"level"`
	Format string `toml:"format"`
}

// TraceConfig is about the recording of what the process does, step by step.
type TraceConfig struct {
	// File is where it goes; none is made if it is empty. Max bounds it with the one before it.
	File string `toml:"file"`
	Max  Size   `toml:"max"`
	// Spec is the sha256 of the specification's modules, if the program knows it.
	Spec string `toml:"-"`
}

// DefaultConfig has every default; what has none is empty.
func DefaultConfig() Config {
	return Config{
		Mesh: MeshConfig{
			QueueFrames: 4096, QueueBytes: 256 << 20, Keepalive: Duration(5 * time.Second),
		},
		Clients: ClientsConfig{
			ConnectionsMax: 10_000, RequestMax: 16 << 20, MemoryMax: 512 << 20,
			Idle: Duration(10 * time.Minute), Deadline: Duration(30 * time.Second),
			MemberAbsence: Duration(30 * time.Second), SessionsMax: 8192,
		},
		Batches: defaultBatches(),
		Storage: StorageConfig{WALFile: 64 << 20, WALMax: 4 << 30},
		Run: RunConfig{
			Tick: Duration(10 * time.Millisecond), Retention: Duration(10 * time.Second),
			Shutdown: Duration(10 * time.Second),
		},
		Log: LogConfig{Level: "info", Format: "text"}, Trace: TraceConfig{Max: 1 << 30},
	}
}

// Duration is a time.Duration that is written as "10s".
type Duration time.Duration

// String returns the duration as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns the duration as it is written in a file.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads "10s", "1m30s", "500ms".
func (d *Duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	if err != nil || read < 0 {
		return fmt.Errorf("%q, expected a time such as \"500ms\" or \"1m30s\"", text)
	}
	*d = Duration(read)
	return nil
}

// Size is a number of bytes that is written as "64 MiB".
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// String returns the size in the largest unit that divides it.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if int64(s)%u.bytes == 0 && s != 0 {
			return fmt.Sprintf("%d %s", int64(s)/u.bytes, u.name)
		}
	}
	return "0 B"
}

// MarshalText returns the size as it is written in a file.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads "64 MiB", "1GiB", "4096 B", "4096".
func (s *Size) UnmarshalText(text []byte) error {
	expected := fmt.Errorf("%q, expected a size such as \"64 MiB\" or \"4096 B\"", text)
	number, unit := strings.TrimSpace(string(text)), int64(1)
	for _, u := range sizeUnits {
		if rest, found := strings.CutSuffix(number, u.name); found {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return expected
	}
	*s = Size(n * unit)
	return nil
}
