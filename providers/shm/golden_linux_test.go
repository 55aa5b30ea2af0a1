package shm

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		got, old := strings.Split(text, "\n"), strings.Split(string(want), "\n")
		for i := range min(len(got), len(old)) {
			if got[i] != old[i] {
				t.Fatalf("%s:%d: what goes over the wire has changed: a new version of the protocol?\n got %s\nwant %s", file, i+1, got[i], old[i])
			}
		}
		t.Fatalf("%s: %d lines, want %d", file, len(got), len(old))
	}
}

// dump is hex.Dump without lines of zeros.
func dump(b []byte) (s string) {
	for off := 0; off < len(b); off += 16 {
		row := b[off:min(off+16, len(b))]
		if bytes.Count(row, []byte{0}) == len(row) && len(b) > 64 {
			continue
		}
		s += fmt.Sprintf("%08x  % x\n", off, row)
	}
	return s
}

// TestGoldenBytes has the first words of a connection, and what a message is in the ring.
func TestGoldenBytes(t *testing.T) {
	var s strings.Builder
	part := func(name string, b []byte) { fmt.Fprintf(&s, "== %s, %d bytes\n%s\n", name, len(b), dump(b)) }
	h := &hello{features: featurePlain, first: 13, incarnation: 0x1122334455667788, nonceAt: 0x7f0123456789, name: "alice"}
	for i := range h.nonce {
		h.nonce[i] = byte(0xa0 + i)
	}
	part("hello of a caller", h.marshal())
	h.first, h.name, h.incarnation = 0, "bob", 0x0102030405060708
	part("hello of a listener that accepts", h.marshal())
	part("hello of a listener that refuses", (&hello{status: fi.ErrProto, reason: "the hello came without its memory"}).marshal())
	part("hello of a listener whose own call counts", (&hello{status: statusCrossed, reason: "we call you"}).marshal())
	h.kind, h.data = helloConnection, []byte("may I?")
	part("request for a connection", h.marshal())
	h.data = []byte("welcome")
	part("answer that accepts it", h.marshal())
	part("answer that rejects it", (&hello{kind: helloConnection, status: fi.ErrConnRefused, reason: rejection, data: []byte("full")}).marshal())
	h.kind, h.data = helloDatagrams, nil
	part("hello for datagrams", h.marshal())
	part("map me block 5", askFor(5))
	part("here is block 5 of 4096 bytes (with a descriptor)", le.AppendUint64(le.AppendUint64([]byte{ctlBlock}, 5), 4096))
	part("there is no block 5", le.AppendUint64([]byte{ctlNone}, 5))

	mem := make([]byte, ring.PairBytes)
	maker, err := ring.Layout(mem, ring.Config{Side: ring.Maker, First: 13})
	if err != nil {
		t.Fatal(err)
	}
	taker, _ := ring.Layout(mem, ring.Config{Side: ring.Taker, First: 13})
	maker.Tx.Put(0x21, 0, 0x11, 0x22, []byte("12345678"))
	maker.Tx.Put(0x21, 3, 0x11, 0x22, bytes.Repeat([]byte{0xcc}, 64))
	maker.Tx.Put(0x21, 0, 0x11, 0x22, bytes.Repeat([]byte{0xdd}, 100))
	taker.Tx.Put(2, 0, 0, 0x10001, nil)
	for range 3 {
		taker.Rx.Next()
		taker.Rx.Advance()
	}
	taker.Rx.Flush()
	maker.Mine.Enter(1, 7, 9)
	*taker.MyWord = 5
	part("a pair whose rings begin at line 13: the maker has sent 8, 64 and 100 bytes, which are read, and is in slot 7 of "+
		"generation 9 with its second word; the taker has sent an ACK of 0x10001 and obeyed HOLD 5", mem)

	tab, err := newTable()
	if err != nil {
		t.Fatal(err)
	}
	defer tab.close()
	for i, at := range []*uint64{&tab.slots[3].word, &tab.slots[3].key, &tab.slots[3].block, &tab.slots[3].off, &tab.slots[3].size, &tab.slots[3].base, &tab.slots[3].access} {
		*at = uint64(i + 1)
	}
	*tab.events = 1
	tab.sleep()
	part("a table whose domain sleeps and wants to count accesses, with its slot 3: word 1, key 2, block 3, offset 4, size "+
		"5, base 6, rights 7", tab.file.Bytes())
	for _, key := range []uint64{0, 1, 2, 0xdeadbeef, 1 << 63} {
		fmt.Fprintf(&s, "slot of key %#x: %d\n", key, slotOf(key, 0))
	}
	golden(t, "bytes.golden", s.String())
}

