package trace_test

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/selftalk"
	"github.com/gofabric/gofabric/providers/hook/trace"
	"github.com/gofabric/gofabric/providers/mem"
)

// varying are the parts of lines that differ from run to run.
var varying = regexp.MustCompile(`(context 0x[0-9a-f]+|(took|after) [0-9.]+(ns|µs|ms|s)|mem://[0-9]+)`)

// story are the lines of a program, in order.
const story = `fi_getinfo(mem, flags none, hints FI_RMA, FI_TAGGED, FI_EP_RDM) = 0, 3 offers, 0 rejections, took T
fi_fabric(fabric 1, name mem, prov mem) = 0, took T
fi_domain(domain 1 in fabric 1, name mem, threading FI_THREAD_SAFE, progress FI_PROGRESS_AUTO) = 0, took T
fi_getinfo(mem, flags none, hints any) = 0, 3 offers, 0 rejections, took T
fi_endpoint(ep 1 in domain 1, type FI_EP_RDM, caps CAPS) = 0, took T
fi_enable(ep 1, tx_cq 64, rx_cq 64) = 0, fi_mem://T, took T
fi_getname(ep 1) = 0, fi_mem://T, took T
check_addr(domain 1, bytes N) = 0, fi_mem://T, took T
fi_mr_reg(mr in domain 1, bytes 64, access FI_REMOTE_READ, FI_REMOTE_WRITE, key 0x3) = 0, key 0x3, took T
fi_trecv(ep 1, 64 bytes, tag 0x7, ignore 0xf0, context T, FI_COMPLETION) = 0, operation 1
operation 1 (fi_trecv, ep 1) completed: FI_RECV, FI_TAGGED, FI_REMOTE_CQ_DATA, 5 bytes, tag 0x17, data 0x2a, from 0, context T, after T
operation 2 (fi_tsenddata, ep 1) completed: FI_SEND, FI_TAGGED, 5 bytes, tag 0x17, after T
fi_tsenddata(ep 1, 5 bytes, peer 0, tag 0x17, data 0x2a, FI_REMOTE_CQ_DATA, FI_COMPLETION) = 0, operation 2
fi_tinject(ep 1, 2 bytes, peer 0, tag 0x8, FI_INJECT) = 0, operation 3
operation 4 (fi_write, ep 1) completed: FI_RMA, FI_WRITE, 4 bytes, after T
fi_write(ep 1, 4 bytes, peer 0, remote 0x8 key 0x3, FI_COMPLETION) = 0, operation 4
operation 5 (fi_readmsg, ep 1) completed: FI_RMA, FI_READ, 4 bytes, after T
fi_readmsg(ep 1, 4 bytes in 2 buffers, peer 0, remote 0x8+4 key 0x3, FI_COMPLETION) = 0, operation 5
operation 6 (fi_write, ep 1) completed: FI_RMA, FI_WRITE, 0 bytes, in error: FI_EKEYREJECTED: key was rejected by service (the peer has no region with this key: it was closed, used up or not enabled, or the key is another peer's; ask the peer for MR.Remote of a region that is open), after T
fi_write(ep 1, 1 bytes, peer 0, remote 0x0 key 0x4, FI_COMPLETION) = 0, operation 6
fi_tsend(ep 1, 1 bytes, peer 99, tag 0x1, FI_COMPLETION) = FI_EINVAL, operation 7
fi_cancel(ep 1, context T) = FI_ENOENT, took T
fi_close(mr in domain 1, key 0x3) = 0, took T
fi_close(ep 1) = 0, took T
fi_close(domain 1) = 0, took T
fi_close(fabric 1) = 0, took T
`

// program makes the calls of the story.
func program(t *testing.T, p *bytes.Buffer, opts ...fabric.Option) {
	pr := trace.New(mem.New(), nil)
	if p != nil {
		pr = trace.New(mem.New(), p)
	}
	k := selftalk.Open(t, pr, fi.CapTagged|fi.CapRMA, opts...)
	m, err := k.Domain.RegisterMR(make([]byte, 64), fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: 3})
	k.Check(err)
	at := m.Remote()
	at.Addr += 8
	k.Check(k.EP.TRecv(make([]byte, 64), fi.AddrUnspec, 7, 0xf0, new(int)), k.EP.TSendData([]byte("hello"), 42, 0, 0x17, nil),
		k.EP.TInject([]byte("hi"), 0, 8), k.EP.Write([]byte("data"), 0, at, nil),
		k.EP.ReadMsg(&fi.RMAMsg{Iov: [][]byte{make([]byte, 2), make([]byte, 2)}, RMAIov: []fi.RMAIov{{Addr: at.Addr, Len: 4, Key: at.Key}}}, 0))
	at.Key++
	at.Addr = 0
	k.Check(k.EP.Write([]byte("x"), 0, at, nil))
	if k.EP.TSend([]byte("x"), 99, 1, nil) == nil || k.EP.Cancel(new(int)) == nil {
		t.Error("wrong calls succeed")
	}
	k.Read(5)
	k.Check(m.Close())
	k.Close()
}

// readable makes lines comparable.
func readable(text string) string {
	text = varying.ReplaceAllStringFunc(text, func(s string) string {
		if what, is := strings.CutPrefix(s, "mem://"); is && what != "" {
			return "mem://T"
		}
		what, _, _ := strings.Cut(s, " ")
		return what + " T" // "context T", "took T"
	})
	text = regexp.MustCompile(`caps .*\)`).ReplaceAllString(text, "caps CAPS)")
	return regexp.MustCompile(`(check_addr\(domain 1, bytes )\d+`).ReplaceAllString(text, "${1}N")
}

// TestStory compares all lines that a program leaves.
func TestStory(t *testing.T) {
	var w bytes.Buffer
	program(t, &w)
	got := strings.Split(readable(w.String()), "\n")
	want := strings.Split(story, "\n")
	for i := range max(len(got), len(want)) {
		g, x := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			x = want[i]
		}
		if g != x {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, g, x)
		}
	}
}

// TestLog has the lines in the log of the program, at a level that libfabric's trace is on, each for its part; a log of
// warnings gets none.
func TestLog(t *testing.T) {
	var all, warn bytes.Buffer
	program(t, nil, fabric.WithSlog(slog.NewTextHandler(&all, nil)))
	for _, want := range []string{"prov=ofi_hook_trace subsys=ep_data", "subsys=ep_ctrl", "subsys=mr", "subsys=domain", "fi_tsenddata(ep 1, 5 bytes"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, all.String())
		}
	}
	program(t, nil, fabric.WithSlog(slog.NewTextHandler(&warn, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if warn.Len() != 0 {
		t.Errorf("a log of warnings has %s", warn.String())
	}
}
