package cpingpong

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fi"
)

// tag is that of all tagged messages.
const tag = 1234

// transfer is what a run sends and receives.
type transfer struct {
	tx, rx   []byte
	desc     []fi.Desc
	inject   uint64
	sent     pattern
	received pattern
	txDone   int // completions so far
	rxDone   int
	txWant   int
	rxWant   int
	msg      fi.Msg
	tmsg     fi.TaggedMsg
	header   bool
}

// Contexts of sends and receives.
var (
	sending   = new(int)
	receiving = new(int)
)

// allocate makes buffers for the longest message, and posts the first receive.
func (p *pingPong) allocate() error {
	most := 4
	for _, n := range p.opt.SizeList(p.ep.MaxSizes().Msg) {
		most = max(most, n)
	}
	buf := make([]byte, 2*most)
	p.tx, p.rx = buf[:most], buf[most:]
	p.inject = p.ep.InjectSizes().Msg
	if p.tagged {
		p.inject = p.ep.InjectSizes().Tagged
	}
	if p.info.Domain.MRMode&fi.MRModeLocal != 0 {
		var err error
		if p.mem, err = p.d.RegisterMR(buf, fi.AccessSend|fi.AccessRecv, nil); err != nil {
			return fail.Call("fi_mr_reg", err)
		}
		p.desc = []fi.Desc{p.mem.Desc()}
	}
	return p.post()
}

// post posts the receive for the next message.
func (p *pingPong) post() error {
	p.rxWant++
	if p.tagged {
		p.tmsg = fi.TaggedMsg{Iov: [][]byte{p.rx}, Desc: p.desc, Addr: fi.AddrUnspec, Tag: tag, Context: receiving}
		return p.again("fi_trecv", func() error { return p.ep.TRecvMsg(&p.tmsg, fi.OpCompletion) })
	}
	p.msg = fi.Msg{Iov: [][]byte{p.rx}, Desc: p.desc, Addr: fi.AddrUnspec, Context: receiving}
	return p.again("fi_recv", func() error { return p.ep.RecvMsg(&p.msg, fi.OpCompletion) })
}

// send sends the first n bytes of tx.
func (p *pingPong) send(n int, flags fi.OpFlags) error {
	b := p.tx[:n]
	if flags == 0 && uint64(n) <= p.inject {
		return p.again("fi_inject", func() error {
			if p.tagged {
				return p.ep.TInject(b, p.peer, tag)
			}
			return p.ep.Inject(b, p.peer)
		})
	}
	p.txWant++
	flags |= fi.OpCompletion
	err := p.again("fi_send", func() error {
		if p.tagged {
			p.tmsg = fi.TaggedMsg{Iov: [][]byte{b}, Desc: p.desc, Addr: p.peer, Tag: tag, Context: sending}
			return p.ep.TSendMsg(&p.tmsg, flags)
		}
		p.msg = fi.Msg{Iov: [][]byte{b}, Desc: p.desc, Addr: p.peer, Context: sending}
		return p.ep.SendMsg(&p.msg, flags)
	})
	if err != nil || flags&fi.OpTransmitComplete != 0 { // the last one is waited for when the peer's has come
		return err
	}
	return p.until(func() bool { return p.txDone >= p.txWant })
}

// again repeats a call while there is no room.
func (p *pingPong) again(name string, call func() error) error {
	for {
		err := call()
		if err != fi.ErrAgain { //nolint:errorlint // documented: bare values
			return fail.Call(name, err)
		}
		if err := p.poll(); err != nil {
			return err
		}
		if err := context.Cause(p.ctl.Ctx); err != nil {
			return err
		}
	}
}

// poll takes what the queue has.
func (p *pingPong) poll() error {
	var e [8]cq.Entry
	n, err := p.q.Read(e[:])
	for _, x := range e[:n] {
		if x.Context == receiving {
			p.rxDone++
		} else {
			p.txDone++
		}
	}
	switch {
	case n > 0 || err == fi.ErrAgain: //nolint:errorlint // documented: bare values
		return nil
	case errors.Is(err, fi.ErrAvail):
		bad := new(cq.ErrEntry)
		if err = p.q.ReadErr(bad); err == nil {
			err = bad
		}
	}
	return fail.Call("fi_cq_readerr", err)
}

// until polls until something is so.
func (p *pingPong) until(so func() bool) error {
	var late time.Time
	for i := 0; !so(); i++ {
		if err := p.poll(); err != nil {
			return err
		}
		if i&0xFFF != 0xFFF {
			continue
		}
		if err := context.Cause(p.ctl.Ctx); err != nil {
			return err
		}
		switch now := time.Now(); {
		case p.opt.Timeout == 0:
		case late.IsZero():
			late = now.Add(p.opt.Timeout)
		case now.After(late):
			return fail.Call("fi_cq_read", fi.ErrTimedOut)
		}
	}
	return nil
}

// receive waits for the next message.
func (p *pingPong) receive() error {
	return p.until(func() bool { return p.rxDone >= p.rxWant })
}

// run does all sizes, and says goodbye.
func (p *pingPong) run() error {
	for _, size := range p.opt.SizeList(p.ep.MaxSizes().Msg) {
		if err := p.size(size); err != nil {
			return err
		}
	}
	copy(p.tx, "fin\x00")
	if err := p.send(4, fi.OpTransmitComplete); err != nil {
		return err
	}
	if err := p.receive(); err != nil {
		return err
	}
	return p.until(func() bool { return p.txDone >= p.txWant })
}

// size does one size.
func (p *pingPong) size(size int) error {
	if err := p.ctl.sync(p.env.Client); err != nil {
		return err
	}
	n := p.opt.Iterations
	if n == 0 {
		n = 10
	}
	start := time.Now()
	for range n {
		if p.env.Client {
			if err := p.sendOne(size); err != nil {
				return err
			}
		}
		if err := p.receiveOne(size); err != nil {
			return err
		}
		if !p.env.Client {
			if err := p.sendOne(size); err != nil {
				return err
			}
		}
	}
	elapsed := time.Since(start)
	if err := p.ctl.count(p.env.Client, n); err != nil {
		return err
	}
	p.row(perf.Row{Size: size, Iterations: n, PerIter: 2, Elapsed: elapsed})
	return nil
}

func (p *pingPong) sendOne(size int) error {
	if p.opt.Verify {
		p.sent.fill(p.tx[:size])
	}
	return p.send(size, 0)
}

func (p *pingPong) receiveOne(size int) error {
	if err := p.receive(); err != nil {
		return err
	}
	if p.opt.Verify {
		if err := p.received.check(p.rx[:size]); err != nil {
			return err
		}
	}
	return p.post()
}

// row prints fi_pingpong's columns.
func (p *pingPong) row(r perf.Row) {
	if !p.header {
		p.header = true
		fmt.Fprintf(p.env.Out, "%-8s%-8s%-9s%-8s%8s %10s%13s%13s\n", "bytes", "#sent", "#ack", "total", "time", "MB/sec", "usec/xfer", "Mxfers/sec")
	}
	printRow(p.env.Out, r)
}

func printRow(w io.Writer, r perf.Row) {
	n := perf.CountString(int64(r.Iterations))
	fmt.Fprintf(w, "%-8s%-8s=%-8s%-8s%8.2fs%10.2f%11.2f%11.2f\n", perf.SizeString(int64(r.Size)), n, n, perf.SizeString(r.Bytes()),
		r.Elapsed.Seconds(), r.MBPerSec(), r.MicrosPerXfer(), r.MXfersPerSec())
}
