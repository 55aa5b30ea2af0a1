package figures

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runMemory connects many endpoints to one, all in this process, and looks at what each pair has added: shared memory,
// counted once for both sides, and the heap of both.
func runMemory(env *scenario.Env) error {
	n := env.Opt.Window
	need := session.Need{Caps: fi.CapTagged, Size: session.CtrlSize}
	o := *env.Opt
	o.SrcPort, o.SrcAddr = "", ""
	side := *env
	side.Opt = &o
	hub, err := session.Alone(&side, need)
	if err != nil {
		return err
	}
	defer hub.Close() //nolint:errcheck // closed below when all went well
	var spokes []*session.Session
	defer func() {
		for _, s := range spokes {
			s.Close() //nolint:errcheck // closed below when all went well
		}
	}()
	open := func(int) error {
		s, err := session.Alone(&side, need)
		if err == nil {
			spokes = append(spokes, s)
		}
		return err
	}
	connect := func(i int) error { return meetInProcess(hub, spokes[i]) }
	// The first pair brings what an endpoint has once.
	if err := each(1, open, connect); err != nil {
		return err
	}
	for range n {
		if err := open(0); err != nil {
			return err
		}
	}
	shared, heap := usage()
	for i := range n {
		if err := connect(1 + i); err != nil {
			return err
		}
	}
	sharedNow, heapNow := usage()
	if shared >= 0 {
		env.Report.Row(perf.Row{Name: "shared memory for each connected pair", Value: float64(sharedNow-shared) / float64(n), Unit: "bytes"})
	}
	env.Report.Row(perf.Row{Name: "heap for each connected pair, both sides", Value: max(0, float64(heapNow-heap)/float64(n)), Unit: "bytes"})
	for _, s := range spokes {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return hub.Close()
}

func each(n int, steps ...func(int) error) error {
	for i := range n {
		for _, step := range steps {
			if err := step(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// meetInProcess sends a message each way between two endpoints of this process; both are driven meanwhile.
func meetInProcess(a, b *session.Session) error {
	if err := session.Link(a, b); err != nil {
		return err
	}
	for _, dir := range [][2]*session.Session{{a, b}, {b, a}} {
		from, to := dir[0], dir[1]
		if err := to.PostRx(to.Rx[:8], to.Context(0)); err != nil {
			return err
		}
		from.TxTag = 1
		if err := from.PostTx(from.Tx[:8], from.Context(0)); err != nil {
			return err
		}
		for to.RxDone < to.RxSeq {
			if err := from.Progress(); err != nil {
				return err
			}
			if err := to.ProgressRx(); err != nil {
				return err
			}
			if err := to.Ended(); err != nil {
				return err
			}
		}
		if err := from.WaitTx(from.TxSeq); err != nil {
			return err
		}
	}
	return nil
}

// usage gives the bytes of shared memory files that are mapped here, each file once, -1 where that is not known, and
// those of the heap.
func usage() (shared, heap int64) {
	runtime.GC()
	runtime.GC() // what finalizers let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return sharedMappings(), int64(m.HeapAlloc)
}

func sharedMappings() int64 {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return -1
	}
	defer f.Close() //nolint:errcheck // for reading only
	type part struct{ inode, offset string }
	seen := map[part]bool{}
	total := int64(0)
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		// 7f…-7f… rw-s 00000000 00:01 1037 /memfd:name (deleted)
		w := strings.Fields(sc.Text())
		if len(w) < 6 || !strings.Contains(w[1], "s") || !strings.HasPrefix(w[5], "/memfd:") {
			continue
		}
		p := part{w[4], w[2]}
		low, high, ok := strings.Cut(w[0], "-")
		if !ok || seen[p] {
			continue
		}
		seen[p] = true
		a, err1 := strconv.ParseInt(low, 16, 64)
		b, err2 := strconv.ParseInt(high, 16, 64)
		if err1 == nil && err2 == nil {
			total += b - a
		}
	}
	return total
}
