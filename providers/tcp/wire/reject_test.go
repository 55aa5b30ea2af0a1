package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestRefused has one header for each check, and what the error says.
func TestRefused(t *testing.T) {
	plain, rdm1, ext := MSGOps, RDM1Ops, allExt
	for _, c := range []struct {
		ops       Ops
		hex, text string
	}{
		{plain, "04 00 0000 00 00 10 00 1000000000000000", "data header: version is 4, want 3"},
		{plain, "47 45 5420 2f 20 48 54 5450000000000000", "data header: version is 71, want 3"},
		{plain, "03 01 0000 00 00 18 00 1800000000000000", "data header: op is 1, want one that this connection takes"},
		{plain, "03 05 0000 01 00 20 00 2000000000000000", "data header: op is 5"},
		{rdm1, "03 08 0000 00 00 10 00 1000000000000000", "data header: op is 8"},
		{rdm1, "03 20 0000 00 00 18 00 1800000000000000", "data header: op is 32"},
		{rdm1, "03 ff 0000 00 00 10 00 1000000000000000", "data header: op is 255"},
		{plain, "03 00 0000 00 00 08 00 1000000000000000", "message: hdr_size is 8"},
		{plain, "03 00 0000 00 00 11 00 1100000000000000", "message: hdr_size is 17"},
		{plain, "03 00 0000 00 00 80 00 8000000000000000", "message: hdr_size is 128"},
		{ext, "03 28 0000 00 00 88 00 8800000000000000", "extended write: hdr_size is 136"},
		{plain, "03 00 0000 00 00 10 00 0f00000000000000", "message: size is 15, want at least hdr_size"},
		{plain, "03 00 0000 00 00 10 00 0000000000000080", "message: size is 9223372036854775808, want less than 2^63"},
		{plain, "03 00 8000 00 00 10 00 1000000000000000", "message: flags is 128"},
		{plain, "03 00 1000 00 00 10 00 1000000000000000", "message: flags is 16"},
		{plain, "03 00 0001 00 00 10 00 1000000000000000", "message: flags is 256"},
		{plain, "03 00 0100 00 00 10 00 1000000000000000", "message: hdr_size is 16, want room for its words"},
		{rdm1, "03 01 0000 00 00 10 00 1000000000000000", "tagged message: hdr_size is 16, want room"},
		{rdm1, "03 01 0100 00 00 18 00 1800000000000000 0000000000000000", "tagged message: hdr_size is 24, want room"},
		{plain, "03 00 0000 02 00 10 00 1100000000000000", "ack: size is 17, want 16"},
		{plain, "03 00 0000 02 00 18 00 1800000000000000 0000000000000000", "ack: size is 24, want 16"},
		{plain, "03 02 0000 00 05 78 00 7800000000000000" + strings.Repeat("00", 104), "read request: rma_iov_cnt is 5, want at most 4"},
		{plain, "03 02 0000 00 01 20 00 2000000000000000" + strings.Repeat("00", 16), "read request: hdr_size is 32, want room"},
		{plain, "03 02 0000 00 01 28 00 2900000000000000" + strings.Repeat("00", 24), "read request: size is 41, want hdr_size"},
		{plain, "03 02 0000 00 01 28 00 2800000000000000" + "0000000000000000 ffffffffffffffff 0000000000000000", "read request: range length"},
		{plain, "03 04 0000 00 ff 28 00 2800000000000000" + strings.Repeat("00", 24), "write: rma_iov_cnt is 255"},
		{plain, "03 04 0100 00 01 28 00 2800000000000000" + strings.Repeat("00", 24), "write: hdr_size is 40, want room"},
		{plain, "03 04 0000 00 01 28 00 3000000000000000" + "0000000000000000 0700000000000000 0000000000000000", "write: payload is 8"},
		{plain, "03 04 0000 00 01 28 00 3000000000000000" + "0000000000000000 0900000000000000 0000000000000000", "write: range length is 9"},
		{plain, "03 04 0000 00 02 40 00 4800000000000000" + "0000000000000000 0900000000000000 0000000000000000" +
			"0000000000000000 ffffffffffffffff 0000000000000000", "write: range length is 9"},
		{plain, "03 04 0000 00 00 10 00 1100000000000000", "write: payload is 1"},
		{rdm1, "03 05 0000 00 00 20 00 2000000000000000" + strings.Repeat("00", 16), "tagged RTS: op_data is 0, want 1 to 254"},
		{rdm1, "03 05 0000 ff 00 20 00 2000000000000000" + strings.Repeat("00", 16), "tagged RTS: op_data is 255"},
		{rdm1, "03 05 0000 01 00 18 00 1800000000000000" + strings.Repeat("00", 8), "tagged RTS: hdr_size is 24"},
		{rdm1, "03 05 0000 01 00 20 00 2100000000000000" + strings.Repeat("00", 16), "tagged RTS: size is 33"},
		{rdm1, "03 05 0000 01 00 20 00 2000000000000000" + strings.Repeat("ff", 16), "tagged RTS: message length is 18446744073709551615"},
		{rdm1, "03 06 0000 00 00 10 00 1000000000000000", "CTS: op_data is 0"},
		{rdm1, "03 06 0000 01 00 10 00 1100000000000000", "CTS: size is 17"},
		{rdm1, "03 07 0000 ff 00 10 00 1100000000000000", "RTS data: op_data is 255"},

		{ext, "03 00 0000 02 00 10 00 1000000000000000", "message: op_data is 2, want no ack"},
		{ext, "03 00 0400 00 00 10 00 1000000000000000", "message: flags is 4"},
		{ext, "03 02 0000 00 00 10 00 1000000000000000", "data header: op is 2"},
		{ext, "03 32 0000 00 00 10 00 1000000000000000", "data header: op is 50"},
		{ext, "03 20 0100 00 00 18 00 1800000000000000 0000000000000000", "extended message: hdr_size is 24, want room"},
		{ext, "03 20 0000 00 00 20 00 2000000000000000 0000000000000000 0000000000000000", "extended message: hdr_size is 32"},
		{ext, "03 20 0800 00 00 18 00 1800000000000000 0100000000000000", "extended message: flags is 8"},
		{ext, "03 20 0600 00 00 18 00 1800000000000000 0100000000000000", "extended message: flags is 6, want one of the ways"},
		{ext, "03 20 0400 00 00 18 00 1800000000000000 0000000000000000", "extended message: id is 0, want one if"},
		{ext, "03 20 0000 00 00 18 00 1800000000000000 0100000000000000", "extended message: id is 1, want one if"},
		{ext, "03 20 0000 01 00 18 00 1800000000000000 0000000000000000", "extended message: op_data is 1"},
		{ext, "03 20 0000 00 01 18 00 1800000000000000 0000000000000000", "extended message: rma_iov_cnt is 1"},
		{ext, "03 22 0400 00 00 20 00 2000000000000000 0100000000000000 0100000000000000", "extended RTS: flags is 4"},
		{ext, "03 22 0000 00 00 20 00 2000000000000000 0000000000000000 0100000000000000", "extended RTS: id is 0"},
		{ext, "03 22 0000 00 00 20 00 2100000000000000 0100000000000000 0100000000000000", "extended RTS: size is 33"},
		{ext, "03 22 0000 00 00 20 00 2000000000000000 0100000000000000 0000000000000080", "extended RTS: message length"},
		{ext, "03 23 0000 00 00 28 00 2800000000000000 0100000000000000 0000000000000000 0000000000000080",
			"extended tagged RTS: message length"},
		{ext, "03 24 0000 00 00 20 00 2000000000000000 0100000000000000 0000000000000000", "pull: length is 0"},
		{ext, "03 24 0000 00 00 20 00 2000000000000000 0100000001000000 0100000000000000", "pull: first word is 4294967297"},
		{ext, "03 24 0000 00 00 20 00 2000000000000000 0100000000000000 0000000000000080", "pull: length is 9223372036854775808"},
		{ext, "03 25 0000 00 00 20 00 2000000000000000 0100000000000000 0000000000000000", "pulled data: payload is 0"},
		{ext, "03 25 0000 00 00 20 00 2100000000000000 0100000000000000 ffffffffffffffff", "pulled data: offset is"},
		{ext, "03 25 0000 00 00 20 00 2100000000000000 0100000000000000 ffffffffffffff7f", "pulled data: offset is 9223372036854775807, want an end"},
		{ext, "03 2a 0000 00 00 20 00 2000000000000000 0100000000000000 0100000000000000", "read data: payload is 0"},
		{ext, "03 26 0000 00 00 18 00 1800000000000000 0000000001000000", "done: id is 0"},
		{ext, "03 26 0000 00 00 18 00 1800000000000000 0100000000800000", "done: error is 32768"},
		{ext, "03 28 0400 00 00 18 00 1800000000000000 0100000000000000", "extended write: flags is 4"},
		{ext, "03 28 0000 00 00 18 00 1900000000000000 0100000000000000", "extended write: payload is 1"},
		{ext, "03 28 0000 00 05 78 00 7800000000000000" + strings.Repeat("00", 104), "extended write: rma_iov_cnt is 5"},
		{ext, "03 29 0000 00 00 18 00 1900000000000000 0100000000000000", "extended read: size is 25"},
		{ext, "03 29 0000 00 01 30 00 3000000000000000 0100000000000000" + strings.Repeat("ff", 24), "extended read: range length"},
		{ext, "03 2b 0000 00 00 18 00 1800000000000000 0100000000070200", "atomic: rma_iov_cnt is 0"},
		{ext, atomicHeader("0100000003070200", 8, 8), "atomic: kind is 3"},
		{ext, atomicHeader("0100000000140200", 8, 8), "atomic: type is 20"},
		{ext, atomicHeader("0100000000071400", 8, 8), "atomic: operation is 20"},
		{ext, atomicHeader("0100000000070201", 8, 8), "atomic: byte after the operation is 1"},
		{ext, atomicHeader("0100000000070200", 0, 0), "atomic: range length is 0"},
		{ext, atomicHeader("0100000000070200", 12, 12), "atomic: range length is 12"},
		{ext, atomicHeader("0100000000070200", 4104, 4104), "atomic: range length is 4104"},
		{ext, atomicHeader("0100000000070200", 8, 16), "atomic: payload is 16"},
		{ext, atomicHeader("0100000002070c00", 8, 8), "atomic: payload is 8"},
		{ext, atomicHeader("0100000001070a00", 8, 8), "atomic: payload is 8"},
		{ext, "03 2c 0000 00 00 18 00 1910000000000000 0100000000000000", "atomic result: payload is 4097"},
		{ext, "03 2d 0000 02 00 18 00 1800000000000000 0100000000000000", "hold: op_data is 2"},
		{ext, "03 2f 0100 00 00 20 00 2000000000000000 0100000000000000 0000000000000000", "ping: flags is 1"},
		{ext, "03 31 0000 04 00 10 00 1000000000000000", "goodbye: op_data is 4"},
		{ext, "03 31 0000 00 00 10 00 1100000000000000", "goodbye: size is 17"},
	} {
		for _, o := range []Order{Little, Big} {
			b := unhex(t, c.hex)
			if o == Big {
				swap(b)
			}
			d := NewDecoder(o, c.ops)
			n, err := d.Header(b, new(Header))
			var e *Error
			if n != 0 || !errors.As(err, &e) || !errors.Is(err, fi.ErrProto) || !strings.HasPrefix(err.Error(), c.text) {
				t.Errorf("%s, %v:\n%d, %v, want\n%s", c.hex, o, n, err, c.text)
			}
		}
	}
}

// atomicHeader is that of an atomic with this first word on n bytes.
func atomicHeader(first string, n, payload int) string {
	var w [24]byte
	le.PutUint64(w[8:], uint64(n))
	var size [8]byte
	le.PutUint64(size[:], uint64(48+payload))
	return "03 2b 0000 00 01 30 00" + hexOf(size[:]) + first + hexOf(w[:])
}

// TestRefusedEarly sees that what is wrong in the first 16 bytes does not wait for the words.
func TestRefusedEarly(t *testing.T) {
	for _, s := range []string{
		"04 01 0000 00 00 78 00 1e00000000000000",
		"03 3f 0000 00 00 78 00 ff00000000000000",
		"03 01 0000 00 00 79 00 ff00000000000000",
		"03 01 0000 00 00 78 00 1e00000000000000",
		"03 01 0000 00 00 78 00 ffffffffffffffff",
	} {
		d := NewDecoder(Little, RDM1Ops)
		if n, err := d.Header(unhex(t, s), new(Header)); n != 0 || err == nil {
			t.Errorf("%s: %d, %v", s, n, err)
		}
	}
}
