package wire

// An offer of the extension travels in the two words of a control header that C writes as 0 and does not read:
//
//	conn_id  8..15   the magic, big endian: "goFabReq" in a request, "goFabRsp" in a response
//	msg_id  16..23   version u8 | oldest version u8 | 0 u16 | features u32, big endian
//
// The magics differ, so that a peer that sends our header back is not taken for one of ours.
const (
	magicRequest  = 0x676f466162526571
	magicResponse = 0x676f466162527370
)

// ExtVersion is the version of the extension that this package speaks.
const ExtVersion = 1

// Offer announces the extension. The zero Offer announces nothing, as C does.
type Offer struct {
	Version  uint8    // of a request: the newest that the sender speaks; of a response: the agreed one
	Oldest   uint8    // of a request: the oldest that the sender speaks
	Features Features // what the sender of the offer takes from the other side
}

// Features are groups of messages of the extension. Each side announces those that it takes; the other sends no others.
type Features uint32

// The groups of version 1.
const (
	FeatureMsg        Features      = 1 << iota // ExtMsg, ExtCancel, ExtHold, ExtHeld, FlagTransmit, FlagDeliver, FlagMatch
	FeatureTagged                               // OpTagged, ExtTagged: tagged messages have a place to go
	FeatureRendezvous                           // ExtRTS, and ExtTaggedRTS with FeatureTagged
	FeatureRMA                                  // ExtWrite, ExtRead
	FeatureAtomic                               // ExtAtomic
	FeaturePing                                 // ExtPing
	FeatureGoodbye                              // ExtGoodbye
	FeatureRanges                               // AtomicMore, AtomicRest
	AllFeatures       = 1<<iota - 1             // all of version 1
)

// Answer is the offer of a response to a request that offered req: the newest version that both speak. It is zero,
// and the connection is a plain one, when there is none.
func (mine Offer) Answer(req Offer) Offer {
	v := min(mine.Version, req.Version)
	if v == 0 || v < mine.Oldest || v < req.Oldest {
		return Offer{}
	}
	return Offer{Version: v, Features: mine.Features}
}

// Confirm tells whether the extension is spoken after a request with the offer mine and a response with rsp. The error
// says that the response is not one to that request.
func (mine Offer) Confirm(rsp Offer) (spoken bool, err error) {
	if rsp.Version == 0 {
		return false, nil
	}
	if mine.Version == 0 || rsp.Version < mine.Oldest || rsp.Version > mine.Version {
		return false, refuse(ConnResponse.String(), "extension version", uint64(rsp.Version), "one that was offered")
	}
	return true, nil
}

func magicOf(t ControlType) uint64 {
	if t == ConnRequest {
		return magicRequest
	}
	return magicResponse
}

func (o Offer) put(b []byte, t ControlType) {
	if o.Version == 0 {
		return
	}
	be.PutUint64(b, magicOf(t))
	be.PutUint64(b[8:], uint64(o.Version)<<56|uint64(o.Oldest)<<48|uint64(o.Features))
}

func readOffer(b []byte, t ControlType) Offer {
	if be.Uint64(b) != magicOf(t) {
		return Offer{}
	}
	w := be.Uint64(b[8:])
	if w>>56 == 0 {
		return Offer{}
	}
	return Offer{Version: uint8(w >> 56), Oldest: uint8(w >> 48), Features: Features(w)}
}
