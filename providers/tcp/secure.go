package tcp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// Encrypted connections are pumps whose goroutines do the handshake and then read and write by crypto/tls.

// SetTLS makes all connections encrypted.
func (n *network) SetTLS(c *tls.Config) error {
	if len(c.Certificates) == 0 && c.GetCertificate == nil {
		return &fi.Error{Op: "fabric", Provider: Name, Err: fi.ErrInvalid, Hint: "the TLS configuration has no certificate, which who accepts needs"}
	}
	if c.ClientCAs == nil {
		c.ClientCAs = c.RootCAs
	}
	c.MinVersion = tls.VersionTLS13
	own := *n.c
	own.tls, own.kind = c, pumpSockets
	n.c = &own
	return nil
}

// tlsError is why two sides do not agree on encryption.
type tlsError struct{ err error }

func (e *tlsError) Error() string {
	if !e.lasting() {
		return "the peer ended the handshake: does it use TLS?"
	}
	return e.err.Error()
}

func (e *tlsError) Unwrap() error { return e.err }

// lasting tells whether another attempt would end as this one has.
func (e *tlsError) lasting() bool {
	return !errors.Is(e.err, io.EOF) && !errors.Is(e.err, syscall.ECONNRESET) && !errors.Is(e.err, context.DeadlineExceeded)
}

// asTLSError gives the disagreement in an error, if it is one. That of a peer comes with what is read.
func asTLSError(err error) *tlsError {
	if t, ok := errors.AsType[*tlsError](err); ok {
		return t
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" {
		return &tlsError{err}
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return &tlsError{err}
	}
	return nil
}

// secureDial encrypts a connection that we have made; name is what the peer's certificate must have, beside c's ServerName
// its IP address.
func secureDial(ctx context.Context, c net.Conn, cfg *tls.Config, names []string) (net.Conn, error) {
	own := cfg.Clone()
	own.ServerName = names[0]
	verify := own.VerifyConnection
	check := !own.InsecureSkipVerify
	own.InsecureSkipVerify = true // for the name only: one of several will do
	own.VerifyConnection = func(s tls.ConnectionState) error {
		if check {
			if err := verifyPeer(s.PeerCertificates, own.RootCAs, x509.ExtKeyUsageServerAuth, own.Time, names); err != nil {
				return err
			}
		}
		if verify != nil {
			return verify(s)
		}
		return nil
	}
	t := tls.Client(c, own)
	if err := t.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, &tlsError{err}
	}
	return t, nil
}

// verifyPeer verifies a chain, and that the certificate has one of the names.
func verifyPeer(chain []*x509.Certificate, roots *x509.CertPool, use x509.ExtKeyUsage, now func() time.Time, names []string) error {
	if len(chain) == 0 {
		return errors.New("the peer has no certificate")
	}
	o := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{use}}
	if now != nil {
		o.CurrentTime = now()
	}
	for _, c := range chain[1:] {
		o.Intermediates.AddCert(c)
	}
	if _, err := chain[0].Verify(o); err != nil {
		return err
	}
	return hasName(chain[0], names)
}

// hasName tells whether a certificate has one of the names; the error is about the first.
func hasName(c *x509.Certificate, names []string) (err error) {
	for _, n := range slices.Backward(names) {
		if err = c.VerifyHostname(n); err == nil {
			return nil
		}
	}
	return err
}

// secureAccept encrypts a connection that was accepted.
func secureAccept(ctx context.Context, c net.Conn, cfg *tls.Config, most time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	t := tls.Server(c, cfg)
	if err := t.HandshakeContext(ctx); err != nil {
		if _, plain := errors.AsType[tls.RecordHeaderError](err); plain {
			tellPlain(c)
		}
		c.Close()
		return nil, &tlsError{err}
	}
	return t, nil
}

// tellPlain tells a peer that does not speak TLS what is wanted, and takes what it has said: the answer would be lost with
// unread bytes.
func tellPlain(c net.Conn) {
	_ = c.SetDeadline(time.Now().Add(plainMost))
	if _, err := c.Write([]byte{alertRecord, 3, 3, 0, 2, 2, 70}); err == nil { // fatal: protocol version
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 1<<10))
	}
}

// plainMost is how long tellPlain may take.
const plainMost = 200 * time.Millisecond

// peerNames are what the certificate of the peer at an address may have, the likeliest first.
func (c *config) peerNames(a netip.AddrPort, entry string) (names []string) {
	if c.tls == nil {
		return nil
	}
	for _, n := range []string{entry, c.tls.ServerName, a.Addr().WithZone("").String()} {
		if n != "" {
			names = append(names, n)
		}
	}
	return names
}

// stranger tells why somebody who has called is not who the address says; nil when it is, or nobody asked for certificates.
func (c *config) stranger(fd int, a netip.AddrPort, entry string) error {
	if c.tls == nil || c.tls.ClientAuth < tls.VerifyClientCertIfGiven {
		return nil
	}
	p := pumpOf(fd)
	p.mu.Lock()
	t, ok := p.conn.(*tls.Conn)
	p.mu.Unlock()
	if !ok {
		return nil
	}
	chain := t.ConnectionState().PeerCertificates
	if len(chain) == 0 { // as the configuration allows
		return nil
	}
	return hasName(chain[0], c.peerNames(a, entry))
}

// entryName is the name that the address vector has for a peer.
func (e *endpoint) entryName(raw []byte) string {
	if e.AV == nil {
		return ""
	}
	return e.AV.PeerName(raw)
}

// alertRecord begins the answer of a peer that wants TLS to one that does not speak it.
const alertRecord = 0x15

// errWantsTLS is what such an answer means.
var errWantsTLS error = &tlsError{errors.New("the peer wants TLS, and none was configured here: open the fabric with WithTLS")}
