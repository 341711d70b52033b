package node_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// authority signs certificates for processes on loopback addresses.
type authority struct {
	t           *testing.T
	directory   string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, directory: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tests"}, IsCA: true,
		NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	a.certificate, a.key = template, a.draw()
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	require.NoError(t, err)
	a.certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.write("authority.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) draw() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	return key
}

func (a *authority) path(name string) string { return filepath.Join(a.directory, name) }

func (a *authority) write(name, kind string, der []byte) {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	require.NoError(a.t, os.WriteFile(a.path(name), text, 0o600))
}

// issue makes a certificate and its key.
func (a *authority) issue(name string) {
	key := a.draw()
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth,
		},
	}, a.certificate, key.Public(), a.key)
	require.NoError(a.t, err)
	a.write(name+".pem", "CERTIFICATE", der)
	der, err = x509.MarshalECPrivateKey(key)
	require.NoError(a.t, err)
	a.write(name+".key", "EC PRIVATE KEY", der)
}

// Replicas and clients speak TLS where the configuration says so, and nobody else is let in.
func TestProcessesSpeakTLS(t *testing.T) {
	t.Parallel()
	ours, others := newAuthority(t), newAuthority(t)
	ours.issue("node")
	others.issue("node")
	p := newProcessesAs(t, 3, layout{more: func(i int) string {
		by := ours
		if i == 2 {
			by = others // The others do not know who has signed this.
		}
		return fmt.Sprintf("[mesh.tls]\ncertificate = %q\nkey = %q\nauthority = %q\n"+
			"[clients.tls]\ncertificate = %q\nkey = %q\n", by.path("node.pem"), by.path("node.key"),
			ours.path("authority.pem"), ours.path("node.pem"), ours.path("node.key"))
	}})
	for i := range 3 {
		p.start(i)
	}
	p.ready(0)
	p.ready(1)
	roots := x509.NewCertPool()
	roots.AddCert(ours.certificate)
	options := client.Options{
		Addresses: p.clients[:2], User: "root", Password: rootPassword,
		TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13},
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := client.Open(ctx, options)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.CreateStream(ctx, "s")
	require.NoError(t, err)
	_, err = c.CreateTopic(ctx, protocol.Named("s"), "t", 1)
	require.NoError(t, err)
	to := client.Partition{Stream: protocol.Named("s"), Topic: protocol.Named("t")}
	var b batch.Builder
	require.NoError(t, b.Append(batch.Message{Payload: []byte("hidden")}))
	_, err = c.Send(ctx, to, b.Bytes(), false)
	require.NoError(t, err)
	polled, err := c.Poll(ctx, to, protocol.Consumer{},
		client.PollFrom{Strategy: protocol.FromFirst}, 1, false, client.Linearizable)
	require.NoError(t, err)
	require.Len(t, polled.Messages, 1)
	assert.Equal(t, "hidden", string(polled.Messages[0].Payload))

	for _, peer := range p.status(0).Peers {
		assert.Equal(t, peer.Replica == 1, peer.Connected, "replica %d", peer.Replica)
	}
	for name, refused := range map[string]*tls.Config{
		"no TLS": nil, "another authority": {RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS13},
	} {
		options.TLS = refused
		short, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
		_, err := client.Open(short, options)
		stop()
		require.Error(t, err, name)
	}
}
