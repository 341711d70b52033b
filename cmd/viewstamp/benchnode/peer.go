package benchnode

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/viewstamp/viewstamp/impl/node/dev"
)

// The peers' protocol, little-endian, one shape both ways: length of the rest u32, id u64, then
// op or status u8, then payload or body.
const (
	peerSubmit, peerStatus = 1, 2
	peerOK                 = 0
	peerHeadBytes          = 9
	peerFrameMax           = 16 << 20
	peerReady              = 30 * time.Second
)

// peerKind is a peer as the harness lists it.
type peerKind struct{ title, source, options string }

// peerKinds are those that are looked for: the practical ceiling of a fixed primary, and raft.
var peerKinds = []peerKind{
	{"ideal", "peer-ref", "mode=ideal"},
	{"etcdraft", "peer-etcdraft", ""},
}

// buildPeer builds a peer from its sources, without the network. It returns why it cannot.
func buildPeer(ctx context.Context, sources, out string, kind peerKind) (string, error) {
	from := filepath.Join(sources, kind.source)
	if _, err := os.Stat(from); err != nil {
		return "", fmt.Errorf("no %s in %s", kind.source, sources)
	}
	binary := filepath.Join(out, kind.source)
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	command.Dir = from
	command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-buildvcs=false")
	said, err := command.CombinedOutput()
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
		return "", fmt.Errorf("it cannot be built without the network: %s", line)
	}
	return binary, nil
}

// peer is three processes of another replicated log.
type peer struct {
	kind      peerKind
	addresses []string
	commands  []*exec.Cmd
	stdins    []io.Closer // A peer ends when its input does.
}

func startPeer(dir, binary string, kind peerKind, log io.Writer) (*peer, error) {
	all, err := dev.FreeAddresses(6)
	if err != nil {
		return nil, err
	}
	p := &peer{kind: kind, addresses: all[3:]}
	for i := range 3 {
		home := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(home, 0o700); err != nil {
			return nil, errors.Join(err, p.close())
		}
		command := exec.Command(binary, "--id", fmt.Sprint(i+1), "--peers",
			strings.Join(all[:3], ","), "--dir", home, "--client-addr", all[3+i],
			"--opt", kind.options)
		command.Stderr = log
		stdin, err := command.StdinPipe()
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start peer: %w", err), p.close())
		}
		p.commands, p.stdins = append(p.commands, command), append(p.stdins, stdin)
	}
	return p, nil
}

func (p *peer) name() string { return p.kind.title }

func (p *peer) close() error {
	for i, command := range p.commands {
		_ = p.stdins[i].Close() // It may have ended by itself.
		_ = command.Wait()      // How it ends is its matter.
	}
	return nil
}

// clients connects to the primary, once there is one.
func (p *peer) clients(ctx context.Context, count int) ([]Client, error) {
	ctx, cancel := context.WithTimeout(ctx, peerReady)
	defer cancel()
	address, err := p.primary(ctx)
	if err != nil {
		return nil, err
	}
	var all []Client
	for range count {
		c, err := dialPeer(ctx, address)
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}

// primary asks all until one says that it would take a payload.
func (p *peer) primary(ctx context.Context) (string, error) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		for _, address := range p.addresses {
			c, err := dialPeer(ctx, address)
			if err != nil {
				continue
			}
			body, err := c.ask(ctx, peerStatus, nil)
			c.Close()
			if err == nil && len(body) > 0 && body[0] == 1 {
				return address, nil
			}
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("peer %s: no primary: %w", p.kind.title, ctx.Err())
		case <-ticker.C:
		}
	}
}

type peerClient struct {
	conn   net.Conn
	reader *bufio.Reader
	last   uint64
}

func dialPeer(ctx context.Context, address string) (*peerClient, error) {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &peerClient{conn: conn, reader: bufio.NewReader(conn)}, nil
}

// Close implements Client.
func (c *peerClient) Close() { _ = c.conn.Close() }

// Submit implements Client.
func (c *peerClient) Submit(ctx context.Context, payload []byte) error {
	_, err := c.ask(ctx, peerSubmit, payload)
	return err
}

func (c *peerClient) ask(ctx context.Context, op byte, payload []byte) ([]byte, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(peerReady)
	}
	if err := c.conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	c.last++
	frame := binary.LittleEndian.AppendUint32(nil, uint32(peerHeadBytes+len(payload)))
	frame = binary.LittleEndian.AppendUint64(frame, c.last)
	frame = append(append(frame, op), payload...)
	if _, err := c.conn.Write(frame); err != nil {
		return nil, err
	}
	var head [4 + peerHeadBytes]byte
	if _, err := io.ReadFull(c.reader, head[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size < peerHeadBytes || size > peerFrameMax {
		return nil, fmt.Errorf("reply of %d bytes, expected %d to %d", size, peerHeadBytes, peerFrameMax)
	}
	body := make([]byte, size-peerHeadBytes)
	if _, err := io.ReadFull(c.reader, body); err != nil {
		return nil, err
	}
	if id := binary.LittleEndian.Uint64(head[4:]); id != c.last {
		return nil, fmt.Errorf("reply to request %d, expected %d", id, c.last)
	}
	if status := head[12]; status != peerOK {
		return nil, fmt.Errorf("status %d, expected %d", status, peerOK)
	}
	return body, nil
}
