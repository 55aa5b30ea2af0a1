package rdmstress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/poll"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// workers is how many goroutines the server has, each with a receive posted.
const workers = 32

// server does what clients ask for.
type server struct {
	ctx context.Context
	out io.Writer
	s   *session.Session
	q   *fabric.CQ

	open atomic.Int64 // answers that have not completed

	mu      sync.Mutex
	clients map[uint32]*guest
	next    uint32 // number of the next client: requests of those that have left must not be taken for another's
	wrong   error  // the first data that was not what it should be
}

// guest is a client that the server knows.
type guest struct {
	number uint32
	addr   fi.Addr

	mu   sync.Mutex // held while something is sent there: the address may be another's afterwards. Taken before server.mu.
	gone bool
}

// with posts an operation to the guest, if it is still one.
func (g *guest) with(post func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return fi.ErrAddrNotAvail
	}
	return post()
}

// request is what a client asks, and its receive's context.
type request struct {
	b [helloSize]byte
	n int
}

// answer is what the server does for a client, and its operation's context.
type answer struct {
	h   header
	to  *guest
	b   []byte // a header and the data
	ack bool   // the client is told when the operation has completed
}

// serve does what clients ask for, until they are done or, without a connection beside the fabric, until it is interrupted.
func serve(env *scenario.Env) (err error) {
	fmt.Fprintln(env.Out, "Starting rpc stress server")
	ctx, end := context.WithCancelCause(env.Ctx)
	defer end(nil)
	side := *env
	side.Ctx = ctx // ends with the first goroutine that fails
	s, err := session.Open(&side, need(env))
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	v := &server{ctx: ctx, out: &together{w: env.Out}, s: s, q: s.RxCQ, clients: map[uint32]*guest{}}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			if err := v.work(); err != nil {
				end(err)
			}
		})
	}
	if env.Opt.Child.On || env.Opt.OOBSync {
		for _, step := range []func() error{s.AwaitStatus, s.AwaitStatus, v.settle, s.AwaitStatus} { // they may begin; they are done; so are we
			if err := step(); err != nil {
				end(err)
				break
			}
		}
	} else {
		<-ctx.Done()
	}
	cause := context.Cause(ctx)
	end(nil)
	wg.Wait()
	if cause != nil {
		return cause
	}
	return fail.Call("ft_check_buf", v.wrong)
}

// settling is how long the server waits for answers to clients that have gone, at least: providers try for some time to
// reach a peer.
const settling = 30 * time.Second

// settle waits until every answer has completed, be it in an error.
func (v *server) settle() error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(max(settling, v.s.Opt.Timeout))
	for v.open.Load() > 0 {
		select {
		case <-tick.C:
		case <-limit:
			return fail.Call("fi_cq_read", &fi.Error{Op: "wait", Err: fi.ErrTimedOut, Hint: fmt.Sprintf("%d answers have not completed", v.open.Load())})
		case <-v.ctx.Done():
			return context.Cause(v.ctx)
		}
	}
	return nil
}

// work handles completions, and has a receive posted meanwhile.
func (v *server) work() error {
	for {
		req := &request{}
		if err := v.s.EP.Recv(req.b[:], fi.AddrUnspec, req); err != nil {
			if err == fi.ErrAgain { //nolint:errorlint // a bare value
				v.q.Read(nil) //nolint:errcheck // only to drive the endpoint
				continue
			}
			return fail.Call("fi_recv", err)
		}
		for took := false; !took; {
			var e [1]cq.Entry
			n, err := v.wait(e[:])
			switch {
			case v.ctx.Err() != nil:
				return nil
			case n > 0:
				took = v.handle(&e[0])
			case errors.Is(err, fi.ErrAvail):
				took, err = v.failed()
			case errors.Is(err, fi.ErrAgain):
				err = nil
			}
			if err != nil {
				return err
			}
		}
	}
}

// wait waits for a completion the way -c says. fi.ErrAgain says that nothing has come yet.
func (v *server) wait(e []cq.Entry) (int, error) {
	switch v.s.Opt.Wait {
	case options.WaitSRead:
		return v.q.SRead(v.ctx, e)
	case options.WaitFD:
		if v.q.TryWait() == nil {
			fd, err := v.q.FD()
			if err != nil {
				return 0, fail.Call("fi_control", err)
			}
			if _, err := poll.Readable(fd, 100*time.Millisecond); err != nil {
				return 0, fail.Call("poll", err)
			}
		}
	default:
		runtime.Gosched()
	}
	return v.q.Read(e)
}

// handle takes a completion; true when it is of a receive, so that another one must be posted.
func (v *server) handle(e *cq.Entry) bool {
	switch x := e.Context.(type) {
	case *request:
		x.n = e.Len
		v.start(x)
		return true
	case *answer:
		v.complete(x, fi.Success)
	}
	return false
}

// failed takes an error: clients that misbehave are what this is about.
func (v *server) failed() (bool, error) {
	e := new(cq.ErrEntry)
	if err := v.q.ReadErr(e); err != nil {
		if errors.Is(err, fi.ErrAgain) { // another goroutine was faster
			err = nil
		}
		return false, fail.Call("fi_cq_readerr", err)
	}
	switch x := e.Context.(type) {
	case *request:
		return true, nil
	case *answer:
		v.complete(x, e.Err)
	}
	return false, nil
}

