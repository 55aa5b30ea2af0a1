package fi

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormatAddr(t *testing.T) {
	in, in6 := mustSockaddr(t, "192.0.2.2:0"), mustSockaddr(t, "[fe80::1%3]:7471")
	for _, c := range []struct {
		format AddrFormat
		raw    []byte
		want   string
	}{
		{AddrFormatSockaddrIn, in, "fi_sockaddr_in://192.0.2.2:0"},
		{AddrFormatSockaddr, in, "fi_sockaddr_in://192.0.2.2:0"},
		{AddrFormatSockaddrIP, in6, "fi_sockaddr_in6://[fe80::1]:7471"},
		{AddrFormatSockaddr6, in6, "fi_sockaddr_in6://[fe80::1]:7471"},
		{AddrFormatStr, []byte("fi_shm://1234\x00"), "fi_shm://1234"},
		{AddrFormatStr, nil, "(null)"},
		{AddrFormatSockaddrIn, nil, "(null)"},
		{AddrFormatSockaddrIn, []byte{2, 0, 1}, "fi_sockaddr_in://0x020001"},
		{AddrFormatEFA, []byte{1, 2}, "fi_addr_efa://0x0102"},
		{AddrFormatUnspec, []byte{255}, "fi_format_unspec://0xff"},
		{99, []byte{255}, "fi_format_unspec://0xff"},
	} {
		if got := FormatAddr(c.format, c.raw); got != c.want {
			t.Errorf("%v: %s, want %s", c.format, got, c.want)
		}
	}
}

func TestParseAddr(t *testing.T) {
	for _, c := range []struct {
		in     string
		format AddrFormat
		raw    []byte
	}{
		{"fi_sockaddr_in://192.0.2.2:7471", AddrFormatSockaddrIn, mustSockaddr(t, "192.0.2.2:7471")},
		{"FI_SOCKADDR://192.0.2.2", AddrFormatSockaddrIn, mustSockaddr(t, "192.0.2.2:0")},
		{"fi_sockaddr_in://:80", AddrFormatSockaddrIn, mustSockaddr(t, "0.0.0.0:80")},
		{"fi_sockaddr_ip://[::1]:80", AddrFormatSockaddr6, mustSockaddr(t, "[::1]:80")},
		{"fi_sockaddr_in6://[fe80::1%3]:80/x?qos=3", AddrFormatSockaddr6, mustSockaddr(t, "[fe80::1%3]:80")},
		{"fi_sockaddr_in6://", AddrFormatSockaddr6, mustSockaddr(t, "[::]:0")},
		{"fi_addr_efa://0x0102", AddrFormatEFA, []byte{1, 2}},
		{"fi_sockaddr_in://0x020001", AddrFormatSockaddrIn, []byte{2, 0, 1}},
		{"fi_shm://job:0:1", AddrFormatStr, []byte("fi_shm://job:0:1")},
		{"fi_addr_str://x", AddrFormatStr, []byte("fi_addr_str://x")},
		{"2://x", AddrFormatStr, []byte("2://x")},
	} {
		format, raw, err := ParseAddr(c.in)
		if err != nil || format != c.format || !bytes.Equal(raw, c.raw) {
			t.Errorf("%s: %v %x %v, want %v %x", c.in, format, raw, err, c.format, c.raw)
		}
	}
	for _, bad := range []string{
		"", "host", "://x", "fi_sockaddr_in://host:1", "fi_sockaddr_in://192.0.2.2:65536", "fi_sockaddr_in://192.0.2.2:http",
		"fi_sockaddr_in://[::1]:1", "fi_sockaddr_in6://192.0.2.2", "fi_sockaddr_in6://[fe80::1%eth0]:1", "fi_addr_efa://x",
		"fi_addr_efa://0x1", "fi_addr_efa://0x", "fi_shm://a b", "fi_shm://a\x00",
	} {
		if _, raw, err := ParseAddr(bad); !errors.Is(err, ErrInvalid) || raw != nil {
			t.Errorf("%q: %x, %v", bad, raw, err)
		}
	}
}

func TestParseStrAddr(t *testing.T) {
	for _, c := range []struct {
		in   string
		want StrAddr
	}{
		{"fi_sockaddr://10.31.6.12:7471?qos=3", StrAddr{Format: "fi_sockaddr", Node: "10.31.6.12", Service: "7471",
			Params: map[string]string{"qos": "3"}}},
		{"FI_X://", StrAddr{Format: "fi_x"}},
		{"x://[fe80::1]:7", StrAddr{Format: "x", Node: "fe80::1", Service: "7"}},
		{"x://fe80::1", StrAddr{Format: "x", Node: "fe80::1"}},
		{"x://[n]", StrAddr{Format: "x", Node: "n"}},
		{"fi_shm://name:1000:2", StrAddr{Format: "fi_shm", Node: "name", Service: "1000:2"}},
		{"x://:7", StrAddr{Format: "x", Service: "7"}},
		{"x:///a/b", StrAddr{Format: "x", Path: "a/b"}},
		{"x://n/p/q?k=v&k2=&k3=a=b", StrAddr{Format: "x", Node: "n", Path: "p/q",
			Params: map[string]string{"k": "v", "k2": "", "k3": "a=b"}}},
		{"x://n?", StrAddr{Format: "x", Node: "n"}},
	} {
		got, err := ParseStrAddr(c.in)
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", c.in, err, d)
		}
		again, err := ParseStrAddr(got.String())
		if d := cmp.Diff(got, again); err != nil || d != "" {
			t.Errorf("%s printed as %s: %v\n%s", c.in, got, err, d)
		}
	}
	for _, bad := range []string{
		"", "x", "x:/n", "://n", "a b://n", "x://a b", "x://[a", "x://a]", "x://[a]b", "x://[[a]]", "x://n?k", "x://n?=v",
		"x://n?k=1&k=2", "x://\x7f", "x://" + strings.Repeat("a", 5000),
	} {
		if got, err := ParseStrAddr(bad); !errors.Is(err, ErrInvalid) || got.Format != "" || len(err.Error()) > 300 {
			t.Errorf("%.20q: %+v, %v", bad, got, err)
		}
	}
}

func FuzzParseAddr(f *testing.F) {
	for _, s := range []string{"fi_sockaddr_in6://[fe80::1%3]:80/x?qos=3", "fi_shm://job:0:1", "fi_addr_efa://0x0102", "x://[a]::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseStrAddr(s)
		if err != nil {
			return
		}
		if again, err := ParseStrAddr(a.String()); err != nil || !cmp.Equal(a, again) {
			t.Fatalf("%+v printed as %q reads as %+v, %v", a, a.String(), again, err)
		}
		format, raw, err := ParseAddr(s)
		if err != nil {
			return
		}
		f2, raw2, err := ParseAddr(formatZoned(format, raw))
		if err != nil || !bytes.Equal(raw, raw2) || f2 != format {
			t.Fatalf("%v %x printed as %q reads as %v %x, %v", format, raw, formatZoned(format, raw), f2, raw2, err)
		}
	})
}
