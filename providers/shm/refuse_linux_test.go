package shm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/gofabric/gofabric/fi"
)

// exchangeAll sends messages of all sizes to a peer that echoes, and accesses its memory in every way.
func exchangeAll(t testing.TB, n *node, addr []byte) {
	t.Helper()
	to := n.insert(t, addr)
	ops := &posted{n: n}
	mem := alloc(t, 2<<20)
	send := func(b []byte, tag uint64) {
		t.Helper()
		for !ops.post(t, func(ctx any) error { return n.ep.TSend(b, to, tag, ctx) }) {
			ops.reap(t)
		}
	}
	send(n.addr, 1)
	for i, size := range []int{0, 8, 64, 3000, 8192, 8193, 70000, 1 << 20} {
		for k, src := range [][]byte{make([]byte, size), mem.Bytes()[:size]} {
			tag := uint64(10 + 2*i + k)
			pattern(src, i)
			in := make([]byte, size)
			ops.post(t, func(ctx any) error { return n.ep.TRecv(in, fi.AddrUnspec, tag, 0, ctx) })
			send(src, tag)
			ops.settle(t, "the echo", patient)
			if string(in) != string(pattern(make([]byte, size), i)) {
				t.Fatalf("%d bytes came back wrong", size)
			}
		}
	}
	for _, key := range []uint64{sharedKey, heapKey} {
		for i, size := range []int{8, 5000, 100000} {
			src, in := pattern(make([]byte, size), i), make([]byte, size)
			ops.post(t, func(ctx any) error { return n.ep.Write(src, to, remote(key), ctx) })
			ops.settle(t, "a write", patient)
			ops.post(t, func(ctx any) error { return n.ep.Read(in, to, remote(key), ctx) })
			ops.settle(t, "a read", patient)
			if string(in) != string(src) {
				t.Fatalf("%d bytes in region %d are wrong", size, key)
			}
		}
		one, old := []byte{1, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 8)
		ops.post(t, func(ctx any) error {
			return n.ep.FetchAtomic(one, old, to, remote(key), fi.TypeUint64, fi.AtomicSum, ctx)
		})
		ops.settle(t, "an atomic", patient)
		if want := pattern(make([]byte, 8), 2); string(old) != string(want) {
			t.Error("an atomic fetched", old, want)
		}
	}
	if ops.errs > 0 {
		t.Fatal(ops.errs, "errors: ", ops.text)
	}
	n.idle(t)
}

// TestRoadsForced runs everything over each road, and with CMA refused by the variable on either side.
func TestRoadsForced(t *testing.T) {
	leaves(t)
	for _, mine := range []string{"FI_SHM_ROAD=map", "FI_SHM_ROAD=cma", "FI_SHM_ROAD=bulk", "FI_SHM_DISABLE_CMA=1"} {
		for _, theirs := range []string{"", "FI_SHM_ROAD=cma", "FI_SHM_DISABLE_CMA=1"} {
			t.Run(mine+" "+theirs, func(t *testing.T) {
				k, v, _ := strings.Cut(mine, "=")
				n := newNode(t, opt{env: map[string]string{k: v}})
				_, addr := peer(t, []string{theirs}, "echo")
				exchangeAll(t, n, addr)
			})
		}
	}
}

// filter is a system call filter that refuses process_vm_readv with EPERM: what container runtimes do.
type sockFilter struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

type sockFprog struct {
	len    uint16
	filter *sockFilter
}

var readvNumber = map[string]uint32{"amd64": 310, "arm64": 270}[runtime.GOARCH]

func refuseCMA() error {
	const (
		setNoNewPrivs = 38
		tsync         = 1
		seccomp       = 317 // amd64
		seccompARM    = 277
	)
	prog := []sockFilter{
		{0x20, 0, 0, 0},           // load the number
		{0x15, 0, 1, readvNumber}, // equal?
		{0x06, 0, 0, 0x00050000 | uint32(syscall.EPERM)},
		{0x06, 0, 0, 0x7fff0000},
	}
	fp := sockFprog{uint16(len(prog)), &prog[0]}
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0); e != 0 {
		return e
	}
	nr := uintptr(seccomp)
	if runtime.GOARCH == "arm64" {
		nr = seccompARM
	}
	if _, _, e := syscall.RawSyscall(nr, 1, tsync, uintptr(unsafe.Pointer(&fp))); e != 0 {
		return e
	}
	runtime.KeepAlive(prog)
	return nil
}

func init() {
	// The caged one runs exchangeAll with the peer of its arguments, under a filter: from the start (argument 1 "before"),
	// or from the moment when it is connected.
	roles["caged"] = func(c *child) {
		if c.arg(1) == "before" {
			c.must(refuseCMA())
		}
		n, err := open(opt{})
		c.must(err)
		t := &cagedTB{}
		if c.arg(1) == "later" {
			to := n.insert(t, []byte(c.arg(0)))
			ops := &posted{n: n}
			ops.post(t, func(ctx any) error {
				return n.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, 20000)}, Addr: to, Tag: 2, Context: ctx}, fi.OpCompletion|fi.OpMatchComplete)
			})
			ops.settle(t, "the first", patient)
			c.must(refuseCMA())
		}
		exchangeAll(t, n, []byte(c.arg(0)))
		cma := false
		n.locked(func() {
			for _, p := range n.dom.pairs {
				cma = cma || p.cmaIn
			}
		})
		for _, f := range t.ends {
			f()
		}
		n.close()
		c.say("done %v", cma)
	}
}

type cagedTB struct {
	fakeTB
	ends []func()
}

