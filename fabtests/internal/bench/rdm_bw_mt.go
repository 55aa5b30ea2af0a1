package bench

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// threadsChoice is what the options of rdm_bw_mt say.
type threadsChoice struct {
	count int
	both  bool
}

func threadsOptions(o *options.Options) []cli.Option {
	own := &threadsChoice{count: 1}
	o.Own = own
	return []cli.Option{
		{Short: 'n', Long: "endpoints", Arg: "N", Help: "endpoints, each used by a goroutine of its own (1)", Set: options.Number(&own.count, 1, 1<<10)},
		{Short: 'g', Long: "bidirectional", Help: "messages go both ways, in turn", Set: options.On(&own.both)},
	}
}

// threadsCount is how often each size is sent, unless -I says otherwise.
const threadsCount = 1000

// runThreads measures several endpoints at a time, each used by a goroutine. With FI_THREAD_DOMAIN each has a domain of
// its own; with the other models they share one.
func runThreads(env *scenario.Env) (err error) {
	ctx, end := context.WithCancelCause(env.Ctx)
	defer end(nil)
	side := *env
	side.Ctx = ctx // ends with the first goroutine that fails
	if env.Opt.Counters || env.Opt.Wait != options.WaitSpin {
		return &fail.Usage{Text: "rdm_bw_mt: completions are read from queues, without sleeping: neither -t counter nor -c", Next: "fabtests rdm_bw_mt --local -n 2"}
	}
	s, err := session.Prepare(&side, session.Need{Caps: fi.CapMsg, OOB: true, NoAddress: true, NoRecv: true, NoRegion: true})
	t := &threads{s: s, own: env.Opt.Own.(*threadsChoice)}
	defer func() {
		for _, closed := range []error{t.close(), s.Close()} {
			if err == nil {
				err = closed
			}
		}
	}()
	if err != nil {
		return err
	}
	if err := t.open(); err != nil {
		return err
	}
	env.Ready()
	if err := s.SyncStatus(); err != nil { // all endpoints of both sides are enabled now
		return err
	}
	for _, l := range t.lanes {
		if err := l.meet(); err != nil {
			return err
		}
	}
	stop := t.start(end)
	defer stop()
	sizes := s.Sizes()
	for _, size := range sizes {
		if len(sizes) > 1 { // as in C
			if err := s.Sync(); err != nil {
				return err
			}
		}
		if err := t.measure(env, size); err != nil {
			return err
		}
	}
	return nil
}

// threads is one side.
type threads struct {
	s     *session.Session
	own   *threadsChoice
	lanes []*lane
}

// open makes the endpoints and what belongs to them.
func (t *threads) open() error {
	most := 0
	for _, n := range t.s.Sizes() {
		most = max(most, n)
	}
	info, err := t.s.Anywhere()
	if err != nil {
		return err
	}
	for i := range t.own.count {
		l := &lane{s: t.s, tx: make([]byte, most), rx: make([]byte, most)}
		if i > 0 && t.s.Opt.Threading != fi.ThreadDomain {
			l.domain, l.av = t.lanes[0].domain, t.lanes[0].av
		}
		t.lanes = append(t.lanes, l)
		if err := l.open(info, i); err != nil {
			return err
		}
	}
	return nil
}

func (t *threads) close() error {
	var errs []error
	for _, l := range t.lanes {
		errs = append(errs, l.closeEndpoint())
	}
	for _, l := range t.lanes { // closing one twice does nothing
		if l.av != nil {
			errs = append(errs, l.av.Close())
		}
		if l.domain != nil {
			errs = append(errs, l.domain.Close())
		}
	}
	return fail.Call("fi_close", errors.Join(errs...))
}

// start has a goroutine for each endpoint; the first that fails ends the others. The function that it gives ends them all.
func (t *threads) start(end context.CancelCauseFunc) (stop func()) {
	for _, l := range t.lanes {
		l.work, l.done = make(chan int), make(chan error)
		go func() {
			for n := range l.work {
				err := l.run(n, t.own.both)
				if err != nil {
					end(err)
				}
				l.done <- err
			}
			close(l.done)
		}()
	}
	return func() {
		for _, l := range t.lanes {
			close(l.work)
		}
		for _, l := range t.lanes {
			<-l.done
		}
	}
}

// all has every goroutine do n iterations.
func (t *threads) all(n int) error {
	var first error
	for _, l := range t.lanes {
		l.work <- n
	}
	for _, l := range t.lanes {
		if err := <-l.done; first == nil {
			first = err
		}
	}
	if cause := t.s.Ended(); first != nil && cause != nil {
		return cause
	}
	return first
}

// measure sends messages of a size.
func (t *threads) measure(env *scenario.Env, size int) error {
	n := env.Opt.Iterations
	if n == 0 {
		n = threadsCount
	}
	for _, l := range t.lanes {
		l.size = size
	}
	if err := t.all(env.Opt.Warmup); err != nil {
		return err
	}
	began := time.Now()
	if err := t.all(n); err != nil {
		return err
	}
	env.Report.Row(perf.Row{Size: size, Iterations: n, PerIter: len(t.lanes), Elapsed: time.Since(began)})
	return nil
}

