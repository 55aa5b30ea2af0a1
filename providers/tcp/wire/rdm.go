package wire

// An RDM record is the private data of every control message between RDM endpoints:
//
//	 0         1          2        4        8
//	+---------+----------+--------+--------+
//	| version | features | port   | pid    |
//	|         |          | BE     | BE     |
//	+---------+----------+--------+--------+

const (
	// RDMSize is the size of an RDM record in bytes, exactly.
	RDMSize = 8
	// RDMVersion is the newest RDM protocol version: 0 without, 1 with rendezvous (FI_PROTO_XNET).
	RDMVersion = 1

	// FeatureFirewall in a request says that the sender cannot be connected to.
	FeatureFirewall = 0x01

	rdmAnswer = 0x80 // of a response: the version was chosen by one that knows version 1
)

// RDM is the record of an RDM endpoint.
type RDM struct {
	// Version is the newest of the sender in a request. In a response it has 0x80 set when the rest is the agreed
	// version; see [RDM.Agreed].
	Version  uint8
	Features uint8  // bit 0: the sender cannot be connected to
	Port     uint16 // the initiator's listener; a response repeats it
	PID      uint32 // the sender's process, never 0; a reject repeats the request's
}

// Firewall tells whether the sender says that it cannot be connected to (FI_TCP_FIREWALL_ADDR).
func (r RDM) Firewall() bool { return r.Features&FeatureFirewall != 0 }

// AppendRDM appends the record.
func AppendRDM(b []byte, r RDM) []byte {
	b = append(b, r.Version, r.Features)
	b = be.AppendUint16(b, r.Port)
	return be.AppendUint32(b, r.PID)
}

// DecodeRDM reads the private data of a control message of type t. An error says that the peer is no RDM endpoint of
// this protocol (ofi_rxm sends 24 bytes): a request is rejected, a response ends the connection.
func DecodeRDM(data []byte, t ControlType) (RDM, error) {
	if len(data) != RDMSize {
		return RDM{}, refuse(t.String(), "private data length", uint64(len(data)), "8 (an RDM record)")
	}
	r := RDM{Version: data[0], Features: data[1], Port: be.Uint16(data[2:]), PID: be.Uint32(data[4:])}
	if t == ConnRequest {
		if r.Version&rdmAnswer != 0 {
			return RDM{}, refuse(t.String(), "RDM version", uint64(r.Version), "at most 127")
		}
		if r.Port == 0 && !r.Firewall() {
			return RDM{}, refuse(t.String(), "RDM port", 0, "a port that can be connected to")
		}
	}
	return r, nil
}

// Answer is the record of a response to the request r. newest is the version up to which we go: RDMVersion, or 0 on a
// connection whose stream is big endian, where C's rendezvous is broken.
func (r RDM) Answer(newest uint8, pid uint32) RDM {
	a := RDM{Features: r.Features & FeatureFirewall, Port: r.Port, PID: pid}
	if v := min(r.Version, newest); v > 0 {
		a.Version = rdmAnswer | v
	}
	return a
}

// Agreed is the protocol version after the response r to a request of version newest: 0 or 1. A response that chose a
// version that was not asked for means 0.
func (r RDM) Agreed(newest uint8) uint8 {
	if r.Version&rdmAnswer == 0 || r.Version&^rdmAnswer > newest {
		return 0
	}
	return r.Version &^ rdmAnswer
}