func (t *cagedTB) Cleanup(f func())  { t.ends = append([]func(){f}, t.ends...) }
func (t *cagedTB) Error(args ...any) { t.Fatal(args...) }
func (t *cagedTB) Errorf(format string, args ...any) {
	t.Fatalf(format, args...)
}

// TestCMARefused has a system that refuses process_vm_readv, from the start or all of a sudden.
func TestCMARefused(t *testing.T) {
	if readvNumber == 0 {
		t.Skip("known: the filter is written for amd64 and arm64")
	}
	leaves(t)
	for _, when := range []string{"before", "later"} {
		t.Run(when, func(t *testing.T) {
			_, addr := peer(t, nil, "echo")
			p := spawn(t, "caged", nil, string(addr), when)
			if l := p.hear(); l != "done false" {
				t.Error(l)
			}
		})
	}
}

// TestSocketDir meets peers in a folder instead of the network namespace, replaces the socket of a killed one, and says
// what is wrong with a folder that is not there.
func TestSocketDir(t *testing.T) {
	leaves(t)
	dir := t.TempDir()
	env := map[string]string{"FI_SHM_SOCKET_DIR": dir}
	n := newNode(t, opt{env: env})
	for range 3 {
		p, addr := peer(t, []string{"FI_SHM_SOCKET_DIR=" + dir}, "echo", "in-a-folder")
		exchangeAll(t, n, addr)
		p.kill() // leaves its file
		n.idle(t)
	}
	if f, _ := filepath.Glob(dir + "/*"); len(f) != 2 {
		t.Error("files:", f)
	}
	if _, err := open(opt{name: "x", env: map[string]string{"FI_SHM_SOCKET_DIR": dir + "/nowhere"}}); err == nil ||
		!strings.Contains(err.Error(), "FI_SHM_SOCKET_DIR") {
		t.Error("a folder that is not there:", err)
	}
	if _, err := open(opt{name: strings.Repeat("x", 60), env: map[string]string{"FI_SHM_SOCKET_DIR": dir + strings.Repeat("/.", 30)}}); err == nil {
		t.Error("a name that is too long was taken")
	}
}

// TestNameInUse takes a name twice, then after its owner has gone.
func TestNameInUse(t *testing.T) {
	leaves(t)
	name := fmt.Sprintf("twice-%d", os.Getpid())
	a := newNode(t, opt{name: name})
	if _, err := open(opt{name: name}); err == nil || !strings.Contains(err.Error(), "EADDRINUSE") {
		t.Error("a name that is in use:", err)
	}
	p, _ := peer(t, nil, "idle", name+"-b")
	if _, err := open(opt{name: name + "-b"}); err == nil {
		t.Error("a name that another process uses was taken")
	}
	p.kill()
	b := newNode(t, opt{name: name + "-b"})
	exchangeOnce(t, a, b)
}

func exchangeOnce(t testing.TB, a, b *node) {
	t.Helper()
	to := a.insert(t, b.addr)
	out, in := &posted{n: a}, &posted{n: b}
	in.post(t, func(ctx any) error { return b.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, ctx) })
	for !out.post(t, func(ctx any) error { return a.ep.TSend([]byte("12345678"), to, 1, ctx) }) {
		out.reap(t)
	}
	eventually(t, "an exchange", func() bool { out.reap(t); in.reap(t); return out.open+in.open == 0 })
	if out.errs+in.errs > 0 {
		t.Fatal(out.text, in.text)
	}
}

// TestOtherUser: processes of different users do not meet, neither side lets the other in, and both say why.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("known: only root can start a process of another user")
	}
	leaves(t)
	dir, err := os.MkdirTemp("", "shm")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o777)
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	exe := dir + "/exe"
	if err := os.WriteFile(exe, self, 0o755); err != nil {
		t.Fatal(err)
	}
	env := "FI_SHM_SOCKET_DIR=" + dir // abstract names hold the user, so that they never meet by accident
	p := &proc{t: t, cmd: exec.Command(exe)}
	p.cmd.Dir = "/"
	p.cmd.Env = append(os.Environ(), roleVar+"=peer", argsVar+"=echo\ntheirs", env)
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	p.start()
	addr := p.hear()
	n := newNode(t, opt{env: map[string]string{"FI_SHM_SOCKET_DIR": dir}})
	to := n.insert(t, []byte(addr))
	if err := n.ep.TSend([]byte("hello"), to, 1, nil); err != nil {
		t.Fatal(err)
	}
	if c := n.wait(t); c.err == 0 || !strings.Contains(c.text, "user 65534") {
		t.Errorf("%v %q", c.err, c.text)
	}
	// And the other way round: what listens does not let in.
	os.Chmod(dir+"/gofabric-shm-"+n.drv.name, 0o777)
	q := &proc{t: t, cmd: exec.Command(exe)}
	q.cmd.Dir, q.cmd.Stderr = "/", os.Stderr
	q.cmd.Env = append(os.Environ(), roleVar+"=stranger", argsVar+"="+dir+"\n"+n.drv.name)
	q.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	q.start()
	if l := q.hear(); l != "sent away" {
		t.Error(l)
	}
	pairs := 0
	n.locked(func() { pairs = len(n.dom.pairs) })
	if pairs != 0 {
		t.Error("somebody got in")
	}
}

func init() {
	// The stranger says hello to the socket in the folder of argument 0 with the name of argument 1.
	roles["stranger"] = func(c *child) {
		t := &fakeTB{}
		s := dialAddr(t, (&config{socketDir: c.arg(0)}).socketAddr(c.arg(1)))
		s.Send((&hello{name: "stranger"}).marshal())
		h := &hostile{t: t, conn: s}
		if h.recv() == nil {
			c.say("sent away")
		} else {
			c.say("answered")
		}
	}
}
