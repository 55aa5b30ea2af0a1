package tcp_test

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestSilentCallersMakeRoom has as many callers say nothing as a listener lets wait, for longer than the test may take: who
// speaks is served all the same.
func TestSilentCallersMakeRoom(t *testing.T) {
	p := openPlace(t, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "600000"})
	pep, err := p.f.OpenPassive(p.info)
	check(t, err)
	t.Cleanup(func() { check(t, pep.Close()) })
	const backlog = 4
	check(t, pep.BindEQ(p.eq))
	check(t, pep.SetBacklog(backlog))
	check(t, pep.Listen())
	name, err := pep.Name()
	check(t, err)
	callAndSayNothing(t, name, backlog)
	p.connect(t, nil, name)
}

// TestSilentCallersTLS has more callers than a listener agrees with at once on encryption say nothing.
func TestSilentCallersTLS(t *testing.T) {
	c := newAuthority(t).config(t, "127.0.0.1")
	a, b := openSecured(t, c, nil), openSecured(t, c, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "600000"})
	name, err := b.ep.Name()
	check(t, err)
	callAndSayNothing(t, name, 200)
	a.reaches(t, b, a.insert(t, b))
}

// callAndSayNothing makes connections on which nothing is said as long as the test runs.
func callAndSayNothing(t *testing.T, name []byte, n int) {
	t.Helper()
	to, err := fi.DecodeSockaddr(name)
	check(t, err)
	for range n {
		dial(t, to)
	}
}
