package lnx_test

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// TestEnableAgain has the port of the second link be taken: the first link's address is free again, and the endpoint can
// have other ones.
func TestEnableAgain(t *testing.T) {
	a := open(t, nil)
	name := string(a.name)
	port := name[strings.Index(name, "/tcp="):]
	const host = "fi_lnx://1/0000000000000000"
	ep, err := a.d.OpenEndpoint(a.ep.Info())
	a.check(err)
	t.Cleanup(func() { a.check(ep.Close()) })
	a.check(errors.Join(ep.BindAV(a.av), ep.BindCQ(a.q, fi.BindTransmit|fi.BindRecv)))
	mine := host + "/shm=" + hexName(t)
	a.check(ep.SetName([]byte(mine + port)))
	if err := ep.Enable(); !errors.Is(err, fi.ErrAddrInUse) {
		t.Fatalf("a port that is taken: %v", err)
	}
	a.check(ep.SetName([]byte(mine + "/tcp=020000007f0000010000000000000000")))
	a.check(ep.Enable())
	got, err := ep.Name()
	a.check(err)
	if !strings.Contains(string(got), mine[len(host):]+"/tcp=0200") {
		t.Errorf("the name is %q, want one with %q", got, mine[len(host):])
	}
}

// hexName is a name of shm's that nobody else has.
func hexName(t *testing.T) string {
	name := strings.ReplaceAll(t.TempDir(), "/", "-")
	return hex.EncodeToString([]byte("fi_shm://" + name[max(0, len(name)-60):]))
}

// TestNodes asks for nodes: this machine is reached by both links, unless it stands for several hosts.
func TestNodes(t *testing.T) {
	for _, c := range []struct {
		host string
		shm  bool
	}{{"", true}, {"one", false}} {
		reg := fabric.WithRegistry(fabric.NewRegistry(linked(map[string]string{"FI_LNX_HOST": c.host})))
		infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapTagged}, reg, fabric.WithNode("127.0.0.1", "7000"))
		if err != nil {
			t.Fatal(err)
		}
		dest := string(infos[0].DestAddr)
		if strings.Contains(dest, "/shm=") != c.shm || !strings.Contains(dest, "/tcp=02001b58") {
			t.Errorf("host %q: the peer is at %q", c.host, dest)
		}
		again, err := fabric.GetInfo(context.Background(), &fi.Hints{DestAddr: infos[0].DestAddr}, reg)
		if err != nil || string(again[0].DestAddr) != dest {
			t.Errorf("asked for %q, and got %q, %v", dest, again[0].DestAddr, err)
		}
	}
}

// TestRefusals has GetInfo say what is wrong.
func TestRefusals(t *testing.T) {
	for links, want := range map[string]string{
		"shm+sockets": "no provider of that name is registered",
		"shm+":        "a provider is missing",
		"tcp:nosuch":  "no such FI_EP_RDM",
	} {
		reg := fabric.WithRegistry(fabric.NewRegistry(linked(map[string]string{"FI_LNX_PROV_LINKS": links})))
		if _, err := fabric.GetInfo(context.Background(), nil, reg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", links, err, want)
		}
	}
}
