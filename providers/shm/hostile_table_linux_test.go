package shm

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// TestHostileTable has a peer whose table says everything that can be wrong, and changes while it is read. The victim
// accesses the regions in it; whatever becomes of that, nothing else is touched.
func TestHostileTable(t *testing.T) {
	leaves(t)
	v := newVictim(t, nil)
	block := create(t, 64<<10, 0)
	sealed := create(t, 64<<10, shmem.OwnerWrites)
	bulk := create(t, poolBytes, 0)
	r := rand.New(rand.NewPCG(5, 6))
	end := time.Now().Add(2 * time.Second)
	conns, tries, fine := 0, 0, 0
	for ; time.Now().Before(end); conns++ {
		name := "table-" + v.drv.name + string(rune('a'+conns%26)) + string(rune('a'+conns/26%26))
		h := attack(t, v.drv.name, func(hi *hello) { hi.name = name })
		to := v.insert(t, []byte(prefix+name))
		stop := make(chan struct{})
		done, filled := make(chan struct{}), make(chan struct{})
		go func() { // the words change all the time
			defer close(done)
			r := rand.New(rand.NewPCG(uint64(conns), 7))
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if i == 8 {
					close(filled)
				}
				key := uint64(i % 8)
				s := &h.table.slots[slotOf(key, 0)]
				change := func(at *uint64, usual uint64, wrong ...uint64) {
					if i >= 8 && r.IntN(16) == 0 {
						usual = field(r, wrong...)
					}
					atomic.StoreUint64(at, usual)
				}
				change(&s.key, key)
				change(&s.block, 1+key%3, 0, 1, 2, 3)
				change(&s.off, 0, 4096, 64<<10)
				change(&s.size, 4096, 64<<10)
				change(&s.base, 0)
				change(&s.access, uint64(fi.AccessRemoteRead|fi.AccessRemoteWrite))
				change(&s.word, uint64(i)<<1|1, 1, 3, 5)
				for range r.IntN(2000) {
					if atomic.LoadUint64(&s.word) == 0 {
						break
					}
				}
			}
		}()
		<-filled
		buf, old := make([]byte, 16<<10), make([]byte, 8)
		for i := range 60 {
			if v.pairs() < 2 && i > 0 { // thrown out
				break
			}
			at := mr.Remote{Key: uint64(r.IntN(8)), Addr: field(r, 0, 0, 0, 8, 4088)}
			switch r.IntN(3) {
			case 0:
				v.ep.Write(buf[:field(r, 8, 64, 4096)%uint64(len(buf))], to, at, nil)
			case 1:
				v.ep.Read(buf[:field(r, 8, 64, 4096)%uint64(len(buf))], to, at, nil)
			default:
				v.ep.FetchAtomic(old, old, to, at, fi.TypeUint64, fi.AtomicSum, nil)
			}
			tries++
			for spin := range 4000 {
				if spin%100 == 99 {
					yield()
				}
				if c, ok := v.read(); ok {
					if c.err == 0 {
						fine++
					}
					break
				}
				if m := h.asked(); m != 0 { // serve a block
					id := m - 1
					f, size := block, uint64(64<<10)
					switch {
					case id == bulkID:
						f, size = bulk, poolBytes
					case r.IntN(16) == 0:
						f = sealed
					case r.IntN(16) == 0:
						size = field(r)
					}
					if r.IntN(16) == 0 {
						h.conn.Send(le.AppendUint64([]byte{ctlNone}, id))
					} else {
						h.conn.Send(le.AppendUint64(le.AppendUint64([]byte{ctlBlock}, id), size), f.FD())
					}
				}
				h.read(func(op uint8, _ uint16, _, _ uint64, b []byte) {
					if len(b) >= accessBytes {
						answer := map[uint8]uint8{opWrite: opDone, opWriteLarge: opDone, opRead: opReadBytes, opAtomic: opAtomicResult}[op]
						h.put(answer, 0, uint64(fi.ErrKeyRejected), uint64(le.Uint32(b)), nil)
					}
				})
			}
			if i%10 == 0 && r.IntN(3) == 0 {
				h.put(opRetire, 0, 0, uint64(r.IntN(4)), nil)
			}
		}
		close(stop)
		<-done
		h.close()
	}
	t.Log(conns, "connections,", tries, "accesses,", fine, "successes")
	if fine == 0 {
		t.Error("no access got through: the test attacks nothing")
	}
	v.unharmed(t)
	v.drop(t)
}

// asked gives 1 + the id of a block that the victim asks for; 0 when it does not.
func (h *hostile) asked() uint64 {
	for {
		if h.conn.Recv(&h.msg) != nil {
			return 0
		}
		if b := h.msg.Bytes(); len(b) == askBytes && b[0] == ctlAsk {
			return le.Uint64(b[1:]) + 1
		}
	}
}
