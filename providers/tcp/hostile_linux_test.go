package tcp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// caller is a peer that speaks the protocol, the extension too, and says in it what it likes.
type caller struct {
	net.Conn
	enc wire.Encoder
	out []byte
}

// call connects to an endpoint, as a peer that listens at a port.
func call(t testing.TB, s *side, port uint16) *caller {
	t.Helper()
	c := dial(t, addrOf(t, s))
	ask := message(t, &wire.Control{Type: wire.ConnRequest, Offer: wire.Offer{Version: wire.ExtVersion, Oldest: 1, Features: wire.AllFeatures},
		Data: wire.AppendRDM(nil, wire.RDM{Version: 1, Port: port, PID: 77})})
	_, err := c.Write(ask)
	check(t, err)
	check(t, c.SetDeadline(time.Now().Add(patient)))
	_, err = io.ReadFull(c, make([]byte, len(ask)))
	check(t, err)
	return &caller{Conn: c, enc: wire.NewEncoder(wire.Little)}
}

// put appends a message to what is to be sent: its header, and n bytes.
func (c *caller) put(n int, header func(b []byte) int) {
	var b [wire.MaxHeader]byte
	c.out = append(c.out, b[:header(b[:])]...)
	c.out = append(c.out, make([]byte, n)...)
}

// send sends that.
func (c *caller) send(t testing.TB) {
	t.Helper()
	_, err := c.Write(c.out)
	check(t, err)
	c.out = nil
}

// next reads the header of the next message of s.
func (c *caller) next(t testing.TB, ops wire.Ops, h *wire.Header) {
	t.Helper()
	dec := wire.NewDecoder(wire.Little, ops)
	b := make([]byte, wire.BaseSize)
	_, err := io.ReadFull(c, b)
	check(t, err)
	for {
		n, err := dec.Header(b, h)
		check(t, err)
		if n > 0 {
			return
		}
		k := len(b)
		b = append(b, make([]byte, -n)...)
		_, err = io.ReadFull(c, b[k:])
		check(t, err)
	}
}

var everything = wire.ExtOps(wire.AllFeatures, wire.AllFeatures)

// TestManyAnnouncements announces tens of thousands of messages, asks for as many that do not exist, for some that do, and
// ends: each of these once was a look at all that is kept, a minute and more for which nobody else was served.
func TestManyAnnouncements(t *testing.T) {
	a, b := sides(t, nil, fi.DomainAttr{})
	a.reaches(t, b, peer)
	const n = 60_000
	c := call(t, b, 9)
	for i := range n {
		c.put(0, func(b []byte) int { return c.enc.PutExtTaggedRTS(b, 0, uint32(i+1), 0, 0, 99, 1<<20) })
	}
	for i := range n {
		c.put(0, func(b []byte) int { return c.enc.PutExtCancel(b, uint32(n+i+1)) })
	}
	c.put(0, func(b []byte) int { return c.enc.PutExtCancel(b, n/2) })
	go c.send(t)
	a.reaches(t, b, peer)
	var h wire.Header
	if c.next(t, everything, &h); h.Op != wire.ExtDone || h.ID != n/2 || h.Errno != fi.ErrCanceled {
		t.Errorf("%v of %d with %v, want the one that was taken back", h.Op, h.ID, h.Errno)
	}
	check(t, c.Close())
	a.reaches(t, b, peer)
}

// TestSameOperationTwice keeps two long messages of one operation: what is kept of the first would count for ever.
func TestSameOperationTwice(t *testing.T) {
	b := openSides(t, 1, nil, fi.DomainAttr{})[0]
	c := call(t, b, 9)
	for range 2 {
		c.put(100_000, func(b []byte) int { return c.enc.PutExtTagged(b, wire.FlagDeliver, 5, 0, 0, 99, 100_000) })
	}
	c.send(t)
	var one [1]byte
	if n, err := c.Read(one[:]); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v: want the end of the connection", n, err)
	}
}

// TestDroppedAfterFailure throws a long message away as it arrives behind a write that was refused: the message has not
// failed with it.
func TestDroppedAfterFailure(t *testing.T) {
	b := openSides(t, 1, nil, fi.DomainAttr{Progress: fi.ProgressManual})[0]
	c := call(t, b, 9)
	const n = 100_000
	c.put(8, func(b []byte) int {
		return c.enc.PutExtWrite(b, 0, 7, 0, []fi.RMAIov{{Addr: 0, Len: 8, Key: 12345}}, 8)
	})
	c.put(n, func(b []byte) int { return c.enc.PutExtTagged(b, wire.FlagTransmit, 8, 0, 0, 99, n) })
	rest := c.out[len(c.out)-n/2:]
	c.out = c.out[:len(c.out)-n/2]
	c.send(t)
	for done := false; !done; {
		switch err := b.ep.TRecvMsg(&fi.TaggedMsg{Addr: fi.AddrUnspec, Tag: 99, Context: b.req}, fi.OpPeek|fi.OpDiscard|fi.OpCompletion); err {
		case nil:
		default:
			t.Fatal(err)
		}
		var e [1]cq.Entry
		for {
			k, err := b.q.Read(e[:])
			if k == 1 {
				done = true
				break
			}
			if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
				check(t, b.q.ReadErr(new(cq.ErrEntry))) // it is not here yet
				break
			}
		}
	}
	c.out = rest
	c.send(t)
	go func() {
		for {
			if _, err := b.q.Read(nil); err == fi.ErrBadFD { //nolint:errorlint // documented: a bare value
				return
			}
			select {
			case <-t.Context().Done():
				return
			default:
			}
		}
	}()
	var h wire.Header
	for _, want := range []wire.Header{{ID: 7, Errno: fi.ErrKeyRejected}, {ID: 8}} {
		if c.next(t, everything, &h); h.Op != wire.ExtDone || h.ID != want.ID || h.Errno != want.Errno {
			t.Errorf("%v of %d with %v, want a done of %d with %v", h.Op, h.ID, h.Errno, want.ID, want.Errno)
		}
	}
}

