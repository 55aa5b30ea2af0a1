package fabric

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// Explain turns the bare error of a data call (Send, Write, Recv, ...) into one that says what is wrong with the call or
// the endpoint, and which call mends it. Data calls return bare numbers because they are made millions of times a second;
// this one is for when the program gives up:
//
//	if err := ep.Send(buf, peer, &buf); err != nil {
//		log.Fatal(ep.Explain(err))
//	}
//
// A number of a collective or triggered call, which has causes of its own, is to be explained at once: the text begins with
// the call that it is about, the last one that was refused.
//
// errors.Is still sees the number. Errors that explain themselves, and nil, come back as they are. Why an operation that
// was accepted has failed stands in its cq.ErrEntry. There is no C call for it (fi_strerror explains the number only).
func (ep *Endpoint) Explain(err error) error {
	if err == nil {
		return nil
	}
	n, bare := err.(fi.Errno) //nolint:errorlint // anything else explains itself
	if !bare {
		return err
	}
	c := ep.core
	return &fi.Error{Op: "ep", Provider: c.prov, Object: c.address(), Err: n, Hint: cmp.Or(c.takeRefusal(n), c.advice(n))}
}

// size is a limit in bytes, for readers.
func size(n uint64) string {
	if n >= 1<<40 {
		return "any size"
	}
	return strconv.FormatUint(n, 10) + " bytes"
}

// advice says what a number means for a data call on this endpoint.
func (c *epCore) advice(n fi.Errno) string {
	c.mu.Lock()
	closed, enabled := c.closed, c.enabled
	c.mu.Unlock()
	switch {
	case n == fi.ErrOpBadState && !enabled:
		return "the endpoint is not enabled: call Enable, after BindCQ and BindAV"
	case n == fi.ErrBadFD && closed:
		return closedHint("ep")
	}
	return c.meaning(n)
}

// meaning is advice for an endpoint that is enabled, also with the domain's lock held.
func (c *epCore) meaning(n fi.Errno) string {
	caps := c.info.Caps
	switch n {
	case fi.ErrAgain:
		return "too much is under way to accept more, or nothing has come: read the completion queues, which also drives " +
			"the domain, and call again"
	case fi.ErrNoSys:
		return "the endpoint has not this group of operations: it has " + (caps & fi.PrimaryCaps).String() +
			"; ask for more in the caps of the hints to GetInfo"
	case fi.ErrOpNotSupp:
		text := "this form, type or operation is not served here: receives of an endpoint with a shared context are posted " +
			"on the context"
		if caps&fi.CapAtomic != 0 {
			text += "; for atomics ask Domain.QueryAtomic"
		}
		return text
	case fi.ErrMsgSize:
		return "too long: " + c.mostBytes() + ": split the data, or send instead of inject"
	case fi.ErrBadFlags:
		text := "flags that this call does not have: see its documentation"
		if c.domain.keyer != nil {
			text += "; no receive is for all peers of a key (FI_AUTH_KEY): name one peer, or open an endpoint whose vector has that key alone"
		}
		return text
	case fi.ErrNoMsg:
		return "no message was claimed with this context: peek with fi.OpPeek|fi.OpClaim first"
	case fi.ErrNotConn:
		return "there is no connection: call Connect or Accept, and wait for FI_CONNECTED in the event queue"
	case fi.ErrShutdown:
		return "the connection has ended: a new one needs a new endpoint"
	case fi.ErrInvalid:
		switch {
		case c.conn != nil:
			return c.wrongShapes()
		case c.av != nil && c.av.v.Len() == 0:
			return "the address vector is empty: call AV.Insert with the peer's Name before the first operation, and use the " +
				"address that it gives"
		}
		return "no such peer in the address vector: call AV.Insert with the peer's Name first; or " + c.wrongShapes()
	}
	return n.Error()
}

// mostBytes lists the limits of the groups of operations that the endpoint has.
func (c *epCore) mostBytes() string {
	var most, inject []string
	m, i := &c.b.Max, &c.b.Inject
	for _, g := range [...]struct {
		caps         fi.Caps
		what         string
		most, inject uint64
	}{
		{fi.CapMsg, "messages", m.Msg, i.Msg}, {fi.CapTagged, "tagged messages", m.Tagged, i.Tagged},
		{fi.CapRMA, "remote accesses", m.RMA, i.RMA}, {fi.CapAtomic, "atomics", m.Atomic, i.Atomic},
	} {
		if c.info.Caps&g.caps != 0 {
			most, inject = append(most, size(g.most)+" for "+g.what), append(inject, size(g.inject)+" for "+g.what)
		}
	}
	return "at most " + strings.Join(most, ", ") + "; to be injected at most " + strings.Join(inject, ", ")
}

// wrongShapes lists what else than the peer is invalid in calls of the groups that the endpoint has.
func (c *epCore) wrongShapes() string {
	caps, tx, rx := c.info.Caps, &c.info.Tx, &c.info.Rx
	text := fmt.Sprintf("more buffers than tx iov_limit %d, rx iov_limit %d", tx.IovLimit, rx.IovLimit)
	if caps&(fi.CapRMA|fi.CapAtomic) != 0 {
		text += fmt.Sprintf(", rma_iov_limit %d; or sides of a remote access that differ in length", tx.RMAIovLimit)
	}
	if caps&fi.CapAtomic != 0 {
		text += "; or operands of an atomic that are no whole elements"
	}
	if caps&fi.CapCollective != 0 {
		text += "; or a tag with the highest bit, which belongs to collectives"
	}
	return text
}

// Explain is [Endpoint.Explain] for data calls on the context.
func (s *SharedRx) Explain(err error) error {
	n, bare := err.(fi.Errno) //nolint:errorlint // anything else explains itself
	if !bare {
		return err
	}
	hint := map[fi.Errno]string{
		fi.ErrInvalid:   "no such peer, or an address given for a receive that is not directed: give fi.AddrUnspec",
		fi.ErrOpNotSupp: "peeks have no queue to report to: post them on an endpoint of its own",
		fi.ErrBadFlags:  "flags that this call does not have: see its documentation",
	}[n]
	return &fi.Error{Op: "srx", Provider: s.prov, Err: n, Hint: hint}
}

// Explain gives the words for what Read and SRead return: for fi.ErrAvail the event in error itself, which it takes from
// the queue as ReadErr does: a *fi.EQErrEntry. Other errors come back as they are.
func (q *EQ) Explain(err error) error {
	if !errors.Is(err, fi.ErrAvail) {
		return err
	}
	e := new(fi.EQErrEntry)
	if again := q.ReadErr(e); again != nil {
		return err
	}
	return e
}

// Explain gives the words for what Read and SRead return: for fi.ErrAvail the error completion itself, which it takes
// from the queue as ReadErr does: a *cq.ErrEntry with context, cause and advice. Other errors come back as they are.
func (q *CQ) Explain(err error) error {
	if !errors.Is(err, fi.ErrAvail) {
		return err
	}
	e := new(cq.ErrEntry)
	if again := q.ReadErr(e); again != nil {
		return err
	}
	return e
}
