package wire

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/fi"
)

var controls = []struct {
	name, golden string
	c            Control
}{
	{"request", "03 00 000d 00000000 0000000000000000 0000000000000000 0100000000000000 48454c4c4f2d434f4e4e524551",
		Control{Type: ConnRequest, Data: []byte("HELLO-CONNREQ")}},
	{"response", "03 01 0007 00000000 0000000000000000 0000000000000000 0100000000000000 57454c434f4d45",
		Control{Type: ConnResponse, Data: []byte("WELCOME")}},
	{"reject", "03 06 0004 00000000 0000000000000000 0000000000000000 0000000000000000 4e4f5045",
		Control{Type: ConnReject, Data: []byte("NOPE")}},
	{"big endian", "03 00 0000 00000000 0000000000000000 0000000000000000 0000000000000001",
		Control{Type: ConnRequest, Order: Big, Data: []byte{}}},
	{"RDM request", "03 00 0008 00000000 0000000000000000 0000000000000000 0100000000000000 00 00 bacd 00001fdf",
		Control{Type: ConnRequest, Data: []byte{0, 0, 0xba, 0xcd, 0, 0, 0x1f, 0xdf}}},
	{"request with offer", "03 00 0001 00000000 676f466162526571 0101 0000 000000ff 0100000000000000 61",
		Control{Type: ConnRequest, Offer: Offer{1, 1, AllFeatures}, Data: []byte("a")}},
	{"response with all features", "03 01 0000 00000000 676f466162527370 0100 0000 000000ff 0100000000000000",
		Control{Type: ConnResponse, Offer: Offer{1, 0, AllFeatures}, Data: []byte{}}},
	{"response with offer", "03 01 0000 00000000 676f466162527370 0100 0000 00000005 0000000000000001",
		Control{Type: ConnResponse, Order: Big, Offer: Offer{1, 0, FeatureMsg | FeatureRendezvous}, Data: []byte{}}},
}

func decode(b []byte, c *Control) (int, error) {
	if len(b) > 1 && b[1] == 0 {
		return DecodeRequest(b, c)
	}
	return DecodeResponse(b, c)
}

func TestControl(t *testing.T) {
	for _, s := range controls {
		t.Run(s.name, func(t *testing.T) {
			want := unhex(t, s.golden)
			b, err := AppendControl([]byte("before"), &s.c)
			if b = b[len("before"):]; err != nil || !bytes.Equal(b, want) {
				t.Fatalf("%v\n% x\n% x", err, b, want)
			}
			var c Control
			n, err := decode(append(b[:len(b):len(b)], 3, 0, 0), &c) // the data stream may follow
			if diff := cmp.Diff(s.c, c); n != len(b) || err != nil || diff != "" {
				t.Fatal(n, err, diff)
			}
			if cap(c.Data) != len(c.Data) {
				t.Error("appending to the private data overwrites the stream")
			}
			for m := 2; m < len(b); m++ {
				want := ControlSize
				if m >= ControlSize {
					want = len(b)
				}
				if n, err := decode(b[:m:m], &c); n != m-want || err != nil {
					t.Fatalf("of %d bytes: %d, %v", m, n, err)
				}
			}
		})
	}
}

func TestControlLongest(t *testing.T) {
	for n := range MaxPrivate + 2 {
		data := bytes.Repeat([]byte{7}, n)
		b, err := AppendControl(nil, &Control{Type: ConnReject, Data: data})
		if n > MaxPrivate {
			if !errors.Is(err, fi.ErrInvalid) || len(b) != 0 {
				t.Error(n, err)
			}
			continue
		}
		var c Control
		m, err2 := DecodeResponse(b, &c)
		if err != nil || err2 != nil || m != ControlSize+n || !bytes.Equal(c.Data, data) {
			t.Fatal(n, err, err2, m)
		}
	}
}

