package interop_test

import (
	"testing"
)

// TestIPv6 has addresses of the other family.
func TestIPv6(t *testing.T) {
	t.Parallel()
	c := startPeer(t, "rdm", "net", "[::1]:0", "offset")
	n := newNode(t, setup{env: map[string]string{"FI_TCP_IFACE": "::1"}})
	l := known(n, c)
	l.hello(true, 1)
	l.hello(false, 2)
	n.close()
	n = newNode(t, setup{env: map[string]string{"FI_TCP_IFACE": "::1"}})
	l = known(n, c)
	l.fromPeer(1000, true, false, form{}, 3)
	l.toPeer(1000, true, form{}, 4)
}

// TestWildcard has C at the wildcard address, where it compares addresses with that instead of the one we know: it takes
// every request while its own is under way. Here the sides speak one after the other.
func TestWildcard(t *testing.T) {
	t.Parallel()
	c := startPeer(t, "rdm", "net", "0.0.0.0:0", "offset")
	name := c.name()
	copy(name[4:], []byte{127, 0, 0, 1})
	for round := range uint64(6) {
		n := newNode(t, setup{})
		l := &link{n: n, c: c, atC: c.insert(n.name()), toC: n.insert(name)}
		l.from = l.toC
		if round%2 == 0 {
			l.fromPeer(5000, true, false, form{}, round)
			l.toPeer(6000, true, form{}, round)
		} else {
			l.toPeer(6000, true, form{}, round)
			l.fromPeer(5000, true, false, form{}, round)
		}
		n.close()
	}
}

// TestWildcardAtOnce has both sides connect at the same moment, where C gives way whoever is greater.
func TestWildcardAtOnce(t *testing.T) {
	t.Parallel()
	c := startPeer(t, "rdm", "net", "0.0.0.0:0", "offset")
	name := c.name()
	copy(name[4:], []byte{127, 0, 0, 1})
	for round := range 24 {
		n := newNode(t, setup{})
		l := &link{n: n, c: c, atC: c.insert(n.name()), toC: n.insert(name)}
		l.from = l.toC
		l.bothAtOnce(round)
		n.close()
	}
}
