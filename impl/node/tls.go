package node

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// load reads the PEM files of one side; both results are nil where there are none. With an
// authority both ends must show a certificate that it has signed.
func (c TLSConfig) load() (server, client *tls.Config, err error) {
	if c.Certificate == "" {
		return nil, nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(c.Certificate, c.Key)
	if err != nil {
		return nil, nil, fmt.Errorf("read tls.certificate and tls.key: %w", err)
	}
	server = &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13,
	}
	client = server.Clone()
	if c.Authority == "" {
		return server, client, nil
	}
	pem, err := os.ReadFile(c.Authority)
	if err != nil {
		return nil, nil, fmt.Errorf("read tls.authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, nil, fmt.Errorf("read tls.authority %s: %w", c.Authority,
			errors.New("no certificate, expected PEM"))
	}
	server.ClientCAs, server.ClientAuth = pool, tls.RequireAndVerifyClientCert
	client.RootCAs = pool
	return server, client, nil
}
