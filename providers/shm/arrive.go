package shm

import (
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
)

// shortTagged is the head of the commonest message: a tagged one of one line.
var shortTagged = ring.HeadOf(opEager | eagerTagged)

// budget is how many messages of one ring a poll takes before it looks at the next.
const budget = 64

// drain takes messages from the ring. It reports whether it found any.
//
//fabric:fastpath
func (p *pair) drain() bool {
	rx := &p.ring.Rx
	n := 0
	for ; n < budget; n++ {
		if h, l := rx.Short(); h.Is(shortTagged) {
			tag, payload := l.Message(h)
			if !p.Eager(&p.EP.Rx.Tag, rdm.KindTRecv, tag, payload) {
				p.rejected()
				break
			}
			if p.state == dead {
				return true
			}
			rx.Step()
			continue
		} else if !h.Here() {
			break
		}
		op, aux, tag, data, payload, status := rx.Next()
		if status != ring.Message {
			if status == ring.Broken {
				p.broken("a malformed line")
			}
			break
		}
		ok := true
		switch {
		case op == opEager|eagerTagged && aux == 0:
			ok = p.Eager(&p.EP.Rx.Tag, rdm.KindTRecv, tag, payload)
		case op == opEager && aux == 0:
			ok = p.Eager(&p.EP.Rx.Msg, rdm.KindRecv, 0, payload)
		case op&^(eagerTagged|eagerData|eagerAck) == opEager:
			ok = p.eager(op, aux, tag, data, payload)
		default:
			ok = p.control(op, aux, tag, data, payload)
		}
		if !ok {
			p.rejected()
			break
		}
		if p.state == dead {
			return true
		}
		rx.Advance()
	}
	if n == 0 {
		return false
	}
	p.ring.Tx.Heard()
	return true
}

// rejected decides what becomes of a peer whose message was not taken.
//
//go:noinline
func (p *pair) rejected() {
	if p.Later() {
		p.pause()
	} else {
		p.broken("an unknown or malformed message")
	}
}

// eager hands a whole message to the receives: one of a peer group, with data, or whose sender wants an answer.
func (p *pair) eager(op uint8, group uint16, tag, data uint64, payload []byte) bool {
	if group != 0 && p.ep.lossy {
		return false
	}
	a := &p.arrival
	a.Tagged = op&eagerTagged != 0
	a.Group, a.Tag = uint32(group), tag
	if op&(eagerData|eagerAck) != 0 {
		return p.eagerMore(op, data, payload)
	}
	a.Payload, a.Len = payload, len(payload)
	return p.Arrive(a)
}

// eagerMore is eager for messages with data or an id.
//
//go:noinline
func (p *pair) eagerMore(op uint8, data uint64, payload []byte) bool {
	a := &p.arrival
	if op&eagerData != 0 {
		a.Data, a.Flags = data, fi.CompRemoteCQData
	}
	if op&eagerAck != 0 {
		if len(payload) < 8 || p.ep.lossy {
			return false
		}
		id := le.Uint64(payload) & 0xffffffff
		a.Ack, a.Token[0] = id+1, id
		payload = payload[8:]
	}
	a.Payload, a.Len = payload, len(payload)
	ok := p.Arrive(a)
	a.Data, a.Flags, a.Ack, a.Token[0] = 0, 0, 0, 0
	return ok
}

// control serves everything but whole messages. False says that the peer broke the protocol.
//
//go:noinline
func (p *pair) control(code uint8, aux uint16, tag, data uint64, payload []byte) bool {
	if p.ep.lossy && code != opProbed {
		return false
	}
	switch code {
	case opAnnounce:
		return p.announcement(aux, tag, data, payload)
	case opAck:
		return p.acked(data)
	case opStart:
		return p.started(data, tag)
	case opBlock:
		return p.block(aux, uint32(data), uint32(tag), int(tag>>32))
	case opBlockFree:
		return p.blockFree(data)
	case opWrite, opWriteLarge, opRead, opAtomic:
		return p.accessed(code, tag, data, payload)
	case opReadBytes:
		return p.readBytes(data, tag, payload)
	case opAtomicResult:
		return p.atomicResult(data, tag, payload)
	case opDone:
		return p.written(data, tag)
	case opNotify:
		return p.notified(aux, tag, data)
	case opHold:
		p.hold(aux != 0, tag)
		return true
	case opProbed:
		p.cmaOut = aux != 0
		return true
	case opCancelMsg:
		return p.withdrawal(data)
	case opCanceled:
		return p.canceled(data, aux != 0)
	case opRetire:
		p.retired(data)
		return true
	case opFailed:
		return p.sourceFailed(uint32(data))
	}
	return false
}

// announcement matches an announcement.
func (p *pair) announcement(group uint16, tag, data uint64, payload []byte) bool {
	if len(payload) != announceBytes || p.announced >= idIndex {
		return false
	}
	var b [announceBytes]byte
	copy(b[:], payload) // the peer may change it
	size := le.Uint64(b[8:])
	r, flags := road(b[4]), b[5]
	if size > maxMsgSize || !r.known() || flags&^(eagerTagged|eagerData) != 0 {
		return false
	}
	p.announced++
	a := p.arrival // a copy: matching may announce again
	a.Tagged, a.Group, a.Tag, a.Announced = flags&eagerTagged != 0, uint32(group), tag, true
	a.Payload, a.Len = nil, int(size)
	if flags&eagerData != 0 {
		a.Data, a.Flags = data, fi.CompRemoteCQData
	}
	a.Token = [3]uint64{uint64(le.Uint32(b[:])), le.Uint64(b[16:]), uint64(r)<<56 | le.Uint64(b[24:])&(1<<56-1)}
	return p.Arrive(&a)
}

// withdrawal takes note that the sender of a message wants it back. Looking for it is a walk through everything that
// waits, so a poll serves one of them.
func (p *pair) withdrawal(id uint64) bool {
	if p.withdrawals.Len() >= idIndex {
		return false
	}
	if p.withdrawals.Len() == 0 {
		p.d.src.work.stick(1)
	}
	p.withdrawals.Push(id)
	return true
}

// withdraw gives a message back to its sender, if no receive has matched it.
func (p *pair) withdraw() {
	id := p.withdrawals.Pop()
	if p.withdrawals.Len() == 0 {
		p.d.src.work.stick(-1)
	}
	aux := uint16(0)
	if announced, found := p.Withdraw(id); found {
		aux = 1
		if announced {
			p.announced--
		}
	}
	p.put(opCanceled, aux, 0, id, nil)
}

// notified reports a write that the peer did itself.
func (p *pair) notified(aux uint16, n, data uint64) bool {
	if n > maxMsgSize {
		return false
	}
	if p.Unread() {
		return p.Wait()
	}
	if aux != 0 {
		p.ep.WrittenData(int(n), data, p.Addr)
	}
	return true
}
