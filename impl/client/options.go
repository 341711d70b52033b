package client

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Options say where the cluster is and who asks. Zero fields but Addresses and the credentials
// stand for the defaults.
type Options struct {
	// Addresses are host:port of any of the nodes; the others are learned from them.
	Addresses []string
	// User with Password, or Token.
	User, Password, Token string
	// TLS is used for every connection if it is set. ServerName defaults to the host.
	TLS *tls.Config
	// Timeout bounds a request whose context has no deadline: 30 s.
	Timeout time.Duration
	// Silence is how long a node may say nothing before another one is tried: 5 s. What was
	// asked of it may still be executed.
	Silence time.Duration
	// Pause is what lies between two tries: 50 ms, with jitter. After failed connections it
	// doubles, up to PauseMax: 2 s.
	Pause, PauseMax time.Duration
	// Patience is how long a node may refuse before another one is tried: 2 s.
	Patience time.Duration
	// Unnumbered is for upstream's nodes; see [SessionConfig].
	Unnumbered bool
	// Recorder notes what the client saw, if it is set.
	Recorder *Recorder
	// Dial opens a connection; by default TCP, then TLS if that is set.
	Dial func(ctx context.Context, address string) (net.Conn, error)
}

// Limits of what the default dialer waits for.
const dialLimit = 2 * time.Second

func (o *Options) withDefaults() error {
	if len(o.Addresses) == 0 {
		return errors.New("open client: no address, expected host:port of a node")
	}
	for _, address := range o.Addresses {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return fmt.Errorf("open client: address %q, expected host:port", address)
		}
	}
	if (o.Token == "") == (o.User == "") {
		return errors.New("open client: expected a user and a password, or a token")
	}
	orElse(&o.Timeout, 30*time.Second)
	orElse(&o.Silence, 5*time.Second)
	orElse(&o.Pause, 50*time.Millisecond)
	orElse(&o.PauseMax, 2*time.Second)
	orElse(&o.Patience, 2*time.Second)
	if o.Dial == nil {
		o.Dial = o.dial
	}
	return nil
}

func orElse(d *time.Duration, byDefault time.Duration) {
	if *d <= 0 {
		*d = byDefault
	}
}

func (o *Options) dial(ctx context.Context, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialLimit}
	if o.TLS == nil {
		return dialer.DialContext(ctx, "tcp", address)
	}
	secured := tls.Dialer{NetDialer: dialer, Config: o.TLS}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	return secured.DialContext(ctx, "tcp", address)
}

// login is the body of a Register.
func (o *Options) login() ([]byte, error) {
	version := protocol.Version{
		Protocol: protocol.ProtocolVersion, Library: "viewstamp-go", Release: "1",
	}
	if o.Token != "" {
		return protocol.Encode(&protocol.LoginWithToken{Version: version, Token: o.Token})
	}
	return protocol.Encode(&protocol.Login{
		Version: version, User: o.User, Password: o.Password,
	})
}

// session makes a client that the cluster has not seen.
func (o *Options) session() (*Session, error) {
	login, err := o.login()
	if err != nil {
		return nil, fmt.Errorf("open client: %w", err)
	}
	return NewSession(SessionConfig{
		Client: wire.ClientID(draw128()), Login: login, Unnumbered: o.Unnumbered,
	}), nil
}

// draw128 draws a number that nobody else has, not zero.
func draw128() wire.Uint128 {
	var b [16]byte
	_, _ = rand.Read(b[:]) // Documented never to fail.
	return wire.Uint128{
		Lo: binary.LittleEndian.Uint64(b[:]) | 1, Hi: binary.LittleEndian.Uint64(b[8:]),
	}
}
