package wrap

import (
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// forward moves a completion of the inner provider on to the application's queue, if that is there and shall have it. It
// is called under the domain's lock, when the entry is written.
func (e *endpoint) forward(to *cq.Queue, c *cq.ErrEntry, isErr bool) {
	o, ours := c.Context.(*Op)
	if !ours {
		e.completed(nil, c, isErr, to)
		if to != nil {
			add(to, c, isErr)
		}
		return
	}
	recv := o.API.Receives()
	released := c.Flags&fi.CompMultiRecv != 0
	wanted := isErr || o.Flags&fi.OpCompletion != 0 || released
	if recv {
		shared := o.home != &e.pending // posted without knowing what the endpoint reports
		wanted = wanted || shared && !e.rxSelective
		if c.Err == fi.ErrAddrNotAvail && isErr { // a message that was received, of an unknown sender
			wanted = o.Flags&fi.OpCompletion != 0 || released || shared && !e.rxSelective
		}
	}
	c.Context = o.given
	if !wanted {
		to = nil
	}
	e.completed(o, c, isErr, to)
	switch {
	case to == nil:
	case !o.reserved:
		add(to, c, isErr)
	case isErr:
		to.PutErr(*c)
	default:
		to.Put(c.Context, c.Flags, c.Len, c.Tag)
	}
	if !o.Multi() || released {
		o.home.ended(o)
	}
}

// completed tells the observer.
func (e *endpoint) completed(o *Op, c *cq.ErrEntry, isErr bool, to *cq.Queue) {
	e.told = Completion{EP: e.name, Entry: c, IsErr: isErr, Queue: to}
	e.p.obs.Completed(o, &e.told)
	e.told = Completion{}
}

// add writes an entry that has no place.
func add(to *cq.Queue, c *cq.ErrEntry, isErr bool) {
	if isErr {
		to.AddErr(*c)
		return
	}
	*to.Add() = c.Entry
	to.Publish()
}