func TestControlRefused(t *testing.T) {
	const tail = "00000000 0000000000000000 0000000000000000 0100000000000000"
	for _, c := range []struct {
		decode func([]byte, *Control) (int, error)
		hex    string
		errno  fi.Errno
		text   string
	}{
		{DecodeRequest, "02 00 0000" + tail, fi.ErrNoProtoOpt, "connect request: version is 2, want 3"},
		{DecodeRequest, "47 45 5420" + tail, fi.ErrNoProtoOpt, "connect request: version is 71, want 3"},
		{DecodeRequest, "03 06 0000" + tail, fi.ErrConnRefused, "connect request: type is 6, want 0 (request)"},
		{DecodeRequest, "03 01 0000" + tail, fi.ErrConnRefused, "connect request: type is 1, want 0 (request)"},
		{DecodeRequest, "03 00 0101" + tail, fi.ErrNoProtoOpt, "connect request: seg_size is 257, want at most 256"},
		{DecodeRequest, "03 00 0000 00000000 0000000000000000 0000000000000000 0000000000000000", fi.ErrProto, "connect request: conn_data is 0"},
		{DecodeResponse, "04 01 0000" + tail, fi.ErrNoProtoOpt, "connect response: version is 4, want 3"},
		{DecodeResponse, "03 00 0000" + tail, fi.ErrConnRefused, "connect response: type is 0, want 1 (response) or 6 (reject)"},
		{DecodeResponse, "03 02 0000" + tail, fi.ErrConnRefused, "connect response: type is 2"},
		{DecodeResponse, "03 01 ffff" + tail, fi.ErrNoProtoOpt, "connect response: seg_size is 65535"},
		{DecodeResponse, "03 06 0101" + tail, fi.ErrNoProtoOpt, "reject: seg_size is 257"},
		{DecodeResponse, "03 01 0000 00000000 0000000000000000 0000000000000000 0100000000000001", fi.ErrProto, "connect response: conn_data is"},
	} {
		var got Control
		n, err := c.decode(unhex(t, c.hex), &got)
		if n != 0 || !errors.Is(err, c.errno) || !strings.HasPrefix(err.Error(), c.text) || got.Data != nil {
			t.Errorf("%s: %d, %v, want %s", c.hex, n, err, c.text)
		}
	}
}

// TestControlStale takes what older or newer peers may have in the fields that nobody reads.
func TestControlStale(t *testing.T) {
	b := unhex(t, "03 01 0000 ffffffff ffffffffffffffff ffffffffffffffff 0100000000000000")
	var c Control
	if n, err := DecodeResponse(b, &c); n != ControlSize || err != nil || c.Offer != (Offer{}) {
		t.Error(n, err, c)
	}
	b = unhex(t, "03 06 0000 ffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff")
	if n, err := DecodeResponse(b, &c); n != ControlSize || err != nil || c.Type != ConnReject || c.Offer != (Offer{}) {
		t.Error(n, err, c)
	}
}

// TestControlCorrupt sets every byte to every value: only what says the same, or says something else that is legal, is
// taken.
func TestControlCorrupt(t *testing.T) {
	for _, s := range controls {
		b := unhex(t, s.golden)
		for at := range ControlSize {
			old := b[at]
			for v := range 256 {
				b[at] = byte(v)
				var c Control
				n, err := decode(b, &c)
				fits := at == 1 && (v == 0 || v == 1 || v == 6) || at == 3 && ControlSize+v <= len(b) || at >= 4 && at < 24 ||
					at >= 24 && b[1] == byte(ConnReject) || byte(v) == old
				switch {
				case n < 0:
					if -n > MaxPrivate || at != 2 && at != 3 {
						t.Fatalf("%s: byte %d = %d: %d", s.name, at, v, n)
					}
				case err == nil && !fits, err != nil && byte(v) == old:
					t.Fatalf("%s: byte %d = %d: %d, %v", s.name, at, v, n, err)
				case err == nil && (c.Offer.Version == 0 && c.Offer != Offer{} || len(c.Data) != n-ControlSize):
					t.Fatalf("%s: byte %d = %d: %+v", s.name, at, v, c)
				}
			}
			b[at] = old
		}
	}
}

func TestStreamOrder(t *testing.T) {
	for _, c := range [][3]Order{{Little, Little, Little}, {Big, Big, Big}, {Little, Big, Big}, {Big, Little, Big}} {
		if got := StreamOrder(c[0], c[1]); got != c[2] {
			t.Errorf("%v and %v: %v", c[0], c[1], got)
		}
	}
}
