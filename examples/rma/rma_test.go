package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestRMA runs the two processes over shared memory and over sockets.
func TestRMA(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("known: it is tested on linux only")
	}
	program := filepath.Join(t.TempDir(), "rma")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const want = `read "one heretwo bufsgone"
read "here" and "two "
read "gone" and "one "
the old value is 0
the old value is 5
with another key: FI_EKEYREJECTED: key was rejected by service
the target has "one heretwo bufsgone" and 5010
`
	for _, provider := range []string{"shm", "tcp"} {
		t.Run(provider, func(t *testing.T) {
			cmd := exec.Command(program)
			cmd.Env = append(os.Environ(), "FI_PROVIDER="+provider)
			cmd.WaitDelay = time.Second
			timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
			defer timer.Stop()
			if got, err := cmd.CombinedOutput(); err != nil || string(got) != want {
				t.Errorf("%v: got\n%swant\n%s", err, got, want)
			}
		})
	}
}
