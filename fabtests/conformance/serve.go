package conformance

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// request asks a side for one thing. Only the fields of its verb are used.
type request struct {
	Node    int
	Verb    verb
	Open    openOpts
	Call    call
	Reg     regOpts
	ID, EP  int
	Off, N  int
	Seed    uint64
	Bytes   []byte
	Names   [][]byte
	Addr    fi.Addr
	Addrs   []fi.Addr
	AVFlags fi.AVFlags
	Flags   fi.OpFlags
	Program string
}

type verb int

const (
	vOpen verb = iota
	vInsert
	vRemove
	vUserID
	vPost
	vPoll
	vCancel
	vAlias
	vBytes
	vReg
	vUnreg
	vRegion
	vFill
	vEvents
	vCounters
	vMinMulti
	vProgram
	vCloseEPs
	vCheck
	vClose
	vBaseline
	vLeaks
	vDial
	vStep
	vStats
)

// response is the answer.
type response struct {
	ID      int
	N       int
	Err     *wireError
	Comps   []comp
	Trouble []string
	Bytes   []byte
	Names   [][]byte
	Addrs   []fi.Addr
	Remote  mr.Remote
	Counts  []uint64
	Info    *fi.Info
}

// wireError is an error that has come from another process: its number and its text.
type wireError struct {
	No   fi.Errno
	Text string
}

func (e *wireError) Error() string { return e.Text }
func (e *wireError) Unwrap() error { return e.No }

func toWire(err error) *wireError {
	if err == nil {
		return nil
	}
	w := &wireError{Text: err.Error()}
	if !errors.As(err, &w.No) {
		w.No = fi.ErrOther
	}
	return w
}

func (r *response) err() error {
	if r.Err == nil {
		return nil
	}
	return r.Err
}

// serve does what a request asks for.
func (n *node) serve(reg *fabric.Registry, q *request) *response {
	p := &response{}
	var err error
	switch q.Verb {
	case vOpen:
		if err = n.open(reg, &q.Open); err == nil {
			p.Names, err = n.names()
			p.Info = n.info
		}
	case vInsert:
		p.Addrs = make([]fi.Addr, len(q.Names))
		copy(p.Addrs, q.Addrs)
		p.N, err = n.av.Insert(q.Names, p.Addrs, q.AVFlags)
	case vRemove:
		err = n.av.Remove(q.Addrs)
	case vUserID:
		err = n.av.SetUserID(q.Addrs[0], q.Addr)
	case vPost:
		p.ID, err = n.post(&q.Call)
	case vPoll:
		p.Comps = n.poll()
	case vCancel:
		err = n.cancel(q.ID, q.EP)
	case vAlias:
		err = n.alias(q)
	case vBytes:
		p.Bytes = n.ops[q.ID].buf[q.Off : q.Off+q.N]
	case vReg:
		p.ID, p.Remote, err = n.reg(&q.Reg)
	case vUnreg:
		err = n.unreg(q.ID)
	case vRegion:
		p.Bytes = peek(n.regions[q.ID].buf[q.Off : q.Off+q.N])
	case vFill:
		poke(n.regions[q.ID].buf[q.Off:], q.Bytes)
	case vEvents:
		w, r := n.eventCounts(q.ID)
		p.Counts = []uint64{w, r}
	case vCounters:
		p.Counts = n.counts()
	case vStats:
		p.Counts = n.stats()
	case vMinMulti:
		if n.srx != nil {
			err = n.srx.SetMinMultiRecv(q.N)
		} else {
			err = n.eps[q.EP].SetMinMultiRecv(q.N)
		}
	case vProgram:
		f := programs[q.Program]
		if f == nil {
			err = fmt.Errorf("no program %q", q.Program)
			break
		}
		p.Bytes, err = f(n, q.Bytes)
	case vDial:
		err = n.dial(q.Names[0])
	case vStep:
		p.N, err = n.step()
	case vCloseEPs:
		err = n.closeEndpoints()
		p.Comps = n.poll()
	case vCheck:
		n.buffers()
	case vClose:
		err = n.close()
	}
	p.Err = toWire(err)
	p.Trouble, n.trouble = n.trouble, nil
	return p
}

func (n *node) cancel(id, ep int) error {
	rec := n.ops[id]
	if rec == nil {
		return fmt.Errorf("no operation %d", id)
	}
	if rec.call.SRX {
		return n.srx.Cancel(rec)
	}
	return n.eps[ep].Cancel(rec)
}

// alias opens an alias; a receive flag makes it one for receives.
func (n *node) alias(q *request) error {
	var tx, rx *fi.OpFlags
	if q.N == 0 {
		tx = &q.Flags
	} else {
		rx = &q.Flags
	}
	v, err := n.eps[q.EP].Alias(tx, rx)
	if err == nil {
		n.view = append(n.view, v)
	}
	return err
}

// counts are the values and then the errors of all counters.
func (n *node) counts() []uint64 {
	out := make([]uint64, 2*numCounters)
	for i, c := range n.cnt {
		if c != nil {
			out[i], out[numCounters+i] = c.Read(), c.ReadErr()
		}
	}
	return out
}

// programs are what a side does by itself, at full speed, while the case waits. They get and give bytes.
var programs = map[string]func(n *node, arg []byte) ([]byte, error){}

// program registers one.
func program(name string, f func(n *node, arg []byte) ([]byte, error)) struct{} {
	programs[name] = f
	return struct{}{}
}