// TestOthersGoOnWaiting has an operation wait for room in a connection while another endpoint of the domain closes.
func TestOthersGoOnWaiting(t *testing.T) {
	a := openSides(t, 1, map[string]string{"FI_TCP_TX_SIZE": "4096"}, fi.DomainAttr{})[0]
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer lis.Close()
	_, err = a.av.Insert([][]byte{rawAddr(t, lis.Addr().(*net.TCPAddr).AddrPort())}, nil, 0)
	check(t, err)
	info := a.ep.Info()
	info.SrcAddr = nil
	other, err := a.d.OpenEndpoint(info)
	check(t, err)
	check(t, other.BindCQ(a.q, fi.BindTransmit|fi.BindRecv))
	check(t, other.BindAV(a.av))
	check(t, other.Enable())
	const n, size = 4000, 4000
	for range n { // before there is a connection
		check(t, a.ep.TInject(make([]byte, size), peer, 1))
	}
	a.q.Read(nil) //nolint:errcheck // drives it
	c, err := lis.Accept()
	check(t, err)
	defer c.Close()
	check(t, c.SetDeadline(time.Now().Add(patient)))
	ask := make([]byte, wire.ControlSize+wire.RDMSize)
	_, err = io.ReadFull(c, ask)
	check(t, err)
	_, err = c.Write(control(t, wire.ConnResponse, wire.AppendRDM(nil, wire.RDM{Version: 0, PID: 77})))
	check(t, err)
	_, err = io.ReadFull(c, ask[:1]) // as much as the socket takes has left, and the rest waits
	check(t, err)
	check(t, other.Close())
	_, err = io.CopyN(io.Discard, c, n*(wire.BaseSize+8+size)-1)
	check(t, err)
}

// TestHoldWhileLeaving ends a hold while the endpoint waits for the answer to its goodbye: what is sent meanwhile waits, for
// the peer may close.
func TestHoldWhileLeaving(t *testing.T) {
	const port = 9
	a := openSides(t, 1, map[string]string{"FI_TCP_MAX_IDLE": "1"}, fi.DomainAttr{})[0]
	_, err := a.av.Insert([][]byte{rawAddr(t, netip.AddrPortFrom(addrOf(t, a).Addr(), port))}, nil, 0)
	check(t, err)
	c := call(t, a, port)
	var h wire.Header
	check(t, a.ep.TSend(nil, peer, 1, a.req))
	a.read(t, 1)
	c.next(t, everything, &h)
	call(t, a, port+1) // one too many
	a.q.Read(nil)      //nolint:errcheck // drives it
	if c.next(t, everything, &h); h.Op != wire.ExtGoodbye || h.Context != wire.GoodbyeAsk {
		t.Fatalf("%v %d, want a goodbye", h.Op, h.Context)
	}
	c.put(0, func(b []byte) int { return c.enc.PutExtHold(b, 1, 1) })
	c.put(0, func(b []byte) int { return c.enc.PutExtHold(b, 0, 1) })
	c.put(0, func(b []byte) int { return c.enc.PutExtPing(b, 1) })
	c.send(t)
	for h.Op != wire.ExtPong { // it has taken all of them
		a.q.Read(nil) //nolint:errcheck // drives it
		c.next(t, everything, &h)
	}
	check(t, a.ep.TSend(nil, peer, 1, a.req))
	if n, err := a.q.Read(make([]cq.Entry, 1)); n > 0 {
		t.Errorf("%d complete, %v: it was sent behind the goodbye", n, err)
	}
	c.put(0, func(b []byte) int { return c.enc.PutExtGoodbye(b, wire.GoodbyeRefuse) })
	c.send(t)
	a.read(t, 1)
}

// TestPartsOfAtomics posts an atomic of two ranges and one behind it that changes the same place, before there is a
// connection: the order stays.
func TestPartsOfAtomics(t *testing.T) {
	a, b := openSecured(t, nil, nil), openSecured(t, nil, nil)
	to := a.insert(t, b)
	values := func(v ...uint64) (out []byte) {
		for _, v := range v {
			out = binary.NativeEndian.AppendUint64(out, v)
		}
		return out
	}
	mem := values(0, 0)
	r, err := b.d.RegisterMR(mem, fi.AccessRemoteWrite, nil)
	check(t, err)
	at := r.Remote()
	second := fi.RMAIov{Addr: at.Addr + 8, Len: 8, Key: at.Key}
	check(t, a.ep.AtomicMsg(&fi.AtomicMsg{Iov: [][]byte{values(1, 1)}, Addr: to, Context: a.req, Datatype: fi.TypeUint64, Op: fi.AtomicWrite,
		RMAIov: []fi.RMAIov{{Addr: at.Addr, Len: 8, Key: at.Key}, second}}, fi.OpCompletion))
	check(t, a.ep.Atomic(values(2), to, at, fi.TypeUint64, fi.AtomicWrite, a.req))
	a.read(t, 2, b)
	check(t, r.Close())
	if want := values(2, 1); !bytes.Equal(mem, want) {
		t.Errorf("%v, want %v", mem, want)
	}
}
