package interop_test

import (
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

var accessSizes = []int{1, 8, 127, 128, 129, 4055, 4056, 4096, 4097, 9000, 16384, 65536, 1 << 20, 4 << 20}

// TestAccessToC writes and reads C's memory, by offsets and by virtual addresses.
func TestAccessToC(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"offset", "virtual"} {
		t.Run(mode, func(t *testing.T) {
			l := newLink(t, setup{}, mode)
			id, addr, key := l.c.region(4<<20+64, 5, 0xC0DE, mode == "virtual")
			at := mr.Remote{Addr: addr, Key: key}
			forms := []form{{name: "plain", most: 4 << 20}, {name: "data", most: 1 << 16, flags: fi.OpRemoteCQData},
				{name: "delivery", most: 4 << 20, flags: fi.OpDeliveryComplete}, {name: "vector", most: 1 << 20, vector: true},
				{name: "inject", most: 4096, flags: fi.OpInject}}
			for _, f := range forms {
				t.Run("write/"+f.name, func(t *testing.T) {
					l.n.t, l.c.t = t, t
					for i, size := range accessSizes {
						if size <= f.most {
							l.write(id, at, size, f, uint64(i))
						}
					}
				})
			}
			t.Run("write/two-ranges", func(t *testing.T) { l.n.t, l.c.t = t, t; l.writeTwo(id, at) })
			t.Run("read", func(t *testing.T) { l.n.t, l.c.t = t, t; l.read(at) })
			l.n.t, l.c.t = t, t
		})
	}
}

func (l *link) write(id int, at mr.Remote, size int, f form, seed uint64) {
	l.n.t.Helper()
	b, x := pattern(size, seed), new(int)
	iov := [][]byte{b}
	if f.vector {
		iov = pieces(b)
	}
	level := f.flags
	if f.flags == 0 { // a plain write completes when it has left: look there only when it has arrived
		level = fi.OpDeliveryComplete
	}
	l.n.post(func() error {
		return l.n.ep.WriteMsg(&fi.RMAMsg{Iov: iov, Addr: l.toC, Context: x, Data: cqData,
			RMAIov: []fi.RMAIov{{Addr: at.Addr + 16, Key: at.Key, Len: uint64(size)}}}, level|fi.OpCompletion)
	})
	l.n.good(x)
	if f.flags&fi.OpRemoteCQData != 0 {
		if w := l.c.want("remote"); w[1] != "1122334455667788" {
			l.n.t.Errorf("C got data %s", w[1])
		}
	}
	if level&fi.OpDeliveryComplete == 0 {
		l.barrier()
	}
	l.c.check(id, 16, size, seed)
}

// barrier returns when what was sent before has arrived.
func (l *link) barrier() {
	l.n.t.Helper()
	id := l.c.start("recv", "len=0")
	x := new(int)
	l.send(nil, false, 0, form{flags: fi.OpDeliveryComplete}, x)
	l.n.good(x)
	l.c.done(id)
}

func (l *link) writeTwo(id int, at mr.Remote) {
	a, b, x := pattern(3000, 7), pattern(5000, 8), new(int)
	l.n.post(func() error {
		return l.n.ep.WriteMsg(&fi.RMAMsg{Iov: [][]byte{a[:100], a[100:], b}, Addr: l.toC, Context: x,
			RMAIov: []fi.RMAIov{{Addr: at.Addr + 70000, Key: at.Key, Len: 3000}, {Addr: at.Addr, Key: at.Key, Len: 5000}}},
			fi.OpDeliveryComplete|fi.OpCompletion)
	})
	l.n.good(x)
	l.c.check(id, 70000, 3000, 7)
	l.c.check(id, 0, 5000, 8)
}

func (l *link) read(at mr.Remote) {
	var ctx []*int
	for _, size := range accessSizes {
		x := new(int)
		b := pattern(size, 21)
		l.n.post(func() error { return l.n.ep.Write(b, l.toC, at.At(64), x) })
		l.n.good(x)
		back := make([]byte, size)
		l.n.post(func() error { return l.n.ep.Read(back, l.toC, at.At(64), x) })
		if e := l.n.good(x); e.Flags != fi.CompRMA|fi.CompRead {
			l.n.t.Errorf("a read completes with %v", e.Flags)
		}
		l.n.same("read", back, 21)
	}
	many := make([]byte, 64*1000) // answers come in the order of the questions
	for i := range 64 {
		x := new(int)
		ctx = append(ctx, x)
		l.n.post(func() error { return l.n.ep.Read(many[i*1000:][:1000], l.toC, at.At(64+uint64(i)*1000), x) })
	}
	for _, x := range ctx {
		l.n.good(x)
	}
	l.n.same("64 reads", many, 21)
	two, x := make([]byte, 700), new(int)
	l.n.post(func() error {
		return l.n.ep.ReadMsg(&fi.RMAMsg{Iov: pieces(two), Addr: l.toC, Context: x,
			RMAIov: []fi.RMAIov{{Addr: at.Addr + 64, Key: at.Key, Len: 300}, {Addr: at.Addr + 64 + 300, Key: at.Key, Len: 400}}}, fi.OpCompletion)
	})
	l.n.good(x)
	l.n.same("a read of two ranges", two, 21)
}

