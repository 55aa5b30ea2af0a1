package rdmstress

import "encoding/binary"

// Commands of a message.
const (
	cmdHello = iota
	cmdGoodbye
	cmdMsg
	cmdMsgInject
	cmdTag
	cmdRead
	cmdWrite
	cmdLast
)

// cmdNames are the commands as they are printed.
var cmdNames = [cmdLast]string{"hello", "goodbye", "msg", "msg_inject", "tag", "read", "write"}

func cmdName(cmd uint32) string {
	if cmd >= cmdLast {
		return "unknown"
	}
	return cmdNames[cmd]
}

// noClient is the number of a client that the server does not know.
const noClient = ^uint32(0)

const (
	headerSize = 32
	// mostName is how long an address in a hello may be: C programs have room for 32 bytes, of which they use what an
	// address of the provider needs.
	mostName = 224
	// helloSize is the longest request.
	helloSize = headerSize + mostName
)

// header begins each message, in the order of bytes of the machine.
type header struct {
	client uint32 // the server's number for a client
	cmd    uint32
	size   uint64 // bytes that the server shall send, read or write; in a hello those of the address
	offset uint64 // where in the client's memory
	data   uint64 // its key; or a tag
}

func (h *header) put(b []byte) {
	e := binary.NativeEndian
	e.PutUint32(b, h.client)
	e.PutUint32(b[4:], h.cmd)
	e.PutUint64(b[8:], h.size)
	e.PutUint64(b[16:], h.offset)
	e.PutUint64(b[24:], h.data)
}

func readHeader(b []byte) header {
	e := binary.NativeEndian
	return header{client: e.Uint32(b), cmd: e.Uint32(b[4:]), size: e.Uint64(b[8:]), offset: e.Uint64(b[16:]), data: e.Uint64(b[24:])}
}
