package wire

import (
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// String shows a header in one line, for a trace of what travels (FI_TCP_TRACE_MSG): "write, 40+8 bytes, 0x10+8 key
// 0xc0de".
func (h *Header) String() string {
	var s strings.Builder
	s.WriteString(h.Op.String() + ", " + strconv.Itoa(h.Len) + "+" + strconv.Itoa(h.Payload) + " bytes")
	number := func(name string, v uint64) {
		s.WriteString(", " + name + " " + strconv.FormatUint(v, 10))
	}
	hex := func(name string, v uint64) {
		s.WriteString(", " + name + " 0x" + strconv.FormatUint(v, 16))
	}
	if ask := h.Flags &^ FlagData; ask != 0 {
		hex("flags", uint64(ask))
	}
	switch h.Op {
	case OpTaggedRTS, OpCTS, OpRTSData:
		number("context", uint64(h.Context))
	case ExtGoodbye:
		s.WriteString(", " + [...]string{"ask", "agree", "refuse", "leave"}[h.Context&3])
	case ExtHold:
		s.WriteString(", " + [...]string{"off", "on"}[h.Context&1])
	}
	if h.Op >= ExtMsg && h.Op < ExtHold && h.ID != 0 {
		hex("id", uint64(h.ID))
	}
	if h.Op <= OpTagged || h.Op == OpWrite || h.Op == OpTaggedRTS || h.Op >= ExtMsg {
		if h.Flags&FlagData != 0 {
			hex("data", h.Data)
		}
	}
	switch h.Op {
	case OpTagged, OpTaggedRTS, ExtTagged, ExtTaggedRTS:
		hex("tag", h.Tag)
	case ExtHold, ExtHeld, ExtPing, ExtPong:
		number("serial", h.Serial)
	case ExtData, ExtReadData:
		number("offset", uint64(h.Offset))
	case ExtDone:
		if h.Errno != 0 {
			s.WriteString(", " + h.Errno.Error())
		}
	case ExtAtomic:
		s.WriteString(", " + [...]string{"", "fetch ", "compare ", ""}[h.Atomic.word()>>32&3] + h.Atomic.Op.String() + " " + h.Atomic.Type.String())
	}
	switch h.Op {
	case OpTaggedRTS, ExtRTS, ExtTaggedRTS, ExtPull:
		number("of", uint64(h.Size))
	case OpReadReq, OpWrite, ExtWrite, ExtRead, ExtAtomic:
		for _, r := range h.Ranges() {
			s.WriteString(", " + rangeText(r))
		}
	}
	return s.String()
}

// String shows a control message in one line, as Header's does.
func (c *Control) String() string {
	s := c.Type.String() + ", " + strconv.Itoa(ControlSize) + "+" + strconv.Itoa(len(c.Data)) + " bytes"
	if c.Offer.Version != 0 {
		s += ", extension " + strconv.Itoa(int(c.Offer.Version))
	}
	return s
}

func rangeText(r fi.RMAIov) string {
	return "0x" + strconv.FormatUint(r.Addr, 16) + "+" + strconv.FormatUint(r.Len, 10) + " key 0x" + strconv.FormatUint(r.Key, 16)
}
