package shm

import (
	"errors"

	"github.com/gofabric/gofabric/internal/shmem"
)

// Control messages through the socket: a kind byte, then a block's id. The answer carries a descriptor.
const (
	ctlAsk   = 'M' // map me this block
	ctlBlock = 'F' // here it is: id, size, descriptor
	ctlNone  = 'N' // there is no such block
)

const (
	askBytes   = 9
	blockBytes = 17
)

func askFor(block uint64) []byte { return le.AppendUint64([]byte{ctlAsk}, block) }

// control handles a request for one of our blocks, or the answer to one of ours. False says that it does not follow the
// protocol.
func (l *link) control(m *shmem.Message) bool {
	b := m.Bytes()
	if len(b) < askBytes {
		return false
	}
	id := le.Uint64(b[1:])
	switch b[0] {
	case ctlAsk:
		return len(b) == askBytes && m.Descriptors() == 0 && l.serveBlock(id)
	case ctlNone:
		if len(b) != askBytes || m.Descriptors() != 0 || l.p.asked.Add(-1) < 0 {
			return false
		}
		l.s.post(event{kind: evMapped, p: l.p, block: id})
		return true
	case ctlBlock:
		if len(b) != blockBytes || l.p.asked.Add(-1) < 0 {
			return false
		}
		return l.given(m, id, le.Uint64(b[9:]))
	}
	return false
}

// lost handles a message whose descriptors could not be received: we have too many open files. To us the block is as
// good as gone, and other ways are taken.
func (l *link) lost(b []byte) bool {
	if len(b) != blockBytes || b[0] != ctlBlock || l.p.asked.Add(-1) < 0 {
		return false
	}
	l.s.post(event{kind: evMapped, p: l.p, block: le.Uint64(b[1:])})
	return true
}

// given maps a block that the peer has sent.
func (l *link) given(m *shmem.Message, id, size uint64) bool {
	fds, err := m.Take(1)
	if err != nil {
		return false
	}
	defer shmem.CloseFD(fds[0])
	access := shmem.ReadWrite
	if id == bulkID {
		access = shmem.ReadOnly
		if size != poolBytes {
			return false
		}
	}
	if size > maxBlock {
		return false
	}
	mem, err := shmem.MapPeer(fds[0], int(size), access, 0)
	if err != nil && (errors.Is(err, shmem.ErrNotMemory) || errors.Is(err, shmem.ErrNotSealed) || errors.Is(err, shmem.ErrWrongSize)) {
		return false
	}
	l.s.post(event{kind: evMapped, p: l.p, block: id, m: mem}) // nil: it cannot be mapped
	return true
}

// maxBlock is the largest block of mr.Alloc.
const maxBlock = 1 << 47

// serveBlock sends a block's descriptor to a peer that asks for it. False says that the peer does not read the answers.
func (l *link) serveBlock(id uint64) bool {
	d, p := l.s.d, l.p // of the pair only what blocks guard: the caller may not yet have noted its connection there
	d.blocks.Lock()
	defer d.blocks.Unlock()
	fd, size := -1, 0
	if id == bulkID {
		if d.bulk != nil {
			fd, size = d.bulk.file.FD(), poolBytes
		}
	} else if b := d.known[id]; b != nil {
		fd, size = b.FD(), len(b.Bytes())
	}
	if fd < 0 {
		return l.conn.Send(le.AppendUint64([]byte{ctlNone}, id)) != shmem.ErrAgain //nolint:errorlint // documented: a bare value
	}
	if id != bulkID {
		if p.given == nil {
			p.given = make(map[uint64]struct{})
		}
		p.given[id] = struct{}{}
	}
	err := l.conn.Send(le.AppendUint64(le.AppendUint64([]byte{ctlBlock}, id), uint64(size)), fd)
	return err != shmem.ErrAgain //nolint:errorlint // documented: a bare value
}
