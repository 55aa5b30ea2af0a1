package session

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// The tests of this file play the C program: they see what it would be sent, message by message, and answer with what it
// was seen to send.

// other is the other side's endpoint; it takes messages of any tag.
type other struct {
	t    *testing.T
	ep   *fabric.Endpoint
	av   *fabric.AV
	q    *fabric.CQ
	peer fi.Addr
	buf  []byte
}

func newOther(t *testing.T, port, server string) (*other, *fi.Info) {
	t.Helper()
	h := &fi.Hints{Caps: fi.CapTagged | fi.CapRMA, EP: &fi.EPAttr{Type: fi.EPRDM}, Fabric: &fi.FabricAttr{ProvName: "mem"},
		Domain: &fi.DomainAttr{MRMode: options.New().MRMode()}}
	opts := []fabric.Option{fabric.WithNode("localhost", port)}
	if server == "" {
		opts = append(opts, fabric.WithFlags(fi.InfoSource))
	}
	infos, err := fabric.GetInfo(context.Background(), h, opts...)
	if err != nil {
		t.Fatal(err)
	}
	o := &other{t: t, buf: make([]byte, 2*CtrlSize)}
	f := must(fabric.Open(infos[0]))(t)
	d := must(f.OpenDomain(infos[0]))(t)
	o.av, o.q, o.ep = must(d.OpenAV(nil))(t), must(d.OpenCQ(&fi.CQAttr{Format: fi.CQFormatTagged}))(t), must(d.OpenEndpoint(infos[0]))(t)
	if err := errors.Join(o.ep.BindAV(o.av), o.ep.BindCQ(o.q, fi.BindTransmit|fi.BindRecv), o.ep.Enable()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(o.ep.Close(), o.q.Close(), o.av.Close(), d.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	})
	return o, infos[0]
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// next waits for a completion.
func (o *other) next() cq.Entry {
	o.t.Helper()
	var e [1]cq.Entry
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); runtime.Gosched() {
		if n, err := o.q.Read(e[:]); n == 1 {
			return e[0]
		} else if !errors.Is(err, fi.ErrAgain) {
			o.t.Fatal(err)
		}
	}
	o.t.Fatal("nothing comes")
	return e[0]
}

// meet learns where to send.
func (o *other) meet(name []byte) {
	o.t.Helper()
	var at [1]fi.Addr
	if _, err := o.av.Insert([][]byte{name}, at[:], 0); err != nil {
		o.t.Fatal(err)
	}
	o.peer = at[0]
}

// says sends a message.
func (o *other) says(tag uint64, b []byte) {
	o.t.Helper()
	if err := o.ep.TSend(b, o.peer, tag, nil); err != nil {
		o.t.Fatal(err)
	}
	o.next()
}

// hears takes the next message, which must have a tag and a length.
func (o *other) hears(tag uint64, n int) []byte {
	o.t.Helper()
	if err := o.ep.TRecv(o.buf, fi.AddrUnspec, 0, ^uint64(0), nil); err != nil {
		o.t.Fatal(err)
	}
	e := o.next()
	if e.Tag != tag || e.Len != n {
		o.t.Fatalf("a message of %d bytes with tag %d, want %d bytes, tag %d", e.Len, e.Tag, n, tag)
	}
	return slices.Clone(o.buf[:n])
}

// heard compares two messages.
func heard(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if h := hex.EncodeToString(got); h != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%s: %s, want %s", what, h, want)
	}
}

// ours runs a session that synchronises, exchanges keys and ends.
func ours(client bool, port string) <-chan error {
	o := options.New()
	o.Provider, o.SrcPort, o.DstPort, o.Timeout, o.Sizes = "mem", port, port, 30*time.Second, []int{8}
	env := &scenario.Env{Ctx: context.Background(), Opt: o, Client: client, Err: io.Discard}
	if client {
		o.Server = "localhost"
	}
	ready, ended := make(chan struct{}), make(chan error, 1)
	env.Ready = func() { close(ready) }
	go func() {
		s, err := Open(env, Need{Caps: fi.CapTagged | fi.CapRMA})
		if err == nil {
			err = errors.Join(s.ExchangeKeys(), s.Sync(), s.Finish())
		}
		ended <- err
	}()
	if !client {
		<-ready
	}
	return ended
}

// keys are a region's: its key is that asked for, its address 0, its length that of our buffers.
func (o *other) keys(b []byte) {
	o.t.Helper()
	heard(o.t, "address", b[:8], "0000000000000000")
	if n := binary.NativeEndian.Uint64(b[8:]); n < 2*CtrlSize {
		o.t.Errorf("a region of %d bytes", n)
	}
	if k := binary.NativeEndian.Uint64(b[16:]); k != RegionKey {
		o.t.Errorf("key %#x", k)
	}
}

