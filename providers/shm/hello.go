package shm

import (
	"crypto/rand"
	"fmt"
	"os"
	"runtime"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// The first message of each side. Both begin with magic, versions and size, so that releases that do not fit can say so.
//
//	0   magic u64
//	8   version u16 | oldest version that we speak u16 | bytes of this message u16 | kind u16
//	16  features u32 | status u32 (answers only: 0, or an error number)
//	24  first line of the rings u32 | 0 u32
//	32  incarnation u64: tells an endpoint from another one of the same name
//	40  address of the nonce u64, nonce 16 bytes
//	64  length of the name u8, name (64 bytes)
//	129 length of the reason u8, reason (up to 120 bytes; answers with a status)
//	218 digest of the authorization key, 32 bytes, 0 for none (without a status, whose reason may lie there)
//	256 private data, up to 256 bytes (of the kind helloConnection)
//
// The one who connects sends the descriptors of the rings and of its table along, the one who accepts that of its table.
const (
	helloMagic      = 0x6f676f6d68732d67 // "g-shmogo" in memory order
	protocolVersion = 1
	oldestVersion   = 1
	helloBytes      = 256
	maxReason       = 120
	keyAt           = 218
	cmDataSize      = 256 // the longest private data, as in C's tcp
)

// helloKind tells what a hello is about.
type helloKind uint16

const (
	helloPair       helloKind = iota // two endpoints that know each other by address (FI_EP_RDM)
	helloConnection                  // a request for a connection, and its answer (FI_EP_MSG)
	helloDatagrams                   // as helloPair, for datagrams (FI_EP_DGRAM)
)

// kind is that of an endpoint's hellos.
func (e *endpoint) kind() helloKind {
	switch {
	case e.con != nil:
		return helloConnection
	case e.lossy:
		return helloDatagrams
	}
	return helloPair
}

// otherwise says why a listening endpoint has nothing to do with a hello of some kind, which is not its own.
func (e *endpoint) otherwise(k helloKind) string {
	if k == helloConnection {
		return fmt.Sprintf("no passive endpoint listens here: the endpoint is not connected (%v)", e.Info.EP.Type)
	}
	return fmt.Sprintf("it is an endpoint of another type (%v)", e.Info.EP.Type)
}

// statusCrossed refuses a peer that we are calling ourselves: it waits for our call.
const statusCrossed = fi.ErrAlready

// Features.
const (
	featurePlain  = 1 << iota // publishes with plain stores, and runs a barrier before it sleeps
	featureRanges             // takes accessMore and accessRest
)

type hello struct {
	version, oldest uint16
	kind            helloKind
	features        uint32
	status          fi.Errno
	first           uint32
	incarnation     uint64
	nonceAt         uint64
	nonce           [nonceBytes]byte
	name, reason    string
	key             authKey
	data            []byte
}

func (h *hello) marshal() []byte {
	b := make([]byte, helloBytes, helloBytes+len(h.data))
	le.PutUint64(b, helloMagic)
	le.PutUint16(b[8:], protocolVersion)
	le.PutUint16(b[10:], oldestVersion)
	le.PutUint16(b[12:], uint16(helloBytes+len(h.data)))
	le.PutUint16(b[14:], uint16(h.kind))
	le.PutUint32(b[16:], h.features)
	le.PutUint32(b[20:], uint32(h.status))
	le.PutUint32(b[24:], h.first)
	le.PutUint64(b[32:], h.incarnation)
	le.PutUint64(b[40:], h.nonceAt)
	copy(b[48:64], h.nonce[:])
	b[64] = byte(copy(b[65:65+maxName], h.name))
	if b[129] = byte(copy(b[130:130+maxReason], h.reason)); h.status == 0 {
		copy(b[keyAt:], h.key[:])
	}
	return append(b, h.data...)
}

// parseHello reads a hello. An error is for people: the peer speaks something else.
func parseHello(b []byte) (*hello, error) {
	if len(b) < 16 || le.Uint64(b) != helloMagic {
		return nil, fmt.Errorf("the socket belongs to another program")
	}
	h := &hello{version: le.Uint16(b[8:]), oldest: le.Uint16(b[10:])}
	if h.version < oldestVersion || h.oldest > protocolVersion {
		return nil, fmt.Errorf("the peer speaks versions %d to %d of the shm protocol, we speak %d to %d: use the same release on both sides",
			h.oldest, h.version, oldestVersion, protocolVersion)
	}
	if h.kind = helloKind(le.Uint16(b[14:])); len(b) < helloBytes || b[64] > maxName || b[129] > maxReason {
		return nil, fmt.Errorf("the peer's hello is malformed")
	}
	h.features, h.status, h.first = le.Uint32(b[16:]), fi.Errno(le.Uint32(b[20:])), le.Uint32(b[24:])
	h.incarnation, h.nonceAt = le.Uint64(b[32:]), le.Uint64(b[40:])
	copy(h.nonce[:], b[48:64])
	if h.status == 0 {
		copy(h.key[:], b[keyAt:])
	}
	h.name, h.reason = string(b[65:65+b[64]]), printable(b[130:130+b[129]])
	if h.kind == helloConnection {
		h.data = append(h.data, b[helloBytes:]...)
	}
	if h.first >= 128 || h.kind > helloDatagrams || len(h.data) > cmDataSize {
		return nil, fmt.Errorf("the peer's hello is malformed")
	}
	if h.name != "" {
		if a, err := checkAddr([]byte(prefix + h.name)); err != nil || len(a) != len(prefix)+len(h.name) {
			return nil, fmt.Errorf("the peer's name is malformed")
		}
	}
	return h, nil
}

// nonce is memory that a peer tries to read: whether process_vm_readv works between us is found out, not guessed.
type nonce struct {
	value [nonceBytes]byte
	pin   runtime.Pinner
}

const nonceBytes = shmem.VoucherBytes

func newNonce() *nonce {
	n := new(nonce)
	rand.Read(n.value[:]) // never fails
	n.pin.Pin(n)
	return n
}

func (n *nonce) address() uint64 { return mr.VirtualAddress(n.value[:]) }

// probe finds out whether the memory of the process that sent h can be read, and how it is told from a later one.
func (p *pair) probe(h *hello) {
	p.voucher = shmem.Voucher{At: uintptr(h.nonceAt), Says: h.nonce}
	p.cmaIn = p.d.readable(p.pid, h)
}

func (d *domain) readable(pid int, h *hello) bool {
	if !d.cfg.cma || pid <= 0 || h.nonceAt == 0 {
		return false
	}
	var got [nonceBytes]byte
	n, err := shmem.ReadProcess(pid, got[:], uintptr(h.nonceAt))
	if err == nil && n == nonceBytes && got == h.nonce {
		return true
	}
	d.logNoCMA(pid, err)
	return false
}

// socketAddr is where the endpoint of a name listens.
func (c *config) socketAddr(name string) shmem.Addr {
	if c.socketDir != "" {
		return shmem.Path(c.socketDir + "/gofabric-shm-" + name)
	}
	return shmem.Abstract(fmt.Sprintf("gofabric/shm/%d/%s", os.Geteuid(), name))
}

// stranger says why a process is not let in; empty for one of our user.
func stranger(c shmem.Cred) string {
	if c.UID != os.Geteuid() {
		return fmt.Sprintf("it belongs to user %d, we are user %d", c.UID, os.Geteuid())
	}
	return ""
}
