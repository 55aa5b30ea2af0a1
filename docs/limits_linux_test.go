package docs

import (
	"context"
	"errors"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	_ "github.com/gofabric/gofabric/providers/all"
)

// TestFloodIsBounded floods a peer that does not read, and compares with what fi_shm(7) and fi_tcp(7) say of operations in
// flight: some 120 messages over shm, or 20 KiB of those up to 8 KiB; 1024 operations over tcp.
func TestFloodIsBounded(t *testing.T) {
	for _, c := range []struct {
		prov          string
		size          int
		atLeast, most int // messages
	}{
		{"shm", 8, 110, 130}, {"shm", 1000, 18, 26}, {"shm", 4000, 4, 8}, {"shm", 100000, 110, 130},
		{"tcp", 8, 1024, 1024}, {"tcp", 100000, 1024, 1024},
	} {
		from, to := silent(t, c.prov), silent(t, c.prov)
		name, err := to.ep.Name()
		if err == nil {
			_, err = from.av.Insert([][]byte{name}, nil, 0)
		}
		// A first message each connects the two; then the peer does nothing any more.
		err = errors.Join(err, to.ep.Recv(make([]byte, 8), fi.AddrUnspec, nil), from.ep.Send(make([]byte, 8), 0, nil))
		if err != nil {
			t.Fatal(err)
		}
		var done [1]cq.Entry
		for left := 2; left > 0; {
			for _, q := range []*fabric.CQ{from.cq, to.cq} {
				n, err := q.Read(done[:])
				if n > 0 {
					left--
				} else if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
					t.Fatal(q.Explain(err))
				}
			}
		}
		n, buf := 0, make([]byte, c.size)
		for ; n < 5000; n++ {
			if err = from.ep.Send(buf, 0, nil); err != nil {
				break
			}
		}
		if err != fi.ErrAgain || n < c.atLeast || n > c.most { //nolint:errorlint // documented: a bare value
			t.Errorf("%s: %d messages of %d bytes, then %v; want %d to %d", c.prov, n, c.size, err, c.atLeast, c.most)
		}
	}
}

// quiet is an endpoint that does nothing unless its queue is read.
type quiet struct {
	cq *fabric.CQ
	av *fabric.AV
	ep *fabric.Endpoint
}

func silent(t *testing.T, prov string) (s quiet) {
	t.Helper()
	h := &fi.Hints{Caps: fi.CapMsg, EP: &fi.EPAttr{Type: fi.EPRDM}, Fabric: &fi.FabricAttr{ProvName: prov},
		Domain: &fi.DomainAttr{Progress: fi.ProgressManual}}
	infos, err := fabric.GetInfo(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fabric.Open(infos[0])
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.OpenDomain(infos[0])
	if err != nil {
		t.Fatal(err)
	}
	var errs [3]error
	s.cq, errs[0] = d.OpenCQ(nil)
	s.av, errs[1] = d.OpenAV(nil)
	s.ep, errs[2] = d.OpenEndpoint(infos[0])
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.ep.BindCQ(s.cq, fi.BindTransmit|fi.BindRecv), s.ep.BindAV(s.av), s.ep.Enable()); err != nil {
		t.Fatal(err)
	}
	return s
}
