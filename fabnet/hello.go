package fabnet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// hello is the private data of a connection's request and of its answer: what its sender's peer has to know.
//
//	0  "fnet"
//	4  version u8 | 0 u8 | window u16: messages that its sender has memory for
//	8  bytes of each u32
type hello struct {
	window int
	frame  int
}

const (
	helloMagic   = "fnet"
	helloVersion = 1
	helloBytes   = 12
)

var le = binary.LittleEndian

// ours is what we say.
var ours = hello{window, frameBytes}

func (h hello) marshal() []byte {
	b := make([]byte, helloBytes)
	copy(b, helloMagic)
	b[4] = helloVersion
	le.PutUint16(b[6:], uint16(h.window))
	le.PutUint32(b[8:], uint32(h.frame))
	return b
}

// parseHello reads a hello; what follows it is of later versions.
func parseHello(b []byte) (hello, error) {
	if len(b) < helloBytes || string(b[:4]) != helloMagic {
		return hello{}, fmt.Errorf("the peer is no fabnet program; %w", errBothSides)
	}
	h := hello{window: int(le.Uint16(b[6:])), frame: int(min(le.Uint32(b[8:]), 1<<30))}
	if b[4] < helloVersion || h.window < 2 || h.frame < 1 {
		return hello{}, errors.New("the peer's fabnet hello is malformed")
	}
	return h, nil
}

// header is the remote CQ data that travels with each message. Its lower half gives credits back: messages that the
// receiver of it may send beyond.
type header uint32

const (
	headerBytes  = 4
	headerCredit = 1<<16 - 1
	headerFin    = 1 << 16 // nothing follows

	headerKnown = headerCredit | headerFin
)
