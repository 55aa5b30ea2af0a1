package standstill

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

const roleVar = "STANDSTILL_SPINS"

func TestMain(m *testing.M) {
	if os.Getenv(roleVar) != "" {
		os.Stdout.WriteString("x") //nolint:errcheck // the parent tells
		for {                      // until it is killed
		}
	}
	os.Exit(m.Run())
}

// TestStop stops a process that spins, and lets it go on.
func TestStop(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill() //nolint:errcheck // it is there
		cmd.Wait()         //nolint:errcheck // it was killed
	}()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if !running(cmd.Process.Pid) {
		t.Error("a process that spins is said to stand still")
	}
	Stop(t, cmd.Process)
	if running(cmd.Process.Pid) {
		t.Error("it runs")
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}
