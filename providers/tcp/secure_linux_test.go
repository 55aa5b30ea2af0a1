package tcp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	check(t, err)
	a := &authority{key: key, pool: x509.NewCertPool()}
	a.cert, err = x509.ParseCertificate(der)
	check(t, err)
	a.pool.AddCert(a.cert)
	return a
}

// config gives a configuration for who has these names or addresses; both sides are authenticated.
func (a *authority) config(t testing.TB, names ...string) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "peer"}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, n)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	check(t, err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, RootCAs: a.pool,
		ClientAuth: tls.RequireAndVerifyClientCert}
}

// secured is the provider with encryption.
type secured struct {
	*tcp.Provider
	c *tls.Config
}

// OpenFabric does what fabric.WithTLS has Open do.
func (s secured) OpenFabric(info *fi.Info) (driver.Fabric, error) {
	f, err := s.Provider.OpenFabric(info)
	if err == nil {
		err = f.(driver.TLSSetter).SetTLS(s.c.Clone())
	}
	return f, err
}

// TestTLS runs what moves data and what connects with encryption, both sides authenticated by their addresses.
func TestTLS(t *testing.T) {
	only := regexp.MustCompile(`^(rdm/(tagged/(sizes|unexpected|self|both-ways|many-peers)|rma/sizes|atomic/some)|msg/(connect/(handshake|private-data|reject|at-once)|msg/(sizes|both-ways)))`)
	c := newAuthority(t).config(t, "127.0.0.1")
	conformance.Run(t, conformance.Harness{Provider: secured{loopback(), c}, Pair: conformance.InProcess, Only: only.MatchString})
}

// openSecured opens an endpoint with a configuration; nil: without encryption.
func openSecured(t *testing.T, c *tls.Config, env map[string]string) *side {
	t.Helper()
	reg := fabric.NewRegistry(loopbackEnv(env))
	infos, err := fabric.GetInfo(t.Context(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPRDM}}, fabric.WithRegistry(reg))
	check(t, err)
	f, err := fabric.Open(infos[0], fabric.WithRegistry(reg), fabric.WithTLS(c))
	check(t, err)
	s := &side{req: new(int)}
	s.d, err = f.OpenDomain(infos[0])
	check(t, err)
	s.q, err = s.d.OpenCQ(nil)
	check(t, err)
	s.av, err = s.d.OpenAV(nil)
	check(t, err)
	s.ep, err = s.d.OpenEndpoint(infos[0])
	check(t, err)
	check(t, s.ep.BindCQ(s.q, fi.BindTransmit|fi.BindRecv))
	check(t, s.ep.BindAV(s.av))
	check(t, s.ep.Enable())
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{s.ep, s.av, s.q, s.d, f} {
			check(t, c.Close())
		}
	})
	return s
}

// TestTLSRefuses sends between sides that do not agree: the message fails, and its text says why.
func TestTLSRefuses(t *testing.T) {
	a := newAuthority(t)
	good := a.config(t, "127.0.0.1")
	for name, c := range map[string]struct {
		from, to *tls.Config
		text     string
	}{
		"a plain peer":         {good, nil, "TLS"},
		"to a plain peer":      {nil, good, "the peer wants TLS"},
		"another address":      {good, a.config(t, "192.0.2.1"), "192.0.2.1"},
		"another authority":    {good, newAuthority(t).config(t, "127.0.0.1"), "authority"},
		"a caller's address":   {a.config(t, "192.0.2.1"), good, ""},
		"a caller's authority": {unasked(newAuthority(t).config(t, "127.0.0.1"), a), good, "TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			short := map[string]string{"FI_TCP_CONNECT_TIMEOUT": "3000"} // some are called again and again until then
			x, y := openSecured(t, c.from, short), openSecured(t, c.to, short)
			to := x.insert(t, y)
			check(t, x.ep.TSend(make([]byte, 8), to, 1, x.req))
			bad := x.failure(t, patient)
			if !strings.Contains(bad.Text, c.text) {
				t.Errorf("%v: %q, want %q in it", bad.Err, bad.Text, c.text)
			}
			t.Logf("%v: %s", bad.Err, bad.Text)
		})
	}
}

// unasked has c trust another authority, too.
func unasked(c *tls.Config, a *authority) *tls.Config {
	c.RootCAs = a.pool
	return c
}

// TestTLSNames verifies a peer by the name that the address vector has for it.
func TestTLSNames(t *testing.T) {
	a := newAuthority(t)
	x, y := openSecured(t, a.config(t, "127.0.0.1"), nil), openSecured(t, a.config(t, "storage.example"), nil)
	to := x.insert(t, y)
	y.insert(t, x)
	check(t, x.av.SetPeerName(to, "storage.example"))
	x.reaches(t, y, to)
}
