package conformance

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// regOpts say how memory is registered. They go to the second process.
type regOpts struct {
	N      int
	Split  []int // several buffers
	Seed   uint64
	Access fi.Access
	Key    uint64
	Flags  fi.MRFlags
	SubOf  int // a sub-region of that region
	Off    int
	Events bool // bind counters
	Like   int  // bind those of that region instead

	AuthKey string   // of the peers that it is for
	For     *fi.Addr // the key or the peer that it is for, where keys are the vector's; nil: all of those
}

// regionRec is a region in the process that registered it.
type regionRec struct {
	whole   []byte
	buf     []byte
	mr      *fabric.MR
	written *fabric.Counter
	read    *fabric.Counter
}

const remoteRights = fi.AccessRemoteRead | fi.AccessRemoteWrite

// reg registers memory and gives its number and name.
func (n *node) reg(o *regOpts) (int, mr.Remote, error) {
	r := &regionRec{}
	access := o.Access
	if access == 0 {
		access = remoteRights
	}
	attr := &fi.MRAttr{Key: o.Key, Flags: o.Flags, Access: access, AuthKey: []byte(o.AuthKey)}
	var err error
	if base := n.regions[o.SubOf]; base != nil {
		r.buf = base.buf[o.Off : o.Off+o.N]
		r.mr, err = base.mr.Sub(uint64(o.Off), o.N, attr)
	} else {
		r.whole, r.buf = n.alloc(o.N, true)
		fill(r.buf, o.Seed, 0)
		who := fi.AddrUnspec
		if o.For != nil {
			who = *o.For
		}
		r.mr, err = n.registerMR(split(r.buf, o.Split), attr, who) // parts lie apart, in another order than in the region
	}
	if err != nil {
		return 0, mr.Remote{}, err
	}
	var errs []error
	if like := n.regions[o.Like]; like != nil {
		r.written, r.read = like.written, like.read
	} else if o.Events {
		for _, c := range []**fabric.Counter{&r.written, &r.read} {
			*c, err = n.dom.OpenCounter(&fi.CounterAttr{WaitObj: n.opts.Set.Wait})
			if err != nil {
				return 0, mr.Remote{}, err
			}
			n.later((*c).Close)
		}
	}
	if r.written != nil {
		errs = append(errs, r.mr.BindCounter(r.written, fi.CountRemoteWrite), r.mr.BindCounter(r.read, fi.CountRemoteRead))
	}
	mode := n.info.Domain.MRMode
	if mode&fi.MRModeEndpoint != 0 {
		errs = append(errs, r.mr.BindEndpoint(n.eps[0]))
	}
	if mode&fi.MRModeEndpoint != 0 || mode&fi.MRModeRMAEvent != 0 && o.Flags&fi.MRRMAEvent != 0 {
		errs = append(errs, r.mr.Enable())
	}
	n.nextReg++
	n.regions[n.nextReg] = r
	return n.nextReg, r.mr.Remote(), errors.Join(errs...)
}

// unreg closes a region; its memory can still be looked at.
func (n *node) unreg(id int) error {
	r := n.regions[id]
	if r == nil || r.mr == nil {
		return fmt.Errorf("no region %d", id)
	}
	err := r.mr.Close()
	if err == nil {
		r.mr = nil
	}
	return err
}

// eventCounts are the counters bound to a region.
func (n *node) eventCounts(id int) (written, read uint64) {
	r := n.regions[id]
	return r.written.Read(), r.read.Read()
}

// peek and poke read and write memory that peers access. The race detector does not look: a case does this while it
// waits for something to change there, or because a peer's completion has told it to, of which the detector here knows
// nothing. That a correct program is clean is tested by messages.
//
//go:norace
func peek(mem []byte) []byte {
	out := make([]byte, len(mem))
	for i := range mem {
		out[i] = mem[i]
	}
	return out
}

//go:norace
func poke(mem, b []byte) {
	for i := range b {
		mem[i] = b[i]
	}
}
