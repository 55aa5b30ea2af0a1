package shm

import (
	"bytes"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/internal/zlog"
)

// TestNoCMAIsTold gives the reasons for which a peer's memory cannot be read: one warning, with what would change it.
func TestNoCMAIsTold(t *testing.T) {
	if err := shmem.Available(); err != nil {
		t.Skip("known: " + err.Error())
	}
	for _, c := range []struct {
		err  error
		want []string
	}{
		{syscall.EPERM, []string{"does not allow process_vm_readv", "kernel.yama.ptrace_scope=0", "FI_SHM_PTRACER_ANY=1", "seccomp"}},
		{nil, []string{"means another process here", "share the pid namespace"}},
		{syscall.EFAULT, []string{"means another process here"}},
		{syscall.EIO, []string{"input/output error", "fi_info --doctor"}},
	} {
		var out bytes.Buffer
		log := zlog.FromSlog(slog.NewTextHandler(&out, nil)).Logger(Name, driver.LogEPCtrl)
		cfg, err := readConfig(nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDomain(cfg, &fi.Info{}, log, nil)
		if err != nil {
			t.Fatal(err)
		}
		d.logNoCMA(77, c.err)
		d.logNoCMA(78, c.err)
		if err := d.Close(); err != nil { // writes what waits
			t.Fatal(err)
		}
		got := out.String()
		if strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=WARN") || !strings.Contains(got, "pid=77") || !strings.Contains(got, "mr.Alloc") {
			t.Errorf("%v: got %s", c.err, got)
		}
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%v: %q is not in %s", c.err, w, got)
			}
		}
	}
}
