package wire

import "github.com/gofabric/gofabric/fi"

// A control message opens a connection, one each way. It is written by one call: C reads the header and the private
// data by one call each and does not wait for the rest.
//
//	 0        1        2          4        8          16         24           32
//	+--------+--------+----------+--------+----------+----------+------------+---------------+
//	| version| type   | seg_size | seg_no | conn_id  | msg_id   | conn_data  | private data  |
//	| 3      |        | BE       | 0      | magic BE | offer BE | 1, native  | seg_size bytes|
//	+--------+--------+----------+--------+----------+----------+------------+---------------+
//
// conn_id and msg_id are 0 in C, which ignores what it receives there; see [Offer].

const (
	// Version is the version of control messages and of data headers, unchanged since libfabric 1.8.
	Version = 3
	// ControlSize is the size of a control header in bytes.
	ControlSize = 32
	// MaxPrivate is the largest private data in bytes (FI_OPT_CM_DATA_SIZE).
	MaxPrivate = 256
	// MaxControl is the largest control message in bytes.
	MaxControl = ControlSize + MaxPrivate
)

// ControlType tells control messages apart.
type ControlType uint8

// The control messages. The shared enumeration of C has more, which are never legal here.
const (
	ConnRequest  ControlType = 0 // from the one who connects
	ConnResponse ControlType = 1 // fi_accept
	ConnReject   ControlType = 6 // fi_reject
)

// String names the message as errors do.
func (t ControlType) String() string {
	switch t {
	case ConnRequest:
		return "connect request"
	case ConnResponse:
		return "connect response"
	case ConnReject:
		return "reject"
	}
	return "control message"
}

// Control is a control message.
type Control struct {
	Type  ControlType
	Order Order // that the sender announces; without meaning in a reject
	Offer Offer // of the extension, zero for none; a reject has none
	// Data is the private data, at most MaxPrivate bytes. DecodeRequest and DecodeResponse leave it in the slice that
	// they were given.
	Data []byte
}

// AppendControl appends a control message to b, which has room for MaxControl bytes when nothing may be allocated. It
// fails with fi.ErrInvalid, as fi_connect does, when the private data is too long.
func AppendControl(b []byte, c *Control) ([]byte, error) {
	if len(c.Data) > MaxPrivate {
		return b, fi.ErrInvalid
	}
	var h [ControlSize]byte
	h[0], h[1] = Version, byte(c.Type)
	be.PutUint16(h[2:], uint16(len(c.Data)))
	if c.Type != ConnReject {
		c.Offer.put(h[8:24], c.Type)
		c.Order.put(h[24:], 1)
	}
	b = append(b, h[:]...)
	return append(b, c.Data...), nil
}

// DecodeRequest reads the first message on an accepted connection; n as the package says. Read no more than is asked
// for. On an error the connection is closed without an answer.
func DecodeRequest(b []byte, c *Control) (n int, err error) { return decodeControl(b, c, ConnRequest) }

// DecodeResponse reads the answer to a connect request: a ConnResponse or a ConnReject. What follows a response is the
// data stream, so read no more than is asked for. The error's number is what the event queue reports.
func DecodeResponse(b []byte, c *Control) (n int, err error) {
	return decodeControl(b, c, ConnResponse)
}

func decodeControl(b []byte, c *Control, want ControlType) (int, error) {
	if len(b) > 0 && b[0] != Version { // at once: what is not libfabric may say no more, and wait for us
		return 0, refuseAs(fi.ErrNoProtoOpt, want.String(), "version", uint64(b[0]), "3")
	}
	if len(b) > 1 && !want.fits(ControlType(b[1])) {
		return 0, refuseAs(fi.ErrConnRefused, want.String(), "type", uint64(b[1]), wantTypes(want))
	}
	if len(b) < ControlSize {
		return len(b) - ControlSize, nil
	}
	t := ControlType(b[1])
	size := int(be.Uint16(b[2:]))
	if size > MaxPrivate {
		return 0, refuseAs(fi.ErrNoProtoOpt, t.String(), "seg_size", uint64(size), "at most 256")
	}
	order := Little
	if t != ConnReject {
		switch v := le.Uint64(b[24:]); v {
		case 1:
		case 1 << 56:
			order = Big
		default:
			return 0, refuse(t.String(), "conn_data", v, "1 in either byte order")
		}
	}
	end := ControlSize + size
	if len(b) < end {
		return len(b) - end, nil
	}
	*c = Control{Type: t, Order: order, Data: b[ControlSize:end:end]}
	if t != ConnReject {
		c.Offer = readOffer(b[8:24], t)
	}
	return end, nil
}

// fits tells whether a message of type got may come where t is wanted.
func (t ControlType) fits(got ControlType) bool {
	return got == t || t == ConnResponse && got == ConnReject
}

func wantTypes(t ControlType) string {
	if t == ConnRequest {
		return "0 (request)"
	}
	return "1 (response) or 6 (reject)"
}
