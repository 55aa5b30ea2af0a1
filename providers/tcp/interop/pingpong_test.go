package interop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/cfabtests"
	"github.com/gofabric/gofabric/internal/freeport"
)

// fabtests is our program, built once.
var fabtests = sync.OnceValues(func() (string, error) {
	out := filepath.Join(buildDir, "fabtests")
	cmd := exec.Command("go", "build", "-o", out, "github.com/gofabric/gofabric/fabtests")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, text)
	}
	return out, err
})

// TestPingPong runs C's fi_pingpong with ours as the other side: both roles, messages, tagged ones and datagrams, all sizes,
// data checked by both.
func TestPingPong(t *testing.T) {
	t.Parallel()
	theirs, err := exec.LookPath("fi_pingpong")
	if err != nil || runtime.GOOS != "linux" {
		missing(t, errors.New("no fi_pingpong on this machine (Debian's libfabric-bin)"))
	}
	ours, err := fabtests()
	if err != nil {
		t.Fatal(err)
	}
	kinds := []struct {
		theirs, ours, ep, mode string
		few, all               int // lines
	}{{"net", "tcp", "rdm", "msg", 6, 46}, {"net", "tcp", "rdm", "tagged", 6, 46}, {"tcp", "tcp", "msg", "msg", 6, 46},
		{"udp", "udp", "dgram", "msg", 3, 21}} // whose messages are short
	for _, k := range kinds {
		for _, server := range []string{"ours", "C"} {
			for _, sizes := range []string{"all", ""} { // without -S others, and more iterations
				name := strings.Join([]string{k.ep, k.mode, server + "-serves", sizes}, "/")
				t.Run(strings.TrimSuffix(name, "/"), func(t *testing.T) {
					args := []string{"-e", k.ep, "-m", k.mode, "-c"}
					lines := k.few
					if sizes != "" {
						lines = k.all
						args = append(args, "-S", sizes, "-I", "2")
					}
					c := append([]string{theirs, "-p", k.theirs}, args...)
					own := append([]string{ours, "pingpong", "-p", k.ours, "--timeout", "60"}, args...)
					if server == "C" {
						pingPong(t, c, own, lines)
					} else {
						pingPong(t, own, c, lines)
					}
				})
			}
		}
	}
}

// pingPong runs both sides.
func pingPong(t *testing.T, server, client []string, lines int) {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	port := freeport.Find()
	var out [2]bytes.Buffer
	var cmds [2]*exec.Cmd
	for i, line := range [][]string{append(server, "-B", port), append(client, "-P", port, "127.0.0.1")} {
		cmds[i] = exec.CommandContext(ctx, line[0], line[1:]...)
		cmds[i].Stdout, cmds[i].Stderr = &out[i], &out[i]
		cmds[i].WaitDelay = time.Second
		if i == 1 {
			awaitListener(t, ctx, port)
		}
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(cmds[1].Wait(), cmds[0].Wait())
	for i, who := range []string{"server", "client"} {
		if n := strings.Count(out[i].String(), "\n"); err != nil || n != lines+1 || !strings.HasPrefix(out[i].String(), "bytes   #sent") {
			t.Errorf("%v\nthe %s, %d lines:\n%s", err, who, n, &out[i])
		}
	}
}

// awaitListener waits until a server listens, without connecting to it: it takes one connection only.
func awaitListener(t *testing.T, ctx context.Context, port string) {
	t.Helper()
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil {
		switch listens, err := cfabtests.Listening("tcp", n); {
		case err != nil:
			t.Fatal(err)
		case listens:
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Fatal("the server does not listen")
}
