package fabric_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/providers/mem"
)

// asSample makes the test binary the sample of the ninth point: "correct", or with the bug.
const asSample = "GOFABRIC_TEST_SAMPLE"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asSample); kind != "" {
		sample(kind == "bug")
		return
	}
	os.Exit(m.Run())
}

// sample sends from one goroutine to another, which reads what has come; with the bug, before the completion.
func sample(bug bool) {
	reg := fabric.WithRegistry(fabric.NewRegistry(mem.New()))
	infos := must(fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMsg, EP: &fi.EPAttr{Type: fi.EPRDM}}, reg))
	d := must(must(fabric.Open(infos[0], reg)).OpenDomain(infos[0]))
	av := must(d.OpenAV(nil))
	open := func() (*fabric.Endpoint, *fabric.CQ) {
		ep, q := must(d.OpenEndpoint(infos[0])), must(d.OpenCQ(nil))
		check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()))
		must(av.Insert([][]byte{must(ep.Name())}, nil, 0))
		return ep, q
	}
	from, sent := open()
	to, came := open()
	buf, end := make([]byte, 64), make(chan struct{})
	check(to.Recv(buf, fi.AddrUnspec, nil))
	go func() {
		defer close(end)
		message := []byte("hello from the other goroutine")
		check(from.Send(message, 1, nil))
		must(sent.SRead(context.Background(), make([]cq.Entry, 1)))
		clear(message) // it is ours again
	}()
	if bug {
		if buf[0] == 'x' {
			os.Exit(3)
		}
		<-end
	}
	must(came.SRead(context.Background(), make([]cq.Entry, 1)))
	if !bytes.HasPrefix(buf, []byte("hello")) {
		os.Exit(4)
	}
	<-end
}

// TestFirstMinutes9Race runs the sample under the race detector: the correct one is clean, and a read of the buffer before
// the completion is reported.
func TestFirstMinutes9Race(t *testing.T) {
	if !osx.RaceEnabled {
		t.Skip("known: this is about the race detector; run with go test -race")
	}
	for _, kind := range []string{"correct", "bug"} {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), asSample+"="+kind, "GORACE=exitcode=66")
		var said bytes.Buffer
		c.Stderr = &said
		err := c.Run()
		found := strings.Contains(said.String(), "DATA RACE") && c.ProcessState.ExitCode() == 66
		if found != (kind == "bug") || kind == "correct" && err != nil {
			t.Errorf("%s: %v\n%s", kind, err, said.String())
		}
	}
}
