package conformance

import (
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// call is one posting call, by the name of its C function without fi_. It goes to the second process.
type call struct {
	Form  string
	EP    int  // which endpoint
	View  int  // which alias; 0: the endpoint itself
	SRX   bool // a receive on the shared context
	CtxOf int  // use the context of that operation

	N      int    // bytes of the local buffer
	Split  []int  // lengths of its parts, for the vector and message forms; nil: one
	Seed   uint64 // pattern that fills a source
	Bytes  []byte // instead of the pattern
	To     fi.Addr
	Tag    uint64
	Ignore uint64
	Data   uint64
	Flags  fi.OpFlags // message forms only

	At      mr.Remote
	Ranges  []fi.RMAIov // message forms: instead of At
	Type    fi.Datatype
	Op      fi.AtomicOp
	Compare []byte
	NoBuf   bool // a nil operand: fetches that only read
}

// isRecv tells whether the form receives, looks or claims.
func (c *call) isRecv() bool {
	switch c.Form {
	case "recv", "recvv", "recvmsg", "trecv", "trecvv", "trecvmsg":
		return true
	}
	return false
}

// brings tells whether the form brings bytes into the local buffer.
func (c *call) brings() bool {
	switch c.Form {
	case "read", "readv", "readmsg":
		return true
	}
	return c.isRecv()
}

func (c *call) isAtomic() bool {
	switch c.Form {
	case "atomic", "atomicv", "atomicmsg", "inject_atomic":
		return true
	}
	return c.fetches()
}

func (c *call) fetches() bool {
	switch c.Form {
	case "fetch_atomic", "fetch_atomicv", "fetch_atomicmsg", "compare_atomic", "compare_atomicv", "compare_atomicmsg":
		return true
	}
	return false
}

// injects tells whether the buffer is ours again at return.
func (c *call) injects() bool {
	switch c.Form {
	case "inject", "tinject", "injectdata", "tinjectdata", "inject_write", "inject_writedata", "inject_atomic":
		return true
	}
	return c.Flags&fi.OpInject != 0
}

// silent tells whether the form never reports success.
func (c *call) silent() bool { return c.injects() && c.Flags == 0 }

// msgForm tells whether the form has flags of its own.
func (c *call) msgForm() bool {
	n := len(c.Form)
	return n > 3 && c.Form[n-3:] == "msg"
}

// counter is the slot of the counter that counts the call.
func (c *call) counter() int {
	switch {
	case c.isRecv():
		return cntRecv
	case c.brings(), c.fetches():
		return cntRead
	case c.isAtomic(), c.At != (mr.Remote{}) || c.Ranges != nil || c.remote():
		return cntWrite
	}
	return cntSend
}

func (c *call) remote() bool {
	switch c.Form {
	case "write", "writev", "writemsg", "inject_write", "writedata", "inject_writedata", "read", "readv", "readmsg":
		return true
	}
	return c.isAtomic()
}

// pad is what lies round each buffer, to find writes outside.
const pad = 64

const (
	padByte  = 0xC3
	freshRx  = 0xA5
	scribble = 0x5A
)

// opRec is an accepted call in the process that made it. Its address is the operation's context.
type opRec struct {
	id    int
	call  call
	whole []byte // with pads
	buf   []byte
	res   []byte // results of fetching atomics
	cmp   []byte
	snap  []byte // what the buffer held when the completion was read
	done  bool
}

// chunk is what is taken of mr.Alloc for the buffers of operations: a memory file for each would be too many.
const chunk = 4 << 20

// alloc makes a padded buffer, of the kind of memory that the cell wants; own says that it shares a block with nobody.
func (n *node) alloc(size int, own bool) (whole, buf []byte) {
	size += 2 * pad
	switch {
	case !n.opts.Set.Alloc:
		whole = make([]byte, size)
	case own || size > chunk/4:
		whole = n.block(size)
	default:
		whole = n.carve(size)
	}
	return padded(whole, size-2*pad)
}

// carve takes a piece of a block.
func (n *node) carve(size int) []byte {
	room := (size + 63) &^ 63
	if room > len(n.arena) {
		n.arena = n.block(chunk)
	}
	b := n.arena[:size:size]
	n.arena = n.arena[room:]
	return b
}

// block takes memory that peers can map, until the node closes.
func (n *node) block(size int) []byte {
	m, err := mr.Alloc(size)
	if err != nil {
		n.say("%v", err)
		return make([]byte, size)
	}
	n.blocks = append(n.blocks, m)
	return m.Bytes()
}

func padded(whole []byte, n int) (_, buf []byte) {
	for i := range pad {
		whole[i], whole[pad+n+i] = padByte, padByte
	}
	return whole, whole[pad : pad+n : pad+n]
}

func intact(whole []byte) bool {
	if whole == nil {
		return true
	}
	n := len(whole)
	for i := range pad {
		if whole[i] != padByte || whole[n-1-i] != padByte {
			return false
		}
	}
	return true
}

// post makes a call; the operation's number comes back when it was accepted.
func (n *node) post(c *call) (int, error) {
	rec := &opRec{call: *c}
	rec.whole, rec.buf = n.alloc(c.N, false)
	switch {
	case c.Bytes != nil:
		copy(rec.buf, c.Bytes)
	case c.brings():
		fillByte(rec.buf, freshRx)
	default:
		fill(rec.buf, c.Seed, 0)
	}
	if c.fetches() {
		_, rec.res = n.alloc(c.N, false)
		rec.cmp = append([]byte(nil), c.Compare...)
	}
	var ctx any = rec
	rec.id = n.nextOp + 1
	if first := n.ops[c.CtxOf]; first != nil {
		ctx, rec.id = first, first.id
		first.buf, first.whole, first.done, first.call = rec.buf, rec.whole, false, rec.call
	}
	if err := n.register(rec.buf, rec.res); err != nil {
		return 0, err
	}
	if c.CtxOf == 0 {
		n.ops[rec.id] = rec // the completion may be there before the call returns
		n.nextOp++
	}
	if err := n.issue(c, rec, ctx); err != nil {
		if c.CtxOf == 0 {
			delete(n.ops, rec.id)
			n.nextOp--
		}
		return 0, err
	}
	if c.injects() { // the buffer is ours again
		fillByte(rec.buf, scribble)
	}
	return rec.id, nil
}

// register makes local buffers known where the provider needs that.
func (n *node) register(bufs ...[]byte) error {
	if n.info.Domain.MRMode&fi.MRModeLocal == 0 {
		return nil
	}
	for _, b := range bufs {
		if len(b) == 0 {
			continue
		}
		const rights = fi.AccessSend | fi.AccessRecv | fi.AccessRead | fi.AccessWrite
		m, err := n.registerMR([][]byte{b}, &fi.MRAttr{Access: rights, Key: uint64(1)<<40 + uint64(len(n.desc))}, fi.AddrUnspec)
		if err != nil {
			return err
		}
		if n.desc == nil {
			n.desc = map[*byte]*fabric.MR{}
		}
		n.desc[&b[0]] = m
	}
	return nil
}

func (n *node) descs(iov [][]byte) []fi.Desc {
	if n.desc == nil {
		return nil
	}
	out := make([]fi.Desc, len(iov))
	for i, b := range iov {
		if len(b) > 0 {
			for _, m := range n.desc {
				if offsetIn(m.Bytes(), b) >= 0 {
					out[i] = m.Desc()
				}
			}
		}
	}
	return out
}

// split cuts a buffer into parts.
func split(b []byte, lens []int) [][]byte {
	if b == nil {
		return nil
	}
	if lens == nil {
		return [][]byte{b}
	}
	var out [][]byte
	for _, n := range lens {
		out = append(out, b[:n:n])
		b = b[n:]
	}
	return out
}

// ranges are the remote ranges of a message form.
func (c *call) ranges() []fi.RMAIov {
	if c.Ranges != nil {
		return c.Ranges
	}
	return []fi.RMAIov{{Addr: c.At.Addr, Len: uint64(c.N), Key: c.At.Key}}
}
