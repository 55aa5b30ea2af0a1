package fabnet_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"time"

	"github.com/gofabric/gofabric/fabnet"
)

// TLS runs over a connection as over any net.Conn: tls.NewListener and tls.Client wrap what fabnet gives.
func ExampleListen_tls() {
	config := selfSigned("fabric.example")
	plain, err := fabnet.Listen("mem", "")
	if err != nil {
		panic(err)
	}
	l := tls.NewListener(plain, config)
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		line, _ := bufio.NewReader(c).ReadString('\n')
		fmt.Fprintf(c, "you said in secret %s", line)
	}()

	conn, err := fabnet.Dial("mem", l.Addr().String())
	if err != nil {
		panic(err)
	}
	c := tls.Client(conn, config)
	defer c.Close()
	fmt.Fprintln(c, "hello")
	answer, err := io.ReadAll(c)
	fmt.Printf("%s%v %v\n", answer, c.ConnectionState().Version == tls.VersionTLS13, err)
	// Output:
	// you said in secret hello
	// true <nil>
}

// selfSigned makes a certificate for a name, and a configuration for both sides that trusts it alone.
func selfSigned(name string) *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		panic(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(c)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		RootCAs:      trusted, ServerName: name,
	}
}
