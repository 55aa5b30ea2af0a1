package mpi

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// incoming is a value that is received: its message first, and then, when it is long, piece after piece. Whoever drives the
// device leads it on.
type incoming struct {
	c    *Comm
	call string
	op   device.Op // over when all is here
	head device.Op // the message
	body device.Op // a piece
	buf  []byte    // for the message

	raw     []byte // what has come of the encoding
	size    int    // of all of it
	foreign bool   // the message was not of a value
	apart   bool   // pieces are received
	cause   atomic.Pointer[error]
}

// begin posts the receive of the message.
func (m *incoming) begin(src, tag int) error {
	m.buf = make([]byte, valueMessage)
	m.head.Then = m.arrived
	m.op.Doubt = m.doubt
	from, bits, ignore := m.c.match(src, tag)
	m.op.Peer, m.op.Want = from, bits|ignore
	m.op.Begin()
	return m.c.job.dev.Recv(&m.head, m.buf, from, bits, ignore)
}

// arrived looks at the message.
func (m *incoming) arrived(h *device.Op) {
	m.op.Peer, m.op.Src, m.op.Tag, m.op.Data, m.op.Len = h.Peer, h.Src, h.Tag, h.Data, h.Len
	if h.Err != nil {
		m.end(h.Err)
		return
	}
	msg := m.buf[:h.Len]
	switch {
	case len(msg) > 0 && msg[0] == valueWhole:
		m.raw = msg[1:]
		m.end(nil)
	case len(msg) == valueHead && msg[0] == valueApart:
		n := binary.LittleEndian.Uint64(msg[5:])
		if m.foreign = n <= valueShort || n > maxValue; m.foreign {
			m.end(nil)
			return
		}
		m.size, m.apart = int(n), true
		m.body.Then = m.more
		m.op.Peer, m.op.Want = h.Src, device.TagOf(device.Remote, m.c.id, binary.LittleEndian.Uint32(msg[1:]))
		m.next()
	default:
		m.foreign = true
		m.end(nil)
	}
}

// more takes a piece that has come.
func (m *incoming) more(p *device.Op) {
	off := len(m.raw)
	switch want := piece(off, m.size); {
	case p.Err != nil:
		m.end(p.Err)
		return
	case p.Len != want:
		m.foreign = true
		m.end(nil)
		return
	default:
		m.raw = m.raw[:off+want]
	}
	if len(m.raw) == m.size {
		m.end(nil)
		return
	}
	m.next()
}

// next posts the receive of a piece.
func (m *incoming) next() {
	off := len(m.raw)
	n := piece(off, m.size)
	m.raw = slices.Grow(m.raw, n)
	if err := m.c.job.dev.Recv(&m.body, m.raw[off:off+n], m.op.Peer, m.op.Want, 0); err != nil {
		m.end(err)
	}
}

func (m *incoming) end(err error) {
	if cause := m.cause.Load(); cause != nil && err != nil {
		err = *cause
	}
	m.op.Err = err
	m.op.Finish()
}

// doubt withdraws what nobody will send any more.
func (m *incoming) doubt(_ *device.Op, long bool) error {
	part := &m.head
	if m.apart {
		part = &m.body
	}
	d := m.c.job.dev
	err, pending := d.Verdict(m.op.Peer, m.op.Want, long)
	if err == nil || pending {
		return err
	}
	m.cause.CompareAndSwap(nil, &err)
	d.Cancel(part)
	return nil
}
