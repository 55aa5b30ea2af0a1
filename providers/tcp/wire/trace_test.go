package wire

import (
	"strings"
	"testing"
)

func TestTrace(t *testing.T) {
	want := map[string]string{
		"empty message":                           "message, 16+0 bytes",
		"tagged with data":                        "tagged message, 32+6 bytes, data 0x55667788, tag 0xa1a2a3a4a5a6a7a8",
		"write of two ranges, delivery complete":  "write, 64+10 bytes, flags 0x4, 0x40+4 key 0xc0de, 0x80+6 key 0xc0de",
		"tagged RTS with data, delivery complete": "tagged RTS, 40+0 bytes, flags 0x4, context 1, data 0xd0d0, tag 0x78, of 20000",
		"pulled data":                             "pulled data, 32+65536 bytes, id 0x5, offset 262144",
		"failed":                                  "done, 24+0 bytes, id 0x5, FI_ETRUNC",
		"atomic compare and swap":                 "atomic, 48+8 bytes, id 0x8, compare FI_CSWAP FI_UINT32, 0x40+4 key 0xc0de",
		"hold":                                    "hold, 24+0 bytes, on, serial 9",
		"goodbye":                                 "goodbye, 16+0 bytes, agree",
	}
	for _, s := range samples() {
		h := s.header(len(s.wire(t, Little)))
		got := h.String()
		if w := want[s.name]; w != "" && !strings.HasPrefix(got, w) {
			t.Errorf("%s: %s, want %s", s.name, got, w)
		}
		delete(want, s.name)
		if !strings.HasPrefix(got, h.Op.String()+", ") {
			t.Errorf("%s: %s", s.name, got)
		}
	}
	if len(want) != 0 {
		t.Error("no sample for", want)
	}
}
