package fabric

import (
	"errors"
	"fmt"
	"strconv"

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
	return &fi.Error{Op: "ep", Provider: c.prov, Object: c.address(), Err: n, Hint: c.advice(n)}
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
	closed, enabled, m, i := c.closed, c.enabled, c.b.Max, c.b.Inject
	c.mu.Unlock()
	caps, tx, rx := c.info.Caps, &c.info.Tx, &c.info.Rx
	switch n {
	case fi.ErrOpBadState:
		if !enabled {
			return "the endpoint is not enabled: call Enable, after BindCQ and BindAV"
		}
	case fi.ErrBadFD:
		if closed {
			return closedHint("ep")
		}
	case fi.ErrAgain:
		return "too much is under way to accept more, or nothing has come: read the completion queues, which also drives " +
			"the domain, and call again"
	case fi.ErrNoSys:
		return "the endpoint has not this group of operations: it has " + (caps & fi.PrimaryCaps).String() +
			"; ask for more in the caps of the hints to GetInfo"
	case fi.ErrOpNotSupp:
		return "this form, type or operation is not served here: receives of an endpoint with a shared context are posted " +
			"on the context; for atomics ask Domain.QueryAtomic"
	case fi.ErrMsgSize:
		return "too long: at most " + size(m.Msg) + " for messages, " + size(m.Tagged) + " for tagged ones, " + size(m.RMA) +
			" for remote accesses, " + size(m.Atomic) + " for atomics; to be injected " + size(i.Msg) + ", " + size(i.Tagged) + ", " +
			size(i.RMA) + ", " + size(i.Atomic) + ": split the data, or send instead of inject"
	case fi.ErrBadFlags:
		return "flags that this call does not have: see its documentation"
	case fi.ErrNoMsg:
		return "no message was claimed with this context: peek with fi.OpPeek|fi.OpClaim first"
	case fi.ErrNotConn:
		return "there is no connection: call Connect or Accept, and wait for FI_CONNECTED in the event queue"
	case fi.ErrShutdown:
		return "the connection has ended: a new one needs a new endpoint"
	case fi.ErrInvalid:
		if c.conn != nil {
			return fmt.Sprintf("more buffers than tx iov_limit %d, rx iov_limit %d, rma_iov_limit %d; or sides of a remote access "+
				"that differ in length", tx.IovLimit, rx.IovLimit, tx.RMAIovLimit)
		}
		if c.av != nil && c.av.v.Len() == 0 {
			return "the address vector is empty: call AV.Insert with the peer's Name before the first operation, and use the " +
				"address that it gives"
		}
		return fmt.Sprintf("no such peer in the address vector: call AV.Insert with the peer's Name first; or more buffers than "+
			"tx iov_limit %d, rx iov_limit %d, rma_iov_limit %d; or sides of a remote access that differ in length",
			tx.IovLimit, rx.IovLimit, tx.RMAIovLimit)
	}
	return n.Error()
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
