package shm_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/shm"
)

// side is one process's worth of objects.
type side struct {
	f    *fabric.Fabric
	d    *fabric.Domain
	q    *fabric.CQ
	av   *fabric.AV
	ep   *fabric.Endpoint
	peer fi.Addr
}

func newSide(t *testing.T, env map[string]string) *side {
	t.Helper()
	reg := fabric.NewRegistry(shm.NewEnv(func(k string) (string, bool) { v, ok := env[k]; return v, ok }))
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{
		Caps:   fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapAtomic,
		Domain: &fi.DomainAttr{Threading: fi.ThreadSafe},
	}, fabric.WithRegistry(reg))
	if err != nil {
		t.Fatal(err)
	}
	s := &side{}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.f, err = fabric.Open(infos[0], fabric.WithRegistry(reg))
	must(err)
	s.d, err = s.f.OpenDomain(infos[0])
	must(err)
	s.q, err = s.d.OpenCQ(nil)
	must(err)
	s.av, err = s.d.OpenAV(nil)
	must(err)
	s.ep, err = s.d.OpenEndpoint(infos[0])
	must(err)
	must(s.ep.BindCQ(s.q, fi.BindTransmit|fi.BindRecv))
	must(s.ep.BindAV(s.av))
	must(s.ep.Enable())
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{s.ep, s.av, s.q, s.d, s.f} {
			must(c.Close())
		}
	})
	return s
}

func (s *side) insert(t *testing.T, other *side) {
	t.Helper()
	name, err := other.ep.Name()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]fi.Addr, 1)
	if _, err := s.av.Insert([][]byte{name}, out, 0); err != nil {
		t.Fatal(err)
	}
	s.peer = out[0]
}

func (s *side) wait(t *testing.T, n int) []cq.Entry {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	var all []cq.Entry
	for len(all) < n {
		var e [8]cq.Entry
		k, err := s.q.SRead(ctx, e[:])
		if err != nil {
			var ee cq.ErrEntry
			if err == fi.ErrAvail {
				s.q.ReadErr(&ee)
				err = &ee
			}
			t.Fatal(err)
		}
		all = append(all, e[:k]...)
	}
	return all
}

func TestSmoke(t *testing.T) {
	for _, road := range []string{"auto", "map", "cma", "bulk"} {
		t.Run(road, func(t *testing.T) {
			env := map[string]string{"FI_SHM_ROAD": road}
			a, b := newSide(t, env), newSide(t, env)
			a.insert(t, b)
			b.insert(t, a)
			mem, err := mr.Alloc(4 << 20)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{0, 1, 8, 40, 41, 64, 65, 1000, 8192, 8193, 65536, 1 << 20, 3<<20 + 5} {
				for _, src := range [][]byte{make([]byte, size), mem.Bytes()[:size]} {
					for i := range src {
						src[i] = byte(i * 7)
					}
					dst := make([]byte, size)
					x := new(int)
					if err := b.ep.TRecv(dst, fi.AddrUnspec, 7, 0, x); err != nil {
						t.Fatal(err)
					}
					if err := a.ep.TSend(src, a.peer, 7, x); err != nil {
						t.Fatal(size, err)
					}
					e := b.wait(t, 1)
					a.wait(t, 1)
					if e[0].Len != size || !bytes.Equal(src, dst) {
						t.Fatalf("size %d: len %d, equal %v", size, e[0].Len, bytes.Equal(src, dst))
					}
				}
			}
			if err := mem.Free(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestSmokeRMA(t *testing.T) {
	a, b := newSide(t, nil), newSide(t, nil)
	a.insert(t, b)
	mem, err := mr.Alloc(4 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for i, target := range [][]byte{mem.Bytes(), make([]byte, 4<<20)} {
		r, err := b.d.RegisterMR(target, fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 1, 8, 100, 8192, 8193, 1 << 20} {
			src, got := make([]byte, size), make([]byte, size)
			for i := range src {
				src[i] = byte(i * 5)
			}
			if err := a.ep.Write(src, a.peer, r.Remote().At(16), nil); err != nil {
				t.Fatal(err)
			}
			a.wait(t, 1)
			if !bytes.Equal(target[16:16+size], src) {
				t.Fatal("write", i, size)
			}
			if err := a.ep.Read(got, a.peer, r.Remote().At(16), nil); err != nil {
				t.Fatal(err)
			}
			a.wait(t, 1)
			if !bytes.Equal(got, src) {
				t.Fatal("read", i, size)
			}
		}
		clear(target)
		op, old := []byte{5, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 8)
		for range 3 {
			if err := a.ep.FetchAtomic(op, old, a.peer, r.Remote().At(64), fi.TypeUint64, fi.AtomicSum, nil); err != nil {
				t.Fatal(err)
			}
			a.wait(t, 1)
		}
		if old[0] != 10 || target[64] != 15 {
			t.Fatal(fmt.Sprint("fetch-add ", old[0], target[64]))
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := a.ep.Write(op, a.peer, r.Remote(), nil); err != nil {
			t.Fatal(err)
		}
		var one [1]cq.Entry
		var ee cq.ErrEntry
		for {
			_, err := a.q.Read(one[:])
			if err == fi.ErrAvail {
				break
			}
		}
		a.q.ReadErr(&ee)
		if ee.Err != fi.ErrKeyRejected {
			t.Fatal(ee.Err)
		}
	}
	if err := mem.Free(); err != nil {
		t.Fatal(err)
	}
}
