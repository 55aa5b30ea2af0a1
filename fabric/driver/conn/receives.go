package conn

import (
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/match"
)

// CancelReceives completes the receives that are posted at an endpoint whose connection has ended with fi.ErrCanceled.
// Messages that have arrived stay for receives to come, those of a shared context stay posted. A provider calls it when
// the connection ends, and again after each receive that is posted later: one that finds a message completes with it, one
// that finds none ends here. With the lock.
func CancelReceives(e *rdm.Endpoint) {
	x, own := e.Receiver().(*rdm.Rx)
	if !own {
		return
	}
	cancel(e, &x.Msg, rdm.KindRecv)
	cancel(e, &x.Tag, rdm.KindTRecv)
}

func cancel(e *rdm.Endpoint, q *match.Queue, kind fi.CompFlags) {
	if q.Posted() == 0 {
		return
	}
	q.Drain(func(r *match.Recv) {
		kind, ctx, tag, multi := kind, r.Ctx, r.Tag(), r.Multi()
		released := q.Done(r)
		if multi && !released { // the last transfer into it gives it back
			return
		}
		if multi {
			kind |= fi.CompMultiRecv
		}
		if c := e.CntRecv; c != nil {
			c.Fail()
		}
		if e.RxCQ != nil {
			e.RxCQ.AddErr(cq.ErrEntry{Entry: cq.Entry{Context: ctx, Flags: kind, Tag: tag, Src: fi.AddrNotAvail},
				Err: fi.ErrCanceled, Text: "the connection has ended"})
		}
	})
}
