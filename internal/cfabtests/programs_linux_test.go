package cfabtests

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder makes one with a fi_info that says a version, and a program.
func folder(t *testing.T, says string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"fi_info": "#!/bin/sh\n" + says + "\n", "fi_rdm": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFind takes the version from fi_info, and what follows from it.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		version, rdm, peekPort string
	}{{"1.17", "net", ""}, {"1.18", "tcp", ""}, {"1.22", "tcp", "3000"}, {"2.6", "tcp", "3000"}} {
		p, err := Find(context.Background(), folder(t, "echo libfabric: "+c.version+".0"))
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != c.version || p.RDM() != c.rdm || p.SidePort("rdm_tagged_peek") != c.peekPort || p.SidePort("rdm") != "" {
			t.Errorf("%v: %s, %q", p, p.RDM(), p.SidePort("rdm_tagged_peek"))
		}
		if _, there := p.Path("rdm"); !there {
			t.Error("fi_rdm is not found")
		}
		if _, there := p.Path("msg"); there {
			t.Error("fi_msg is found, which is not there")
		}
	}
}

// TestFindSaysWhatIsMissing: a folder without programs, and programs whose version nobody says.
func TestFindSaysWhatIsMissing(t *testing.T) {
	if _, err := Find(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no programs fi_*") {
		t.Error(err)
	}
	if _, err := Find(context.Background(), folder(t, "echo no idea")); err == nil || !strings.Contains(err.Error(), "no idea") {
		t.Error(err)
	}
	if _, err := Find(context.Background(), folder(t, "exit 3")); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
}

// TestListening: a port is seen while somebody can be reached there.
func TestListening(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // nothing is in flight
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close() //nolint:errcheck // as above
	for network, port := range map[string]int{"tcp": l.Addr().(*net.TCPAddr).Port, "udp": u.LocalAddr().(*net.UDPAddr).Port} {
		if ok, err := Listening(network, port); !ok || err != nil {
			t.Errorf("somebody listens at %s port %d: %v %v", network, port, ok, err)
		}
		if ok, err := Listening(network, 0); ok || err != nil { // that of before may be somebody else's by now
			t.Errorf("nobody can listen at %s port 0: %v %v", network, ok, err)
		}
	}
}
