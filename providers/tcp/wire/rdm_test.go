package wire

import (
	"bytes"
	"testing"
)

func TestRDMRecord(t *testing.T) {
	for _, c := range []struct {
		hex string
		typ ControlType
		r   RDM
	}{
		{"00 00 bacd 00001fdf", ConnRequest, RDM{0, 0, 47821, 0x1fdf}},
		{"01 00 bada 00001ff1", ConnRequest, RDM{1, 0, 47834, 0x1ff1}},
		{"81 00 bada 00001ff1", ConnResponse, RDM{0x81, 0, 47834, 0x1ff1}},
		{"01 01 0000 00001ff1", ConnRequest, RDM{1, 1, 0, 0x1ff1}},
		{"01 00 bad8 0000212d", ConnReject, RDM{1, 0, 47832, 0x212d}},
	} {
		want := unhex(t, c.hex)
		if b := AppendRDM([]byte{9}, c.r); !bytes.Equal(b[1:], want) {
			t.Errorf("% x, want % x", b[1:], want)
		}
		if r, err := DecodeRDM(want, c.typ); r != c.r || err != nil {
			t.Error(c.hex, r, err)
		}
		for n := range want {
			if _, err := DecodeRDM(want[:n], c.typ); err == nil {
				t.Errorf("%d bytes were taken", n)
			}
		}
	}
}

func TestRDMRefused(t *testing.T) {
	for _, c := range []struct{ hex, text string }{
		{"0102 0403 cb81 02 00 00400000 00100000 00000000 85130000", // ofi_rxm
			"connect request: private data length is 24, want 8 (an RDM record)"},
		{"81 00 bada 00001ff1", "connect request: RDM version is 129, want at most 127"},
		{"01 00 0000 00001ff1", "connect request: RDM port is 0, want a port that can be connected to"},
	} {
		if _, err := DecodeRDM(unhex(t, c.hex), ConnRequest); err == nil || err.Error() != c.text {
			t.Error(c.hex, err)
		}
	}
}

func TestRDMAnswer(t *testing.T) {
	for _, c := range []struct{ asked, newest, answer, agreed uint8 }{
		{0, 1, 0, 0}, {1, 1, 0x81, 1}, {2, 1, 0x81, 1}, {127, 1, 0x81, 1},
		{0, 0, 0, 0}, {1, 0, 0, 0}, // big endian
	} {
		r := RDM{c.asked, 0x03, 47834, 77}
		a := r.Answer(c.newest, 99)
		if want := (RDM{c.answer, 1, 47834, 99}); a != want {
			t.Errorf("%v up to %d: %v", r, c.newest, a)
		}
		if v := a.Agreed(c.asked); v != c.agreed {
			t.Errorf("%v: agreed %d", a, v)
		}
	}
	for _, c := range []struct{ answer, newest, want uint8 }{
		{0x01, 1, 0},                             // an echo of versions before 1.20
		{0x80, 1, 0}, {0x82, 1, 0}, {0x81, 0, 0}, // not what was asked
		{0x81, 1, 1},
	} {
		if v := (RDM{Version: c.answer}).Agreed(c.newest); v != c.want {
			t.Errorf("%#x: %d", c.answer, v)
		}
	}
	if !(RDM{Features: 3}).Firewall() || (RDM{Features: 2}).Firewall() {
		t.Error("firewall")
	}
}
