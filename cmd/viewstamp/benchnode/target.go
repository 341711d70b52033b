package benchnode

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/node/dev"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/storage"
)

// target is something that can be loaded.
type target interface {
	name() string
	// clients connects so many.
	clients(ctx context.Context, count int) ([]Client, error)
	close() error
}

// streamName and topicName are where payloads go.
const streamName, topicName = "bench", "payloads"

// ours is three nodes with one partition, persisted.
type ours struct {
	title   string
	cluster *dev.Cluster
	stop    context.CancelFunc
	ended   chan error
	token   string
}

func startOurs(ctx context.Context, title, dir string, options Options, settings ...string) (
	*ours, error,
) {
	cluster, err := dev.Start(ctx, dev.Options{
		Dir: dir, Replicas: 3, Log: options.Log,
		Program: func(config string) []string { return options.Program(config, settings...) },
	})
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	o := &ours{title: title, cluster: cluster, stop: stop, ended: make(chan error, 1)}
	go func() { o.ended <- cluster.Wait(running) }()
	if err := o.prepare(ctx); err != nil {
		return nil, fmt.Errorf("prepare topic: %w; %w", err, o.close())
	}
	return o, nil
}

func (o *ours) prepare(ctx context.Context) error {
	c, err := client.Open(ctx, client.Options{
		Addresses: o.cluster.ClientAddresses, User: "root", Password: dev.RootPassword,
	})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.CreateStream(ctx, streamName); err != nil {
		return err
	}
	_, err = c.CreateTopic(ctx, protocol.Named(streamName), topicName, 1,
		protocol.TextOption(protocol.OptionDurability, "persisted"))
	if err != nil {
		return err
	}
	// A login with a token costs no hashing of a password.
	o.token, err = c.CreateToken(ctx, protocol.CreateToken{Name: "bench"})
	return err
}

func (o *ours) name() string { return o.title }

func (o *ours) close() error {
	o.stop()
	return <-o.ended
}

func (o *ours) clients(ctx context.Context, count int) ([]Client, error) {
	var all []Client
	for range count {
		c, err := client.Open(ctx, client.Options{
			Addresses: o.cluster.ClientAddresses, Token: o.token,
		})
		if err != nil {
			return all, err
		}
		all = append(all, ourClient{c})
	}
	return all, nil
}

type ourClient struct{ *client.Client }

func (c ourClient) Submit(ctx context.Context, payload []byte) error {
	var b batch.Builder
	if err := b.Append(batch.Message{Payload: payload}); err != nil {
		return err
	}
	_, err := c.Send(ctx, client.Partition{
		Stream: protocol.Named(streamName), Topic: protocol.Named(topicName),
	}, b.Bytes(), false)
	return err
}

// flushes sums what all nodes have flushed of their logs.
func (o *ours) flushes(ctx context.Context) (float64, error) {
	sum := 0.0
	for _, address := range o.cluster.MetricsAddresses {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet,
			"http://"+address+"/metrics", http.NoBody)
		if err != nil {
			return 0, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		text, err := io.ReadAll(response.Body)
		if err := response.Body.Close(); err != nil {
			return 0, err
		}
		found := flushesLine.FindSubmatch(text)
		if err != nil || found == nil {
			return 0, fmt.Errorf("metrics of %s: no flushes: %w", address, err)
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(string(found[1])), 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

var flushesLine = regexp.MustCompile(`(?m)^viewstamp_wal_flushes_total (.*)$`)

// bare is the disk alone: one writer that overwrites a pre-zeroed file and flushes.
type bare struct {
	directory *storage.Directory
	file      storage.File
	at        int64
}

// bareBytes is the size of the file, bareSector that of a write.
const bareBytes, bareSector = 16 << 20, 4096

func startBare(dir string) (*bare, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	directory, err := storage.OpenDirectory(dir)
	if err != nil {
		return nil, err
	}
	b := &bare{directory: directory}
	if b.file, err = directory.Create("bare"); err != nil {
		return nil, err
	}
	if err := b.file.Allocate(bareBytes); err != nil {
		return nil, err
	}
	return b, b.file.Sync()
}

func (b *bare) name() string { return "bare flush" }

func (b *bare) close() error {
	if err := b.file.Close(); err != nil {
		return err
	}
	return b.directory.Close()
}

// clients returns one, whatever the count: more would take turns.
func (b *bare) clients(context.Context, int) ([]Client, error) { return []Client{b}, nil }

// Submit implements Client.
func (b *bare) Submit(_ context.Context, payload []byte) error {
	block := make([]byte, bareSector)
	copy(block, payload)
	if _, err := b.file.WriteAt(block, b.at); err != nil {
		return err
	}
	b.at = (b.at + bareSector) % bareBytes
	return b.file.Sync()
}

// Close implements Client; the file stays open for the next round.
func (b *bare) Close() {}
