package fabnet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabnet"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// stranger is a peer that uses the fabric by itself.
type stranger struct {
	t   *testing.T
	f   *fabric.Fabric
	d   *fabric.Domain
	eq  *fabric.EQ
	cq  *fabric.CQ
	pep *fabric.PassiveEndpoint
	ep  *fabric.Endpoint
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPMsg}, Fabric: &fi.FabricAttr{ProvName: "mem"}})
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{t: t}
	s.f, err = fabric.Open(infos[0])
	s.check(err)
	s.d, err = s.f.OpenDomain(infos[0])
	s.check(err)
	s.eq, err = s.f.OpenEQ(nil)
	s.check(err)
	s.cq, err = s.d.OpenCQ(nil)
	s.check(err)
	s.pep, err = s.f.OpenPassive(infos[0])
	s.check(errors.Join(err, s.pep.BindEQ(s.eq), s.pep.Listen()))
	return s
}

func (s *stranger) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stranger) name() string {
	raw, err := s.pep.Name()
	s.check(err)
	return string(raw)
}

func (s *stranger) open(info *fi.Info) {
	var err error
	s.ep, err = s.d.OpenEndpoint(info)
	s.check(errors.Join(err, s.ep.BindEQ(s.eq), s.ep.BindCQ(s.cq, fi.BindTransmit|fi.BindRecv), s.ep.Enable()))
}

func (s *stranger) event() (e fi.EQEntry, bad fi.EQErrEntry) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := s.eq.SRead(ctx, &e, 0)
	if errors.Is(err, fi.ErrAvail) {
		err = s.eq.ReadErr(&bad)
	}
	s.check(err)
	return e, bad
}

func (s *stranger) close() {
	if s.ep != nil {
		s.check(s.ep.Close())
	}
	s.check(errors.Join(s.pep.Close(), s.cq.Close(), s.eq.Close(), s.d.Close(), s.f.Close()))
}

var (
	goodHello = []byte("fnet\x01\x00\x08\x00\x00\x80\x00\x00")
	hellos    = map[string][]byte{
		"none": nil, "short": goodHello[:11], "another program's": []byte("GET / HTTP/1.0"), "of version 0": []byte("fnet\x00\x00\x10\x00\x00\x20\x00\x00"),
		"no window": []byte("fnet\x01\x00\x01\x00\x00\x20\x00\x00"), "no length": []byte("fnet\x01\x00\x10\x00\x00\x00\x00\x00"),
	}
)

// TestHelloOnTheWire has the bytes of a hello, as the page says.
func TestHelloOnTheWire(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := newStranger(t)
	defer s.close()
	done := make(chan error)
	go func() {
		c, err := fabnet.Dial("mem", s.name())
		if err == nil {
			c.Close()
		}
		done <- err
	}()
	e, _ := s.event()
	if !bytes.Equal(e.CMData, goodHello) {
		t.Errorf("the hello is %q, want %q", e.CMData, goodHello)
	}
	s.open(e.Info)
	s.check(s.ep.Accept(append(goodHello, "of a later version"...)))
	s.check(<-done)
}

// TestHostileRequests asks a listener with wrong hellos: they are rejected, in words, and Accept does not see them.
func TestHostileRequests(t *testing.T) {
	defer goleak.VerifyNone(t)
	l := listen(t, "mem", "")
	defer l.Close()
	for name, data := range hellos {
		t.Run(name, func(t *testing.T) {
			s := newStranger(t)
			defer s.close()
			s.open(s.pep.Info())
			s.check(s.ep.Connect([]byte(l.Addr().String()), data))
			if _, bad := s.event(); bad.Err != fi.ErrConnRefused || !strings.Contains(string(bad.ErrData), "fabnet") {
				t.Errorf("%v %q", bad.Err, bad.ErrData)
			}
		})
	}
	c, err := fabnet.Dial("mem", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
}

// TestHostileAnswers dials one that accepts with wrong hellos: Dial fails.
func TestHostileAnswers(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, data := range hellos {
		t.Run(name, func(t *testing.T) {
			s := newStranger(t)
			defer s.close()
			done := make(chan error)
			go func() {
				_, err := fabnet.Dial("mem", s.name())
				done <- err
			}()
			e, _ := s.event()
			s.open(e.Info)
			s.check(s.ep.Accept(data))
			if err := <-done; err == nil || !strings.Contains(err.Error(), "fabnet") {
				t.Errorf("Dial: %v", err)
			}
		})
	}
}

// TestHostileMessages sends what the protocol does not know: the connection ends with an error that says so, and what came
// before can be read.
func TestHostileMessages(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, send := range map[string]func(s *stranger){
		"unknown bits": func(s *stranger) { s.check(s.ep.InjectData([]byte("x"), 1<<17, 0)) },
		"credits":      func(s *stranger) { s.check(s.ep.InjectData(nil, 17, 0)) },
		"bytes after the end": func(s *stranger) {
			s.check(errors.Join(s.ep.InjectData(nil, 1<<16, 0), s.ep.InjectData([]byte("x"), 0, 0)))
		},
		"a long message": func(s *stranger) { s.check(s.ep.SendData(make([]byte, 32<<10+1), 0, 0, s)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStranger(t)
			defer s.close()
			l := listen(t, "mem", "")
			defer l.Close()
			c := s.connect(l)
			defer c.Close()
			s.check(s.ep.InjectData([]byte("before"), 0, 0))
			send(s)
			c.SetDeadline(time.Now().Add(time.Minute))
			got, err := io.ReadAll(c)
			if string(got) != "before" {
				t.Errorf("read %q, %v", got, err)
			}
			for err == nil || errors.Is(err, io.EOF) { // the end was in order; what came after it was not
				_, err = c.Write([]byte("y"))
			}
			if !strings.Contains(err.Error(), "protocol") && !errors.Is(err, fi.ErrTruncated) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestReset has a peer that goes without a word.
func TestReset(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := newStranger(t)
	defer s.close()
	l := listen(t, "mem", "")
	defer l.Close()
	c := s.connect(l)
	defer c.Close()
	s.check(errors.Join(s.ep.InjectData([]byte("before"), 0, 0), s.ep.Shutdown()))
	got, err := io.ReadAll(c)
	if string(got) != "before" || !errors.Is(err, fi.ErrConnReset) {
		t.Errorf("read %q, %v; want FI_ECONNRESET", got, err)
	}
}

// connect connects properly, and gives what the listener has of it.
func (s *stranger) connect(l net.Listener) net.Conn {
	s.t.Helper()
	s.open(s.pep.Info())
	s.check(s.ep.Connect([]byte(l.Addr().String()), goodHello))
	c, err := l.Accept()
	s.check(err)
	if e, bad := s.event(); e.Event != fi.EventConnected {
		s.t.Fatalf("event %v, %v", e.Event, &bad)
	}
	return c
}