// lane is one endpoint; the domain and the address vector may be those of all.
type lane struct {
	s      *session.Session
	domain *fabric.Domain
	av     *fabric.AV
	q      *fabric.CQ
	ep     *fabric.Endpoint
	mrs    []*fabric.MR
	peer   fi.Addr
	tx, rx []byte
	size   int
	entry  [1]cq.Entry

	work chan int // how many iterations to do
	done chan error
}

func (l *lane) open(info *fi.Info, i int) (err error) {
	if l.domain == nil {
		if l.domain, err = l.s.Fabric().OpenDomain(info); err != nil {
			return fail.Call("fi_domain", err)
		}
		if l.av, err = l.domain.OpenAV(&fi.AVAttr{Type: info.Domain.AVType, Count: 1}); err != nil {
			return fail.Call("fi_av_open", err)
		}
	}
	if l.ep, err = l.domain.OpenEndpoint(info); err != nil {
		return fail.Call("fi_endpoint", err)
	}
	if l.q, err = l.domain.OpenCQ(&fi.CQAttr{Size: 128, Format: fi.CQFormatContext, WaitObj: fi.WaitNone}); err != nil {
		return fail.Call("fi_cq_open", err)
	}
	if err = errors.Join(l.ep.BindAV(l.av), l.ep.BindCQ(l.q, fi.BindTransmit|fi.BindRecv)); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	if err = l.ep.Enable(); err != nil {
		return fail.Call("fi_enable", err)
	}
	if info.Domain.MRMode&fi.MRModeLocal == 0 || len(l.tx) == 0 {
		return nil
	}
	for k, buf := range [][]byte{l.tx, l.rx} {
		m, err := l.s.Region(l.domain, l.ep, buf, fi.AccessSend|fi.AccessRecv, &fi.MRAttr{Key: uint64(2*i + k + 1)})
		if err != nil {
			return err
		}
		l.mrs = append(l.mrs, m)
	}
	return nil
}

// meet exchanges the names of two endpoints.
func (l *lane) meet() error {
	raw, err := l.s.SwapNames(l.ep)
	if err != nil {
		return err
	}
	var out [1]fi.Addr
	_, err = l.av.Insert([][]byte{raw}, out[:], 0)
	l.peer = out[0]
	return fail.Call("fi_av_insert", err)
}

func (l *lane) closeEndpoint() error {
	var errs []error
	if l.ep != nil {
		errs = append(errs, l.ep.Close())
	}
	if l.q != nil {
		errs = append(errs, l.q.Close())
	}
	for _, m := range l.mrs {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// run does n iterations: one message from client to server, and one back when they go both ways.
func (l *lane) run(n int, both bool) error {
	first, second := l.receive, l.send
	if l.s.Client {
		first, second = l.send, l.receive
	}
	for range n {
		if err := first(); err != nil {
			return err
		}
		if !both {
			continue
		}
		if err := second(); err != nil {
			return err
		}
	}
	return nil
}

func (l *lane) send() error {
	buf := l.tx[:l.size]
	if l.s.Opt.Verify {
		l.s.Prepare(buf)
	}
	var p session.Patience
	for {
		err := l.ep.Send(buf, l.peer, l)
		if err == nil {
			return l.wait()
		}
		if err = l.again(err, "fi_send", &p); err != nil {
			return err
		}
	}
}

func (l *lane) receive() error {
	buf := l.rx[:l.size]
	var p session.Patience
	for {
		err := l.ep.Recv(buf, l.peer, l)
		if err == nil {
			break
		}
		if err = l.again(err, "fi_recv", &p); err != nil {
			return err
		}
	}
	if err := l.wait(); err != nil {
		return err
	}
	if !l.s.Opt.Verify {
		return nil
	}
	err := l.s.Inspect(buf)
	clear(buf)
	return err
}

// again drives the endpoint when there was no room; other errors are returned.
func (l *lane) again(err error, call string, p *session.Patience) error {
	if err != fi.ErrAgain { //nolint:errorlint // a bare value
		return fail.Call(call, err)
	}
	if _, err := l.q.Read(nil); err == fi.ErrAvail { //nolint:errorlint // a bare value
		return l.wait()
	}
	return l.s.Tired(p)
}

// yieldsEvery is how many empty reads pass between two offers of the processor to the goroutines of other endpoints.
const yieldsEvery = 1 << 4

// wait waits for one completion.
func (l *lane) wait() error {
	var p session.Patience
	for i := 1; ; i++ {
		ok, err := l.s.TakeFrom(l.q, l.entry[:])
		if ok || err != nil {
			return err
		}
		if i%yieldsEvery == 0 {
			runtime.Gosched()
		}
		if err := l.s.Tired(&p); err != nil {
			return err
		}
	}
}
