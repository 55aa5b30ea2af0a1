package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gofabric/gofabric/pmi/server"
)

// Frames go between mpirun and its agents: a byte that says what, four bytes of length, most significant first, and the
// body, JSON unless said otherwise.
type kind byte

// What mpirun says.
const (
	kindStart   kind = 's' // part
	kindRelease kind = 'r' // map: what all ranks put; ends a fence
	kindStop    kind = 'k' // stop
	kindInput   kind = 'i' // bytes for the input of rank 0; none is the end of it
)

// What an agent says.
const (
	kindStarted kind = 'u' // nothing: the processes run
	kindFence   kind = 'f' // map: what the ranks of the host put; all are in the fence
	kindLeft    kind = 'l' // nothing: no rank of the host takes part in fences any more
	kindOutput  kind = 'o' // rank, stream, bytes
	kindWant    kind = 'w' // nothing: rank 0 has taken its input
	kindNote    kind = 'n' // text for the user
	kindFailed  kind = 'x' // failure
	kindEnd     kind = 'e' // failure, of status 0 when all went well; nothing follows
)

// maxFrame bounds what either side reads. The values of a large job in one fence are the greatest.
const maxFrame = 128 << 20

// part is what an agent has to know.
type part struct {
	ID       string
	Size     int
	Universe int
	Mapping  string
	Procs    []proc
	Keep     bool   // -keep-going
	Bind     bool   // -bind-to core
	Input    bool   // rank 0 is here
	Scratch  string // folder of built programs, removed at the end; empty for none
}

// proc is one rank.
type proc struct {
	Rank, App int
	Args      []string // the program in front
	Env       []string // beside the agent's own
	Dir       string
	MustDir   bool // Dir was asked for; else it is where mpirun runs, and need not exist elsewhere
}

// stop ends the job.
type stop struct {
	Status int
	Text   string
	Force  bool // at once
}

// failure is a server.Failure on its way, and whether the processes could not be started.
type failure struct {
	server.Failure
	NotFound bool `json:",omitempty"`
}

// appendFrame appends a frame to dst.
func appendFrame(dst []byte, k kind, body ...[]byte) []byte {
	n := 0
	for _, b := range body {
		n += len(b)
	}
	dst = append(dst, byte(k))
	dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	for _, b := range body {
		dst = append(dst, b...)
	}
	return dst
}

// jsonFrame makes a frame of a value.
func jsonFrame(k kind, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own types
	}
	return appendFrame(nil, k, b)
}

// readFrame reads the next frame.
func readFrame(r io.Reader) (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes is longer than %d", n, maxFrame)
	}
	// Memory is taken as bytes arrive, not as they are announced.
	var body []byte
	for uint32(len(body)) < n {
		at := len(body)
		body = append(body, make([]byte, min(int(n)-at, 64<<10))...)
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, nil, err
		}
	}
	return kind(head[0]), body, nil
}

// outputHead is what stands before the bytes of kindOutput: a rank and a stream.
func outputHead(rank, stream int) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(rank)), byte(stream))
}

// splitOutput reads the body of kindOutput.
func splitOutput(body []byte) (rank, stream int, text []byte, err error) {
	if len(body) < 5 || body[4] != 1 && body[4] != 2 {
		return 0, 0, nil, fmt.Errorf("output without rank and stream")
	}
	return int(binary.BigEndian.Uint32(body)), int(body[4]), body[5:], nil
}
