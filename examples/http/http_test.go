package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// build compiles both programs.
func build(t *testing.T) (server, client string) {
	t.Helper()
	dir := t.TempDir()
	for name, pkg := range map[string]string{"http": ".", "get": "./get"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", pkg, err, out)
		}
	}
	return filepath.Join(dir, "http"), filepath.Join(dir, "get")
}

// TestServe runs a server, and one and three clients at once, over shared memory and over sockets.
func TestServe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("known: it is tested on linux only")
	}
	server, client := build(t)
	for _, network := range []string{"shm", "tcp"} {
		t.Run(network, func(t *testing.T) {
			addr := fmt.Sprintf("localhost:%d", os.Getpid())
			if network == "tcp" {
				addr = "127.0.0.1:0"
			}
			cmd := exec.Command(server, "-net", network, "-addr", addr)
			var log bytes.Buffer
			cmd.Stderr = &log
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				cmd.Process.Kill()
				cmd.Wait()
				if log.Len() > 0 {
					t.Errorf("the server says %s", log.String())
				}
			}()
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			at := strings.TrimSpace(strings.TrimPrefix(line, "serving at "))
			if network == "shm" {
				if want := "fi_shm://" + addr[len("localhost:"):]; at != want {
					t.Errorf("serving at %q, want %q", at, want)
				}
				at = addr
			}
			for _, clients := range []int{1, 3} {
				var all sync.WaitGroup
				for i := range clients {
					all.Go(func() {
						get := exec.Command(client, "-net", network)
						var want strings.Builder
						for k := range 20 {
							get.Args = append(get.Args, fmt.Sprintf("http://%s/gopher-%d-%d", at, i, k))
							fmt.Fprintf(&want, "hello gopher-%d-%d, over %s\n", i, k, network)
						}
						var errs bytes.Buffer
						get.Stderr = &errs
						timer := time.AfterFunc(time.Minute, func() { get.Process.Kill() })
						defer timer.Stop()
						if got, err := get.Output(); err != nil || string(got) != want.String() || errs.Len() > 0 {
							t.Errorf("%v: got\n%s%swant\n%s", err, got, errs.String(), want.String())
						}
					})
				}
				all.Wait()
			}
		})
	}
}

// TestShort keeps the server what it is: its main has about fifteen lines.
func TestShort(t *testing.T) {
	b, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(b), "func main() {\n")
	if n := strings.Count(body, "\n"); n > 15 {
		t.Errorf("main has %d lines", n)
	}
}