// start begins what a request asks for.
func (v *server) start(req *request) {
	if req.n < headerSize {
		return
	}
	h := readHeader(req.b[:])
	fmt.Fprintf(v.out, "(%d) start rpc %s\n", h.client, cmdName(h.cmd))
	if h.cmd >= cmdLast || h.size > mostBytes {
		return
	}
	a := &answer{h: h}
	if h.cmd == cmdHello {
		if h.size == 0 || h.size > uint64(req.n-headerSize) {
			return
		}
		a.h.size = 0
	}
	v.open.Add(1)
	a.b = make([]byte, headerSize+a.h.size)
	if h.cmd != cmdRead {
		pattern.Fill(a.b[headerSize:])
	}
	name := req.b[headerSize:req.n]
	if h.cmd == cmdHello {
		name = name[:h.size]
	} else {
		v.mu.Lock()
		a.to = v.clients[h.client]
		v.mu.Unlock()
		if a.to == nil { // it has left, or never came
			v.complete(a, fi.ErrAddrNotAvail)
			return
		}
	}
	err := v.tryTo(func() error {
		switch h.cmd {
		case cmdHello:
			return v.welcome(a, name)
		case cmdGoodbye:
			return v.remove(a.to)
		}
		return a.to.with(func() error { return v.begin(a) })
	})
	switch {
	case err != nil:
		v.complete(a, fail.Errno(err))
	case h.cmd == cmdGoodbye || h.cmd == cmdMsgInject: // nothing else will tell
		v.complete(a, fi.Success)
	}
}

// tryTo does something again while there is no room, for the time of a call.
func (v *server) tryTo(do func() error) error {
	var began time.Time
	for {
		err := do()
		if err != fi.ErrAgain { //nolint:errorlint // a bare value
			return err
		}
		v.q.Read(nil) //nolint:errcheck // only to drive the endpoint
		switch now := time.Now(); {
		case v.ctx.Err() != nil:
			return fi.ErrCanceled
		case began.IsZero():
			began = now
		case v.s.Opt.Timeout > 0 && now.Sub(began) > v.s.Opt.Timeout:
			return err
		}
		runtime.Gosched()
	}
}

// begin starts the operation of an answer.
func (v *server) begin(a *answer) error {
	ep, data := v.s.EP, a.b[headerSize:]
	a.h.put(a.b)
	at := mr.Remote{Addr: a.h.offset, Key: a.h.data}
	switch a.h.cmd {
	case cmdMsg:
		return ep.Send(a.b, a.to.addr, a)
	case cmdMsgInject:
		return ep.Inject(a.b, a.to.addr)
	case cmdTag:
		return ep.TSend(a.b, a.to.addr, a.h.data, a)
	case cmdRead:
		a.ack = true
		return ep.Read(data, a.to.addr, at, a)
	}
	a.ack = true
	return ep.Write(data, a.to.addr, at, a)
}

// welcome learns of a client and tells it its number. When there is no room for the answer all of it is done again, which
// is what a vector of addresses shall stand.
func (v *server) welcome(a *answer, name []byte) error {
	var out [1]fi.Addr
	if _, err := v.s.AV.Insert([][]byte{name}, out[:], 0); err != nil {
		a.h.client = noClient
		return err
	}
	g := &guest{addr: out[0]}
	v.mu.Lock()
	g.number = v.next
	v.next++
	v.clients[g.number] = g
	v.mu.Unlock()
	a.to, a.h.client = g, g.number
	a.h.put(a.b)
	err := g.with(func() error { return v.s.EP.Send(a.b, g.addr, a) })
	if err != nil {
		v.remove(g) //nolint:errcheck // the first error is the one to see
		a.h.client = noClient
	}
	return err
}

// remove forgets a client.
func (v *server) remove(g *guest) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return nil
	}
	g.gone = true
	v.mu.Lock()
	delete(v.clients, g.number)
	v.mu.Unlock()
	return fail.Call("fi_av_remove", v.s.AV.Remove([]fi.Addr{g.addr}))
}

// note keeps the first thing that must not happen.
func (v *server) note(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.wrong == nil {
		v.wrong = err
	}
}

// complete ends an answer. A client that cannot be reached is forgotten.
func (v *server) complete(a *answer, status fi.Errno) {
	defer v.open.Add(-1)
	fmt.Fprintf(v.out, "(%d) complete rpc %s (%s)\n", a.h.client, cmdName(a.h.cmd), status.Strerror())
	if status == fi.Success && a.h.cmd == cmdRead {
		v.note(pattern.Check(a.b[headerSize:]))
	}
	if status == fi.Success && a.ack {
		err := v.tryTo(func() error {
			return a.to.with(func() error { return v.s.EP.Inject(a.b[:headerSize], a.to.addr) })
		})
		if err != nil {
			status = fail.Errno(err)
		}
	}
	if status == fi.Success || a.to == nil {
		return
	}
	fmt.Fprintf(v.out, "(%d) unreachable, removing\n", a.h.client)
	v.note(v.remove(a.to))
}
