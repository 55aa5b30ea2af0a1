package conformance

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// comp is a completion as the case sees it.
type comp struct {
	Op    int // number of the operation; 0: none (what a peer did), -1: a context that nobody gave
	Rx    bool
	Flags fi.CompFlags
	Len   int
	Data  uint64
	Tag   uint64
	Src   fi.Addr
	Off   int // multi-receive: where in the buffer; -1: no buffer in the entry
	Err   fi.Errno
	OLen  int
	Raw   []byte // ErrData
	Text  string
	Bytes []byte // the received bytes of small messages
}

func (c *comp) String() string {
	s := fmt.Sprintf("%v len %d", c.Flags, c.Len)
	if c.Err != 0 {
		s += fmt.Sprintf(" err %v olen %d %s", c.Err, c.OLen, c.Text)
	}
	return s
}

// snapMax is the longest buffer of which a copy is kept at its completion.
const snapMax = 2 << 20

// comp takes a completion apart, and looks at the buffers at the moment at which they have come back.
func (n *node) comp(q *fabric.CQ, e *cq.Entry, err fi.Errno) comp {
	c := comp{Rx: q == n.rxq, Flags: e.Flags, Len: e.Len, Data: e.Data, Tag: e.Tag, Src: e.Src, Off: -1}
	rec, mine := e.Context.(*opRec)
	switch {
	case e.Context == nil:
		return c
	case !mine || n.ops[rec.id] != rec:
		c.Op = -1
		return c
	}
	c.Op = rec.id
	if rec.call.isRecv() {
		n.received(rec, e, &c, err)
	} else {
		n.sent(rec, &c)
	}
	return c
}

// received looks at a receive's buffer.
func (n *node) received(rec *opRec, e *cq.Entry, c *comp, err fi.Errno) {
	part := rec.buf
	switch {
	case rec.call.Flags&fi.OpMultiRecv != 0:
		if e.Buf == nil && e.Len == 0 {
			return
		}
		c.Off = offsetIn(rec.buf, e.Buf)
		if c.Off < 0 {
			n.say("a completion's Buf is not in the multi-receive buffer")
			return
		}
		part = rec.buf[c.Off:]
	case rec.call.Flags&(fi.OpPeek|fi.OpDiscard) != 0:
		return
	default:
		rec.done = true
	}
	if e.Len < 0 || e.Len > len(part) {
		n.say("a completion says that %d bytes came into a buffer of %d", e.Len, len(part))
		return
	}
	if e.Len <= 64<<10 {
		c.Bytes = append([]byte{}, part[:e.Len]...)
	}
	if rec.done {
		broken := err != 0 && err != fi.ErrTruncated && err != fi.ErrCanceled && err != fi.ErrAddrNotAvail // in the middle
		if !broken && !allBytes(rec.buf[e.Len:], freshRx) {
			n.say("%s: bytes were written behind the end of the message (%d bytes)", rec.call.Form, e.Len)
		}
		n.keep(rec)
	}
}

// keep remembers what the buffer held when it came back.
func (n *node) keep(rec *opRec) {
	if len(rec.buf) <= snapMax {
		rec.snap = append([]byte{}, rec.buf...)
	}
}

// sent looks at the buffers of a send or a remote access, and makes a source unreadable.
func (n *node) sent(rec *opRec, c *comp) {
	rec.done = true
	switch {
	case rec.call.fetches():
		c.Bytes = append([]byte{}, rec.res...)
		n.keep(rec)
	case rec.call.brings():
		if len(rec.buf) <= 64<<10 {
			c.Bytes = append([]byte{}, rec.buf...)
		}
		n.keep(rec)
	case !rec.call.injects():
		if rec.call.Bytes == nil && len(rec.buf) <= snapMax && differs(rec.buf, rec.call.Seed, 0) != "" {
			n.say("%s: the source buffer was changed", rec.call.Form)
		}
		fillByte(rec.buf, scribble)
	}
}

// errComp takes an error completion apart.
func (n *node) errComp(q *fabric.CQ, e *cq.ErrEntry) comp {
	c := n.comp(q, &e.Entry, e.Err)
	c.Err, c.OLen, c.Text = e.Err, e.OLen, e.Text
	c.Raw = append([]byte{}, e.ErrData...)
	if e.Err == 0 {
		n.say("an error completion without an error")
	}
	return c
}

// offsetIn tells where part lies in whole; -1 when it does not.
func offsetIn(whole, part []byte) int {
	if part == nil {
		return -1
	}
	off := int(reflect.ValueOf(part).Pointer()) - int(reflect.ValueOf(whole).Pointer())
	if off < 0 || off+len(part) > len(whole) {
		return -1
	}
	return off
}

// buffers finds what was written where or when nothing may be written any more.
func (n *node) buffers() {
	for _, rec := range n.ops {
		if !intact(rec.whole) {
			n.say("%s: bytes outside the buffer of %d were written", rec.call.Form, len(rec.buf))
		}
		if rec.done && rec.snap != nil && !bytes.Equal(rec.snap, rec.buf) {
			n.say("%s: the buffer changed after its completion: %s", rec.call.Form, firstDiff(rec.buf, rec.snap))
		}
	}
	for _, r := range n.regions {
		if !intact(r.whole) {
			n.say("bytes outside a registered region of %d were written", len(r.buf))
		}
	}
}
