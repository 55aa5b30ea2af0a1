package driver

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// drain reads everything: the events by their names, errors by theirs.
func drain(q *EQ) (list []string) {
	for {
		var e fi.EQEntry
		ok, isErr := q.Read(&e, 0)
		switch {
		case ok:
			list = append(list, e.Event.String())
		case isErr:
			var bad fi.EQErrEntry
			q.ReadErr(&bad)
			list = append(list, bad.Err.Error()[:8])
		default:
			return list
		}
	}
}

// TestReports sees that a connection is told of once, in whatever order a provider calls.
func TestReports(t *testing.T) {
	connected := func(s *Events) { s.Connected(nil) }
	shutdown := func(s *Events) { s.Shutdown() }
	fail := func(s *Events) { s.Fail(fi.ErrIO, nil, "") }
	for _, c := range []struct {
		calls []func(*Events)
		want  []string
	}{
		{[]func(*Events){connected, shutdown}, []string{"FI_CONNECTED", "FI_SHUTDOWN"}},
		{[]func(*Events){connected, connected, shutdown, shutdown, fail, connected}, []string{"FI_CONNECTED", "FI_SHUTDOWN"}},
		{[]func(*Events){connected, fail, fail, shutdown}, []string{"FI_CONNECTED", "FI_SHUTDOWN"}},
		{[]func(*Events){fail, fail, shutdown, connected}, []string{"FI_EIO: "}},
		{[]func(*Events){shutdown, fail}, []string{"FI_EIO: "}},
		{[]func(*Events){shutdown}, nil},
	} {
		q := NewEQ(0)
		s := NewEvents(q, "x")
		for _, f := range c.calls {
			f(s)
		}
		if q.Len() != len(c.want) {
			t.Errorf("%d wait, want %v", q.Len(), c.want)
		}
		got := drain(q)
		if len(got) != len(c.want) {
			t.Fatalf("%v, want %v", got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v, want %v", got, c.want)
			}
		}
	}
}

// TestRequests counts those that wait, and tells of each that was read.
func TestRequests(t *testing.T) {
	q := NewEQ(0)
	s := NewEvents(q, "pep")
	read := 0
	for range 3 {
		if !s.ConnReq(&ConnReq{Info: &fi.Info{DestAddr: []byte("d")}, Data: []byte("data"), Read: func() { read++ }}) {
			t.Fatal("refused")
		}
	}
	var e fi.EQEntry
	if ok, _ := q.Read(&e, fi.EQPeek); !ok || read != 0 || s.Waiting() != 3 {
		t.Errorf("a look: %v, %d read, %d wait", ok, read, s.Waiting())
	}
	if ok, _ := q.Read(&e, 0); !ok || read != 1 || s.Waiting() != 2 {
		t.Errorf("a read: %v, %d read, %d wait", ok, read, s.Waiting())
	}
	r, is := e.Info.Handle.(*ConnReq)
	if !is || r.FID() != "pep" || r.Class() != fi.ClassConnReq || r.Info.Handle != nil || string(e.CMData) != "data" {
		t.Fatalf("the event is %+v", e)
	}
	if !r.Claim() || r.Claim() {
		t.Error("a request has one answer")
	}
	r.Unclaim()
	if !r.Claim() {
		t.Error("the right came not back")
	}
	if left := s.Retire(); len(left) != 2 || q.Len() != 0 || s.Waiting() != 0 {
		t.Errorf("%d requests left, %d events", len(left), q.Len())
	}
	if s.ConnReq(&ConnReq{Info: &fi.Info{}}) || q.Len() != 0 {
		t.Error("a closed endpoint takes requests")
	}
}

// TestRetire takes the events of one object out, between those of others.
func TestRetire(t *testing.T) {
	q := NewEQ(0)
	a, b := NewEvents(q, "a"), NewEvents(q, "b")
	a.Connected(nil)
	b.Connected(nil)
	a.Shutdown()
	q.Write(fi.EQEntry{Event: fi.EventNotify})
	b.Fail(fi.ErrIO, nil, "")
	a.Retire()
	a.Shutdown()
	if q.Len() != 3 {
		t.Errorf("%d events wait", q.Len())
	}
	if got := drain(q); len(got) != 3 || got[0] != "FI_CONNECTED" || got[1] != "FI_NOTIFY" || got[2] != "FI_SHUTDOWN" {
		t.Errorf("%v", got)
	}
}

// TestWritten bounds what an application writes, and only that.
func TestWritten(t *testing.T) {
	q := NewEQ(2)
	rung := 0
	q.OnSignal(func() { rung++ })
	if !q.Write(fi.EQEntry{}) || rung != 0 {
		t.Error("the first")
	}
	q.Want(1)
	if !q.Write(fi.EQEntry{}) || rung != 1 || len(q.Bell()) != 1 || q.Write(fi.EQEntry{}) {
		t.Error("the second and the third")
	}
	NewEvents(q, "x").Connected(nil)
	var e fi.EQEntry
	if ok, _ := q.Read(&e, 0); !ok || !q.Write(fi.EQEntry{}) {
		t.Error("no room after a read")
	}
	q.Close()
	if q.Write(fi.EQEntry{}) || q.Len() != 0 {
		t.Error("a closed queue takes events")
	}
}