// talk is a conversation in the ring: > is what our provider says, < the peer.
type talk struct {
	t *testing.T
	n *node
	h *hostile
	s strings.Builder

	id uint64 // of the provider's last request
}

var opNames = map[uint8]string{opAnnounce: "ANNOUNCE", opAck: "ACK", opStart: "START", opBlock: "BLOCK", opBlockFree: "BLOCKFREE",
	opWrite: "WRITE", opWriteLarge: "WRITELARGE", opRead: "READ", opReadBytes: "READBYTES", opAtomic: "ATOMIC",
	opAtomicResult: "ATOMICRESULT", opDone: "DONE", opNotify: "NOTIFY", opHold: "HOLD", opProbed: "PROBED",
	opCancelMsg: "CANCELMSG", opCanceled: "CANCELED", opRetire: "RETIRE", opFailed: "FAILED"}

func (c *talk) line(who string, op uint8, aux uint16, tag, data uint64, b []byte) {
	name := opNames[op]
	if op >= opEager {
		name = fmt.Sprintf("EAGER+%d", op-opEager)
	}
	fmt.Fprintf(&c.s, "%s %-12s aux %d tag %#x data %#x", who, name, aux, tag, data)
	if len(b) > 80 {
		fmt.Fprintf(&c.s, " %s... %d bytes", hex.EncodeToString(b[:16]), len(b))
	} else if len(b) > 0 {
		fmt.Fprintf(&c.s, " %s", hex.EncodeToString(b))
	}
	c.s.WriteByte('\n')
}

// hears drives the provider until it has said so many messages.
func (c *talk) hears(n int) {
	c.t.Helper()
	for range n {
		eventually(c.t, fmt.Sprintf("a message, after\n%s", c.s.String()), func() bool { return c.h.ring.Rx.Ready() }, c.n)
		op, aux, tag, data, b, _ := c.h.ring.Rx.Next()
		c.line(">", op, aux, tag, data, b)
		if len(b) >= 4 {
			c.id = uint64(le.Uint32(b))
		}
		c.h.ring.Rx.Advance()
	}
}

func (c *talk) says(op uint8, aux uint16, tag, data uint64, b []byte) {
	c.line("<", op, aux, tag, data, b)
	c.h.ring.Tx.Put(op, aux, tag, data, b)
	for range 200 {
		c.n.q.Read(nil) //nolint:errcheck // only drives
	}
}

func (c *talk) step(name string) { fmt.Fprintf(&c.s, "\n%s\n", name) }