// TestAccessFromC has C write and read our memory.
func TestAccessFromC(t *testing.T) {
	t.Parallel()
	for _, virtual := range []bool{false, true} {
		t.Run(map[bool]string{false: "offset", true: "virtual"}[virtual], func(t *testing.T) {
			l := newLink(t, setup{virtual: virtual}, "offset")
			mem := make([]byte, 4<<20+64)
			r, err := l.n.d.RegisterMR(mem, fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: 77})
			l.n.must(err)
			defer r.Close() //nolint:errcheck // checked by the domain's
			for _, letters := range []string{"", "c", "d", "dcv", "i"} {
				t.Run("write/"+letters, func(t *testing.T) {
					l.n.t, l.c.t = t, t
					for i, size := range accessSizes {
						if size <= 65536 || letters == "dcv" || size <= 1<<20 && letters == "" {
							if letters != "i" || size <= 128 {
								l.writtenByC(r, mem, letters, size, uint64(i))
							}
						}
					}
				})
			}
			t.Run("two-ranges", func(t *testing.T) {
				l.n.t, l.c.t = t, t
				l.twoByC(r, mem)
			})
			t.Run("read", func(t *testing.T) {
				l.n.t, l.c.t = t, t
				for i, size := range accessSizes {
					copy(mem[32:], pattern(size, uint64(i)))
					l.mine()
					id := l.c.start("read", "to=%d len=%d seed=%d addr=%d key=%d flags=v", l.atC, size, i, r.Remote().Addr+32, r.Key())
					l.c.done(id)
					l.told()
				}
				var ids []int
				copy(mem, pattern(100, 3))
				l.mine()
				for range 64 {
					ids = append(ids, l.c.start("read", "to=%d len=100 seed=3 addr=%d key=%d", l.atC, r.Remote().Addr, r.Key()))
				}
				for _, id := range ids {
					l.c.done(id)
				}
			})
			l.n.t, l.c.t = t, t
		})
	}
}

func (l *link) writtenByC(r *fabric.MR, mem []byte, letters string, size int, seed uint64) {
	l.n.t.Helper()
	at := r.Remote()
	id := l.c.start("write", "to=%d len=%d seed=%d addr=%d key=%d data=%d flags=%s", l.atC, size, seed, at.Addr+16, at.Key, uint64(cqData), letters)
	if letters != "i" {
		l.c.done(id)
	}
	if letters == "c" || letters == "dcv" {
		e := l.n.written()
		if e.Data != cqData || e.Len != size || e.Flags != fi.CompRMA|fi.CompRemoteWrite|fi.CompRemoteCQData {
			l.n.t.Errorf("%d bytes: a write with data completes here with %+v", size, e)
		}
	}
	if letters != "dcv" && letters != "d" { // behind it comes what says that it is there
		l.c.done(l.c.start("read", "to=%d len=%d seed=%d addr=%d key=%d", l.atC, size, seed, at.Addr+16, at.Key))
	}
	l.told()
	l.n.same("a write of C", mem[16:16+size], seed)
	l.mine()
}

// mine ends our use of memory that C reads or writes next: whoever drives the provider then comes after it, which a command
// to C on its input does not tell the race detector.
func (l *link) mine() {
	l.n.t.Helper()
	r, err := l.n.d.RegisterMR(make([]byte, 1), fi.AccessRemoteRead, &fi.MRAttr{Key: 1 << 40})
	l.n.must(err)
	l.n.must(r.Close())
}

// told has C send an empty message: what C did before is ours to look at, and to change, when it has come. (What C says
// on its output is no news to the race detector.)
func (l *link) told() {
	l.n.t.Helper()
	l.fromPeer(0, false, false, form{}, 0)
}

func (l *link) twoByC(r *fabric.MR, mem []byte) {
	l.n.t.Helper()
	at := r.Remote()
	const n, cut = 20000, 7000
	id := l.c.start("write", "to=%d len=%d seed=9 addr=%d key=%d cut=%d addr2=%d key2=%d flags=dv", l.atC, n, at.Addr+300000, at.Key, cut, at.Addr, at.Key)
	l.c.done(id)
	l.told()
	got := append(append([]byte(nil), mem[300000:300000+cut]...), mem[:n-cut]...)
	l.n.same("a write of two ranges", got, 9)
	l.mine()
	l.c.done(l.c.start("read", "to=%d len=%d seed=9 addr=%d key=%d cut=%d addr2=%d key2=%d flags=v", l.atC, n, at.Addr+300000, at.Key, cut, at.Addr, at.Key))
	l.told()
}
