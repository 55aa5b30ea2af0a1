package monitor_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/monfile"
	"github.com/gofabric/gofabric/internal/testx/selftalk"
	"github.com/gofabric/gofabric/providers/hook/monitor"
	"github.com/gofabric/gofabric/providers/mem"
)

func env(folder string) func(string) (string, bool) {
	return func(name string) (string, bool) { return folder, name == "FI_OFI_HOOK_MONITOR_BASEPATH" }
}

// count gives the line of a call.
func count(list []monitor.Count, call string) monitor.Count {
	for _, c := range list {
		if c.Call == call {
			return c
		}
	}
	return monitor.Count{}
}

// TestFigures shows the figures of a running program, and removes them when its last fabric closes.
func TestFigures(t *testing.T) {
	defer goleak.VerifyNone(t)
	folder := filepath.Join(t.TempDir(), "own")
	p := monitor.New(mem.New(), env(folder))
	k, second := selftalk.Open(t, p, fi.CapTagged), selftalk.Open(t, p, fi.CapTagged)
	for range 5 {
		k.Check(k.EP.TRecv(make([]byte, 4096), fi.AddrUnspec, 1, 0, nil), k.EP.TSend(make([]byte, 100), 0, 1, nil))
		k.Read(2)
	}
	k.Close()
	want := monitor.Count{Call: "fi_tsend", Size: "64-512", Count: 5, Bytes: 500}
	if got := count(p.Counts(), "fi_tsend"); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	for begun := time.Now(); ; runtime.Gosched() {
		l, err := monfile.Dir(folder).List()
		if err == nil && len(l) == 1 && l[0].Provider == "mem" && count(l[0].Counts, "fi_tsend") == want && count(l[0].Counts, "fi_trecv").Bytes == 500 {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("shown: %+v, %v", l, err)
		}
	}
	second.Close()
	if l, _ := os.ReadDir(folder); len(l) != 0 {
		t.Errorf("left: %v", l)
	}
	if l := p.Counts(); len(l) != 0 {
		t.Errorf("counted after the end: %v", l)
	}
}

// TestOps compares what the hook counts with the Stats of the endpoint behind it: they have one vocabulary.
func TestOps(t *testing.T) {
	p := monitor.New(mem.New(), env(t.TempDir()))
	k := selftalk.Open(t, p, fi.CapMsg|fi.CapTagged|fi.CapRMA|fi.CapAtomic)
	region, err := k.Domain.RegisterMR(make([]byte, 64), fi.AccessRemoteRead|fi.AccessRemoteWrite, nil)
	k.Check(err)
	one := make([]byte, 8)
	k.Check(k.EP.Recv(make([]byte, 100), fi.AddrUnspec, nil), k.EP.Send(make([]byte, 10), 0, nil),
		k.EP.TRecv(make([]byte, 100), fi.AddrUnspec, 1, 0, nil), k.EP.TSendData(make([]byte, 20), 1, 0, 1, nil),
		k.EP.Write(make([]byte, 30), 0, region.Remote(), nil), k.EP.Read(make([]byte, 40), 0, region.Remote(), nil),
		k.EP.Atomic(one, 0, region.Remote(), fi.TypeUint64, fi.AtomicSum, nil),
		k.EP.FetchAtomic(one, make([]byte, 8), 0, region.Remote(), fi.TypeUint64, fi.AtomicSum, nil))
	k.Read(8)
	stats, ops := k.EP.Stats().Ops, p.Ops()
	stats[fi.OpKindRemoteRead], stats[fi.OpKindRemoteWrite] = fi.OpStats{}, fi.OpStats{} // no calls of ours
	if ops != stats || ops[fi.OpKindFetch].Done != 1 {
		t.Errorf("the hook counts %+v, the endpoint %+v", ops, stats)
	}
	k.Check(region.Close())
}

// TestNoFolder runs where the folder cannot be used: the program goes on, and the log says why nothing is shown.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	p := monitor.New(mem.New(), env(file))
	k := selftalk.Open(t, p, fi.CapTagged, fabric.WithSlog(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	k.Check(k.EP.TSend(nil, 0, 1, nil))
	k.Read(1)
	k.Close()
	if !strings.Contains(log.String(), "figures are not shown") || !strings.Contains(log.String(), "it is no folder") {
		t.Errorf("the log: %s", log.String())
	}
}
