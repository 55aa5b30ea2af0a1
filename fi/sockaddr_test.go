package fi

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net/netip"
	"testing"
)

func TestSockaddrLayout(t *testing.T) {
	for _, c := range []struct {
		ap     string
		format AddrFormat
		raw    string
	}{
		{"192.0.2.2:7471", AddrFormatSockaddrIn, "02001d2fc00002020000000000000000"},
		{"0.0.0.0:0", AddrFormatSockaddrIn, "02000000000000000000000000000000"},
		{"[fe80::6:12%2]:65535", AddrFormatSockaddr6, "0a00ffff00000000fe80000000000000000000000006001202000000"},
		{"[::]:80", AddrFormatSockaddr6, "0a00005000000000" + "00000000000000000000000000000000" + "00000000"},
		{"[::ffff:192.0.2.2]:1", AddrFormatSockaddr6, "0a000001000000000000000000000000" + "0000ffffc0000202" + "00000000"},
	} {
		ap := netip.MustParseAddrPort(c.ap)
		format, raw, err := EncodeSockaddr(ap)
		if err != nil || format != c.format || hex.EncodeToString(raw) != c.raw {
			t.Errorf("%s: %v %x %v, want %s", c.ap, format, raw, err, c.raw)
		}
		back, err := DecodeSockaddr(append(raw, 1, 2, 3))
		if err != nil || back != ap {
			t.Errorf("%s: decoded %v, %v", c.ap, back, err)
		}
		for n := range raw {
			if _, err := DecodeSockaddr(raw[:n]); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s, %d bytes: %v", c.ap, n, err)
			}
		}
	}
	for _, bad := range []netip.AddrPort{{}, netip.MustParseAddrPort("[fe80::1%eth0]:1"), netip.MustParseAddrPort("[fe80::1%4294967296]:1")} {
		if _, raw, err := EncodeSockaddr(bad); !errors.Is(err, ErrInvalid) || raw != nil {
			t.Errorf("%v: %x, %v", bad, raw, err)
		}
	}
	if _, err := DecodeSockaddr(make([]byte, 128)); !errors.Is(err, ErrInvalid) {
		t.Errorf("family 0: %v", err)
	}
}

func FuzzDecodeSockaddr(f *testing.F) {
	for _, s := range []string{"192.0.2.2:7471", "[fe80::6:12%2]:1"} {
		f.Add(mustSockaddr(f, s))
	}
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, raw []byte) {
		for format := range AddrFormat(20) { // must not panic
			text := FormatAddr(format, raw)
			if len(text) > 40+4*len(raw) {
				t.Fatalf("%q", text)
			}
		}
		ap, err := DecodeSockaddr(raw)
		if err != nil {
			return
		}
		format, again, err := EncodeSockaddr(ap)
		if err != nil {
			t.Fatal(err)
		}
		if ap2, err := DecodeSockaddr(again); err != nil || ap2 != ap {
			t.Fatalf("%v became %v, %v", ap, ap2, err)
		}
		f2, raw2, err := ParseAddr(formatZoned(format, again))
		if err != nil || f2 != format || !bytes.Equal(raw2, again) {
			t.Fatalf("%v %x became %v %x, %v", format, again, f2, raw2, err)
		}
	})
}