// TestServerWords is what a client of C fabtests hears from us and says, before 2.0 and since.
func TestServerWords(t *testing.T) {
	for i, empty := range []bool{false, true} {
		t.Run(fmt.Sprint("empty=", empty), func(t *testing.T) {
			port := fmt.Sprint("words-server-", i)
			ended := ours(false, port)
			o, info := newOther(t, port, "server")
			o.meet(info.DestAddr)
			sync, n := []byte{}, 0
			if !empty {
				sync, n = []byte("0"), 1
			}
			o.says(0, must(o.ep.Name())(t))
			heard(t, "answer to the address", o.hears(0, 1)[:0], "")
			o.says(1, make([]byte, keySize))
			o.keys(o.hears(1, keySize))
			o.says(2, sync)
			heard(t, "synchronisation", o.hears(2, n), hex.EncodeToString(sync))
			o.says(3, sync)
			heard(t, "synchronisation", o.hears(3, n), hex.EncodeToString(sync))
			o.says(4, make([]byte, AckSize))
			o.hears(4, AckSize)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestClientWords is what a server hears and says. Our first synchronisation is empty: we do not know yet who listens.
func TestClientWords(t *testing.T) {
	for i, empty := range []bool{false, true} {
		t.Run(fmt.Sprint("empty=", empty), func(t *testing.T) {
			port := fmt.Sprint("words-client-", i)
			o, _ := newOther(t, port, "")
			ended := ours(true, port)
			if err := o.ep.TRecv(o.buf, fi.AddrUnspec, 0, 0, nil); err != nil {
				t.Fatal(err)
			}
			e := o.next()
			if e.Tag != 0 || e.Len == 0 || e.Len > CtrlSize {
				t.Fatalf("an address of %d bytes with tag %d", e.Len, e.Tag)
			}
			o.meet(o.buf[:e.Len])
			sync, n := []byte{}, 0
			if !empty {
				sync, n = []byte("0"), 1
			}
			o.says(0, make([]byte, 1))
			o.keys(o.hears(1, keySize))
			o.says(1, make([]byte, keySize))
			heard(t, "first synchronisation", o.hears(2, 0), "")
			o.says(2, sync)
			heard(t, "synchronisation", o.hears(3, n), hex.EncodeToString(sync))
			o.says(3, sync)
			o.hears(4, AckSize)
			o.says(4, make([]byte, AckSize))
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWordsBeside is what goes over the connection beside the fabric: a status when the endpoints are enabled, the
// addresses in 1024 bytes each, a letter for each barrier, and in the end a status again.
func TestWordsBeside(t *testing.T) {
	for _, client := range []bool{false, true} {
		t.Run(fmt.Sprint("client=", client), func(t *testing.T) {
			mine, their := net.Pipe()
			defer their.Close()                                 //nolint:errcheck // a pipe
			their.SetDeadline(time.Now().Add(30 * time.Second)) //nolint:errcheck // a pipe has deadlines
			opt := options.New()
			opt.Provider, opt.OOBAddr, opt.OOBSync, opt.Timeout = "mem", true, true, 30*time.Second
			env := &scenario.Env{Ctx: context.Background(), Opt: opt, Client: client, Link: mine, Err: io.Discard, Ready: func() {}}
			ended := make(chan error, 1)
			go func() {
				s, err := Open(env, Need{Caps: fi.CapTagged})
				if err == nil {
					err = errors.Join(s.Sync(), s.Finish())
				}
				ended <- err
			}()
			o, _ := newOther(t, fmt.Sprint("words-beside-", client), "")
			name := append(must(o.ep.Name())(t), make([]byte, CtrlSize)...)[:CtrlSize]
			swap := func(out []byte) []byte {
				in := make([]byte, len(out))
				steps := []func() error{
					func() error { _, err := io.ReadFull(their, in); return err },
					func() error { _, err := their.Write(out); return err },
				}
				if !client {
					slices.Reverse(steps)
				}
				if err := errors.Join(steps[0](), steps[1]()); err != nil {
					t.Fatal(err)
				}
				return in
			}
			heard(t, "status", swap(make([]byte, 4)), "00000000")
			if got := swap(name); len(got) != CtrlSize || got[0] == 0 {
				t.Errorf("address % x", got[:32])
			}
			heard(t, "barrier", swap([]byte("a")), "61")
			heard(t, "status at the end", swap(make([]byte, 4)), "00000000")
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