// TestGoldenTalk has each message of the ring, as the provider says it and as it understands it.
func TestGoldenTalk(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{manual: true, env: map[string]string{"FI_SHM_ROAD": "bulk", "FI_SHM_UNEXPECTED": "1K"}})
	shared, heap := alloc(t, 32<<10), pattern(make([]byte, 32<<10), 1)
	n.region(t, shared.Bytes(), 0x51)
	n.region(t, heap, 0x52)
	c := &talk{t: t, n: n}
	c.h = attack(t, n.drv.name, func(hi *hello) { hi.name, hi.incarnation = "golden", 1 })
	defer c.h.close()
	to := n.insert(t, []byte(prefix+"golden"))
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c.step("the first message: its sender cannot read our memory")
	c.hears(1)
	c.step("messages: plain, tagged, with data, with the wish to hear of the match")
	ok(n.ep.Send([]byte("plain"), to, nil))
	ok(n.ep.TSendData([]byte("tagged"), 0xda7a, to, 0x7a9, nil))
	ok(n.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{[]byte("matched")}, Addr: to, Tag: 1}, fi.OpCompletion|fi.OpMatchComplete))
	c.hears(3)
	c.says(opAck, 0, 0, c.id, nil)
	c.step("a large message by blocks, cut to 40000 bytes by the receive")
	big := pattern(make([]byte, 60000), 2)
	ok(n.ep.TSend(big, to, 2, nil))
	c.hears(1)
	c.says(opStart, 0, 40000, c.id, nil)
	c.hears(2)
	c.says(opBlockFree, 0, 0, 0, nil)
	c.says(opBlockFree, 0, 0, 1, nil)
	c.says(opAck, 0, 0, c.id, nil) // blocks have no payload: the id is still that of the announcement
	c.step("a large message that is taken back")
	ctx := new(int)
	ok(n.ep.TSend(big, to, 3, ctx))
	c.hears(1)
	ok(n.ep.Cancel(ctx))
	c.hears(1)
	c.says(opCanceled, 1, 0, c.id, nil)
	c.step("remote accesses: small and large, with and without data")
	at := remote(0x77).At(0x1000)
	ok(n.ep.Write([]byte("written"), to, at, nil))
	c.hears(1)
	c.says(opDone, 0, 0, c.id, nil)
	ok(n.ep.WriteData([]byte("data"), 0xda7a, to, at, nil))
	c.hears(1)
	c.says(opDone, 0, 0, c.id, nil)
	ok(n.ep.Write(big, to, at, nil))
	c.hears(1)
	c.says(opDone, 0, uint64(fi.ErrKeyRejected), c.id, nil)
	ok(n.ep.Read(make([]byte, 4), to, at, nil))
	c.hears(1)
	c.says(opReadBytes, 0, 0, c.id, []byte("read"))
	ok(n.ep.Read(big, to, at, nil))
	c.hears(1)
	c.says(opReadBytes, 0, uint64(fi.ErrAccess), c.id, nil)
	c.step("atomics of the three classes")
	word := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	ok(n.ep.Atomic(word, to, at, fi.TypeUint64, fi.AtomicSum, nil))
	c.hears(1)
	c.says(opAtomicResult, 0, 0, c.id, nil)
	ok(n.ep.FetchAtomic(word, make([]byte, 8), to, at, fi.TypeUint64, fi.AtomicBXor, nil))
	c.hears(1)
	c.says(opAtomicResult, 0, 0, c.id, word)
	ok(n.ep.CompareAtomic(word[:4], word[4:], make([]byte, 4), to, at, fi.TypeInt32, fi.AtomicCSwap, nil))
	c.hears(1)
	c.says(opAtomicResult, 0, 0, c.id, word[:4])

	c.step("the peer's messages; the second wants to hear of the match, which comes later")
	c.says(opEager|eagerTagged, 0, 5, 0, []byte("hello"))
	c.says(opEager|eagerTagged|eagerAck, 0, 6, 0, append(le.AppendUint64(nil, 0x2a0001), "there"...))
	ok(n.ep.TRecv(make([]byte, 10), fi.AddrUnspec, 6, 0, nil))
	c.hears(1)
	c.step("its large message, into a receive of 9000 bytes")
	ok(n.ep.TRecv(make([]byte, 9000), fi.AddrUnspec, 7, 0, nil))
	c.says(opAnnounce, 0, 7, 0, announcement(0x2b0001, roadBulk, eagerTagged, 20000))
	c.hears(1)
	c.step("one that it takes back")
	c.says(opAnnounce, 0, 8, 0, announcement(0x2c0001, roadBulk, eagerTagged, 20000))
	c.says(opCancelMsg, 0, 0, 0x2c0001, nil)
	c.hears(1)
	c.step("its accesses: a wrong key, a wrong range, a write, a read, a large read, a large write")
	c.says(opWrite, 0, 0, 0, append(accessHeader(1, 0x99, 4, 0, 0), 1, 2, 3, 4))
	c.hears(1)
	c.says(opRead, 0, 32<<10, 0, accessHeader(2, 0x52, 4, 0, 0))
	c.hears(1)
	c.says(opWrite, 0, 16, 0, append(accessHeader(3, 0x52, 4, 0, 0), 1, 2, 3, 4))
	c.hears(1)
	c.says(opRead, 0, 14, 0, accessHeader(4, 0x52, 8, 0, 0))
	c.hears(1)
	c.says(opRead, 0, 0, 0, accessHeader(5, 0x52, 10000, 0, 0))
	c.hears(1)
	c.says(opBlockFree, 0, 0, 1, nil)
	c.says(opWriteLarge, 0, 0, 0, accessHeader(6, 0x52, 10000, 0, roadBulk))
	c.hears(1)
	c.step("its atomics")
	c.says(opAtomic, 0, 0, 0, append(append(accessHeader(7, 0x51, 8, 0, 0), 0, byte(fi.TypeUint64), byte(fi.AtomicSum), 0, 0, 0, 0, 0), word...))
	c.hears(1)
	c.says(opAtomic, 0, 0, 0, append(append(accessHeader(8, 0x51, 8, 0, 0), 1, byte(fi.TypeUint64), byte(fi.AtomicSum), 0, 0, 0, 0, 0), word...))
	c.hears(1)
	c.step("more than our budget: we ask it to announce, and take the wish back when it was received")
	for i := range uint64(3) {
		c.says(opEager|eagerTagged, 0, 20+i, 0, make([]byte, 400))
	}
	c.hears(1)
	for i := range uint64(3) {
		ok(n.ep.TRecv(make([]byte, 400), fi.AddrUnspec, 20+i, 0, nil))
	}
	ok(n.ep.TRecv(make([]byte, 10), fi.AddrUnspec, 5, 0, nil))
	c.hears(1)
	c.step("it asks us to announce")
	c.says(opHold, 1, 1, 0, nil)
	ok(n.ep.TSend([]byte("small"), to, 9, nil))
	c.hears(1)
	c.says(opAck, 0, 0, c.id, nil)
	c.says(opHold, 0, 2, 0, nil)
	fmt.Fprintf(&c.s, "our word: %d\n", *c.h.ring.TheirWord)
	c.step("it learns that a block which it has mapped is gone")
	m := alloc(t, 4096)
	r, err := n.d.RegisterMR(m.Bytes(), fi.AccessRemoteRead, &fi.MRAttr{Key: 0x53})
	ok(err)
	slot, there := uint32(0), false
	n.locked(func() {
		for reg, i := range n.dom.table.mine {
			if reg.Key == 0x53 {
				slot, there = i, true
			}
		}
	})
	if !there {
		t.Fatal("the region is not in the table")
	}
	block := c.h.them.slots[slot].block
	ok(c.h.conn.Send(askFor(block)))
	if m := c.h.recv(); m == nil || m.Bytes()[0] != ctlBlock || m.Descriptors() != 1 {
		t.Fatal("no block")
	} else {
		m.Close()
	}
	ok(r.Close())
	ok(m.Free())
	eventually(t, "a message", func() bool { return c.h.ring.Rx.Ready() }, n)
	if op, _, _, data, _, _ := c.h.ring.Rx.Next(); op != opRetire || data != block {
		t.Error("not RETIRE of that block", op, data)
	}
	c.h.ring.Rx.Advance()
	c.s.WriteString("> RETIRE of that block\n")
	c.step("a read whose region is closed meanwhile")
	r2, err := n.d.RegisterMR(make([]byte, 1<<20), fi.AccessRemoteRead, &fi.MRAttr{Key: 0x54})
	ok(err)
	c.says(opRead, 0, 0, 0, accessHeader(9, 0x54, 1<<20, 0, 0))
	c.hears(8)
	ok(r2.Close())
	c.says(opBlockFree, 0, 0, 0, nil)
	c.hears(1)
	golden(t, "talk.golden", c.s.String())
	runtime.KeepAlive(heap)
}

func announcement(id uint32, r road, bits byte, size uint64) []byte {
	b := make([]byte, announceBytes)
	le.PutUint32(b, id)
	b[4], b[5] = byte(r), bits
	le.PutUint64(b[8:], size)
	return b
}

func accessHeader(id uint32, key, size uint64, bits byte, r road) []byte {
	b := make([]byte, accessBytes)
	le.PutUint32(b, id)
	b[4], b[5] = bits, byte(r)
	le.PutUint64(b[8:], key)
	le.PutUint64(b[16:], size)
	le.PutUint64(b[40:], size)
	return b
}
