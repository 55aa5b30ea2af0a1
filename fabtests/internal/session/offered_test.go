package session

import (
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fi"
)

// TestNotOfferedAsksTheSame gives fi_info every option for which a provider may be refused: without one of them all match.
func TestNotOfferedAsksTheSame(t *testing.T) {
	for want, set := range map[string]func(*options.Options){
		"fi_info --explain -t rdm":                              func(*options.Options) {},
		"fi_info --explain -t dgram":                            func(o *options.Options) { o.EPType = fi.EPDgram },
		"fi_info --explain -p mem -t rdm -c hmem":               func(o *options.Options) { o.Provider, o.HMEM = "mem", true },
		"fi_info --explain -t rdm -d a -f 'b c'":                func(o *options.Options) { o.Domain, o.Fabric = "a", "b c" },
		"fi_info --explain -t rdm -a FI_ADDR_STR":               func(o *options.Options) { o.AddrFormat = fi.AddrFormatStr },
		"fi_info --explain -p tcp -t rdm -s localhost -P 99999": func(o *options.Options) { o.Provider, o.SrcPort = "tcp", "99999" },
		"fi_info --explain -t rdm -s there":                     func(o *options.Options) { o.SrcAddr = "there" },
		"fi_info --explain -t rdm -n there -P 1":                func(o *options.Options) { o.Server, o.DstPort = "there", "1" },
		"fi_info --explain -p shm -t rdm":                       func(o *options.Options) { o.Provider, o.SrcPort, o.Child.On = "shm", "4711", true },
		"fi_info -v -p shm -t rdm | grep msg_prefix_size":       func(o *options.Options) { o.Provider, o.Prefix = "shm", true },
	} {
		o := options.New()
		set(o)
		if got := fail.Next(NotOffered(fi.ErrNoData, o)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if err := NotOffered(fi.ErrNoMem, options.New()); !errors.Is(err, fi.ErrNoMem) || fail.Next(err) != "" {
		t.Error(err)
	}
}

// TestStartServer tells a client over IPv6 that a server may be there, and listen on IPv4.
func TestStartServer(t *testing.T) {
	if got := startServer(fi.AddrFormatSockaddr6, "::1"); !strings.HasSuffix(got, "give it -s ::1") {
		t.Error(got)
	}
	if got := startServer(fi.AddrFormatSockaddrIn, "there"); strings.Contains(got, "IPv4") {
		t.Error(got)
	}
}
