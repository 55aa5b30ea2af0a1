package faults

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/tcp"
)

// agent is a peer in a process of its own. Its methods are called by the test, one at a time.
type agent struct {
	f       *fabric.Fabric
	d       *fabric.Domain
	q       *fabric.CQ
	av      *fabric.AV
	ep      *fabric.Endpoint
	more    []*fabric.Endpoint
	region  *fabric.MR
	ballast []*os.File // that Limit holds
	silent  []int      // sockets that Call made
	start   int        // descriptors before anything was open
}

// Setup says what an agent opens.
type Setup struct {
	At     string // address in text form, port 0: any
	Env    map[string]string
	Manual bool // progress
}

// Opened is what others need to know.
type Opened struct {
	Name   []byte
	Remote mr.Remote
}

// regionSize is the size of the memory that an agent lets others write and read.
const regionSize = 1 << 20

// serveAgent answers calls until the test closes the pipe.
func serveAgent() {
	s := rpc.NewServer()
	a := &agent{start: descriptors()}
	if err := s.RegisterName("Agent", &Agent{a}); err != nil {
		panic(err) // the test binary itself is wrong
	}
	s.ServeCodec(jsonrpc.NewServerCodec(struct {
		io.Reader
		io.WriteCloser
	}{os.Stdin, os.Stdout}))
}

// Agent is what a test calls.
type Agent struct{ *agent }

// Open opens an endpoint and all that it needs.
func (a *Agent) Open(s Setup, out *Opened) error {
	env := func(k string) (string, bool) { v, ok := s.Env[k]; return v, ok }
	reg := fabric.NewRegistry(tcp.NewEnv(env))
	_, raw, err := fi.ParseAddr(s.At)
	if err != nil {
		return err
	}
	progress := fi.ProgressAuto
	if s.Manual {
		progress = fi.ProgressManual
	}
	caps := fi.CapMsg | fi.CapTagged | fi.CapRMA
	if s.Env["FI_TCP_EXTENSION"] != "0" {
		caps |= fi.CapAtomic
	}
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: caps, SrcAddr: raw,
		EP: &fi.EPAttr{Type: fi.EPRDM}, Domain: &fi.DomainAttr{Progress: progress}}, fabric.WithRegistry(reg))
	if err != nil {
		return err
	}
	if a.f, err = fabric.Open(infos[0], fabric.WithRegistry(reg)); err != nil {
		return err
	}
	if a.d, err = a.f.OpenDomain(infos[0]); err != nil {
		return err
	}
	if a.q, err = a.d.OpenCQ(&fi.CQAttr{WaitObj: fi.WaitFD}); err != nil {
		return err
	}
	if a.av, err = a.d.OpenAV(nil); err != nil {
		return err
	}
	if a.region, err = a.d.RegisterMR(make([]byte, regionSize), fi.AccessRemoteWrite|fi.AccessRemoteRead, &fi.MRAttr{Key: 77}); err != nil {
		return err
	}
	if a.ep, err = a.d.OpenEndpoint(infos[0]); err != nil {
		return err
	}
	if err := errors.Join(a.ep.BindCQ(a.q, fi.BindTransmit|fi.BindRecv), a.ep.BindAV(a.av)); err != nil {
		return err
	}
	if err := a.ep.Enable(); err != nil {
		return err
	}
	out.Name, err = a.ep.Name()
	out.Remote = a.region.Remote()
	return err
}

// OpenMany opens more endpoints in the same domain, and gives the names of them.
func (a *Agent) OpenMany(n int, names *[][]byte) error {
	info := a.ep.Info()
	at, err := fi.DecodeSockaddr(info.SrcAddr)
	if err != nil {
		return err
	}
	if _, info.SrcAddr, err = fi.EncodeSockaddr(netip.AddrPortFrom(at.Addr(), 0)); err != nil {
		return err
	}
	for range n {
		ep, err := a.d.OpenEndpoint(info)
		if err != nil {
			return err
		}
		a.more = append(a.more, ep)
		if err := errors.Join(ep.BindCQ(a.q, fi.BindTransmit|fi.BindRecv), ep.BindAV(a.av)); err != nil {
			return err
		}
		if err := ep.Enable(); err != nil {
			return err
		}
		name, err := ep.Name()
		if err != nil {
			return err
		}
		*names = append(*names, name)
	}
	return nil
}

// InsertMany makes peers known.
func (a *Agent) InsertMany(names [][]byte, _ *struct{}) error {
	_, err := a.av.Insert(names, nil, 0)
	return err
}

// Insert makes a peer known.
func (a *Agent) Insert(name []byte, out *fi.Addr) error {
	var got [1]fi.Addr
	_, err := a.av.Insert([][]byte{name}, got[:], 0)
	*out = got[0]
	return err
}

// Remove makes it unknown again.
func (a *Agent) Remove(peer fi.Addr, _ *struct{}) error { return a.av.Remove([]fi.Addr{peer}) }

// Stats is what a process holds.
type Stats struct {
	Descriptors int // more than at the beginning
	Goroutines  int
	Open        int // descriptors
	Heap        int // bytes in use
	CPU         time.Duration
}

// Stats looks.
func (a *Agent) Stats(_ struct{}, out *Stats) error {
	if a.q != nil {
		a.q.Read(nil) //nolint:errcheck // drives it
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return err
	}
	*out = Stats{CPU: time.Duration(u.Utime.Nano() + u.Stime.Nano()), Open: descriptors(), Descriptors: descriptors() - a.start, Goroutines: runtime.NumGoroutine(), Heap: int(m.HeapInuse)}
	return nil
}

func descriptors() int {
	l, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(l)
}

// Callers are connections that say nothing.
type Callers struct {
	To []byte
	N  int
}

// Call makes such connections, which last until the agent closes.
func (a *Agent) Call(c Callers, _ *struct{}) error {
	to, err := fi.DecodeSockaddr(c.To)
	if err != nil {
		return err
	}
	for range c.N {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		a.silent = append(a.silent, fd)
		if err := syscall.Connect(fd, &syscall.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())}); err != nil {
			return err
		}
	}
	return nil
}

// Limit takes all descriptors away from the process but so many; -1: it gets them back.
func (a *Agent) Limit(leave int, _ *struct{}) error {
	for _, f := range a.ballast {
		f.Close()
	}
	a.ballast = nil
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || leave < 0 {
		return err
	}
	l.Cur = 256
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		a.ballast = append(a.ballast, f)
	}
	for _, f := range a.ballast[:leave] {
		f.Close()
	}
	a.ballast = a.ballast[leave:]
	return nil
}

// Most sets the highest number of descriptors.
func (a *Agent) Most(n int, _ *struct{}) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	l.Cur = uint64(n)
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l)
}

// Close closes everything and tells what is left: descriptors and goroutines.
func (a *Agent) Close(_ struct{}, out *Stats) error {
	if a.ep == nil {
		return nil
	}
	var err error
	for _, ep := range a.more {
		err = errors.Join(err, ep.Close())
	}
	a.more = nil
	for _, fd := range a.silent {
		syscall.Close(fd)
	}
	a.silent = nil
	err = errors.Join(err, a.ep.Close(), a.region.Close(), a.av.Close(), a.q.Close(), a.d.Close(), a.f.Close())
	a.q, a.ep = nil, nil
	for end := time.Now().Add(patient); ; runtime.Gosched() { // goroutines that have nothing left to do end soon
		if e := a.Stats(struct{}{}, out); e != nil {
			return e
		}
		if out.Goroutines <= 2 || time.Now().After(end) {
			return err
		}
	}
}
