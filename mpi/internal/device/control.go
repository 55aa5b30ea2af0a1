package device

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/gofabric/gofabric/fi"
)

// Kind says what a control message is for. Each belongs to one part of this package, or to one user of it who has called
// Handle.
type Kind uint8

// Kinds of control messages.
const (
	kindAsk     Kind = iota + 1 // are you there? the confirmation of the delivery is the answer
	kindFailed                  // these ranks are gone
	kindRevoked                 // a context is revoked
	kindVote                    // of an agreement: what I say
	kindPoll                    // of an agreement: what do you say?
	kindDecided                 // of an agreement: what was decided
	kindWhere                   // what do you wait for?
	kindHere                    // that is what I wait for
	KindCall                    // of collective operations: what are you at? and the answers
	KindWake                    // look at what you wait for
	kindsEnd
)

// A control message, little-endian:
//
//	0 version  1 kind  2-3 length of the body   4... body
const (
	controlVersion = 1
	controlHeader  = 4
	controlLeast   = 512 // room for a message in jobs that are not large
)

// controlTag is that of all control messages. They are received from each rank by a receive of its own, of the same form
// as most receives of applications: a receive from anybody would be one more place to look for every message.
var controlTag = TagOf(Control, 0, 0)

// ControlMost is how long the body of a control message may be.
func (d *Device) ControlMost() int { return d.control.most - controlHeader }

// control is what a device needs for control messages.
type control struct {
	most int // bytes of a message

	mu       sync.RWMutex
	handlers [kindsEnd]func(from int, body []byte) // guarded by mu
}

// Handle has f called for each control message of a kind, by whoever drives the device, one call at a time. f must not wait,
// keeps nothing of body, and trusts nothing in it. Messages that came before are lost: who needs an answer asks again.
func (d *Device) Handle(kind Kind, f func(from int, body []byte)) {
	d.control.mu.Lock()
	defer d.control.mu.Unlock()
	d.control.handlers[kind] = f
}

// Tell sends a control message to a rank; body is free at once. Nobody learns whether it arrives. It may be called by
// handlers.
func (d *Device) Tell(to int, kind Kind, body []byte) {
	if to == d.Rank || len(body) > d.ControlMost() || d.closed.Load() {
		return
	}
	b := encodeControl(kind, body)
	var op *Op
	if len(b) > d.Inject {
		op = &Op{Then: func(op *Op) { op.Finish() }}
	}
	_ = d.Send(op, b, to, controlTag, 0) // to one who is gone, say
}

// listen posts a receive for each rank.
func (d *Device) listen() error {
	d.control.most = max(controlLeast, controlHeader+voteSize(d.Size))
	d.Handle(kindAsk, d.asked)
	d.Handle(kindFailed, d.heardFailed)
	d.Handle(kindRevoked, d.heardRevoked)
	d.Handle(kindVote, d.heardVote)
	d.Handle(kindPoll, d.heardPoll)
	d.Handle(kindDecided, d.heardDecided)
	d.Handle(kindWhere, d.heardWhere)
	d.Handle(kindHere, d.heardHere)
	for r := range d.Size {
		if r == d.Rank {
			continue
		}
		op := &Op{Owner: make([]byte, d.control.most), Then: d.came}
		if err := d.Recv(op, op.Owner.([]byte), r, controlTag, 0); err != nil {
			return err
		}
	}
	return nil
}

// came handles a control message and posts the receive again.
func (d *Device) came(op *Op) {
	from, buf := op.Peer, op.Owner.([]byte)
	kind, body, ok := decodeControl(buf[:min(op.Len, len(buf))])
	if op.Err == nil && ok && !d.Failed(from) {
		d.control.mu.RLock()
		f := d.control.handlers[kind]
		d.control.mu.RUnlock()
		if f != nil {
			f(from, body)
		}
	}
	if d.closed.Load() || errors.Is(op.Err, fi.ErrCanceled) || errors.Is(op.Err, fi.ErrBadFD) || d.Failed(from) {
		return
	}
	op.Err = nil
	_ = d.Recv(op, buf, from, controlTag, 0) // the endpoint is closed
}

func encodeControl(kind Kind, body []byte) []byte {
	b := make([]byte, controlHeader, controlHeader+len(body))
	b[0], b[1] = controlVersion, byte(kind)
	binary.LittleEndian.PutUint16(b[2:], uint16(len(body)))
	return append(b, body...)
}

// decodeControl is false for what is no control message.
func decodeControl(b []byte) (kind Kind, body []byte, ok bool) {
	if len(b) < controlHeader || b[0] != controlVersion || b[1] == 0 || b[1] >= byte(kindsEnd) ||
		int(binary.LittleEndian.Uint16(b[2:])) != len(b)-controlHeader {
		return 0, nil, false
	}
	return Kind(b[1]), b[controlHeader:], true
}
