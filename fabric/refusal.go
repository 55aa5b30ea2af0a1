package fabric

import (
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// refusal is why a collective or triggered call was refused. Their numbers stand for other causes than those of calls that
// move data, and it is known here which call it was; so the cause is kept for Explain.
type refusal struct {
	err fi.Errno
	why string
}

// refuse keeps the cause of a call that is refused, which is no fast path, and gives the number.
func (c *epCore) refuse(err fi.Errno, why string) error {
	if why != "" {
		c.refusal.Store(&refusal{err, why})
	}
	return err
}

// takeRefusal gives the cause of the last refused call if it had this number; each once.
func (c *epCore) takeRefusal(n fi.Errno) string {
	if r := c.refusal.Swap(nil); r != nil && r.err == n {
		return r.why
	}
	return ""
}

// myGroup is what is told of a group of collectives that the endpoint has joined.
type myGroup struct {
	members []fi.Addr
	self    int
}

// remember is told of a group that was joined; forget of one that was left.
func (c *epCore) remember(a fi.Addr, j *driver.Join) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.groups == nil {
		c.groups = make(map[fi.Addr]myGroup)
	}
	c.groups[a] = myGroup{slices.Clone(j.Members), j.Self}
}

func (c *epCore) forget(a fi.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.groups, a)
}

// refuseCollective keeps the cause of a collective call that the provider has refused.
func (c *epCore) refuseCollective(o fi.CollectiveOp, at, root fi.Addr, elem, in, out int, err error) error {
	n, bare := err.(fi.Errno) //nolint:errorlint // documented: a bare value
	if !bare || n == fi.ErrAgain {
		return err
	}
	c.mu.Lock()
	g, joined := c.groups[at]
	enabled := c.enabled
	c.mu.Unlock()
	why := ""
	switch {
	case n == fi.ErrNoSys:
		why = "the endpoint has no collectives: ask for FI_COLLECTIVE in the caps of the hints to GetInfo"
	case n == fi.ErrOpBadState && enabled:
		why = "the join has not completed: wait for FI_JOIN_COMPLETE in the event queue"
	case n == fi.ErrOpNotSupp:
		why = "the flags of the group's set leave this operation out: see fi.AVSetAttr"
	case n == fi.ErrMsgSize:
		why = fmt.Sprintf("too long: at most %s move in one call, see Domain.QueryCollective: split the data", size(c.info.EP.MaxMsgSize))
	case n != fi.ErrInvalid:
	case !joined:
		why = fmt.Sprintf("%d is no group of this endpoint: give MC.Addr of one that JoinCollective has made and that is not closed", at)
	default:
		why = g.misfit(o, root, elem, in, out)
	}
	if why != "" {
		why = o.String() + ": " + why
	}
	return c.refuse(n, why)
}

// refuseReduction keeps the cause of a reduction that there is not.
func (c *epCore) refuseReduction(o fi.CollectiveOp, dt fi.Datatype, op fi.AtomicOp, err error) error {
	n, bare := err.(fi.Errno) //nolint:errorlint // documented: a bare value
	if !bare {
		return err
	}
	return c.refuse(n, fmt.Sprintf("%v: %v of %v is no reduction: Domain.QueryCollective tells which there are", o, op, dt))
}

// misfit tells what of a call does not fit the group.
func (g *myGroup) misfit(o fi.CollectiveOp, root fi.Addr, size, in, out int) string {
	r := slices.Index(g.members, root)
	n, mine := len(g.members), r == g.self
	switch o {
	case fi.CollBroadcast, fi.CollReduce, fi.CollScatter, fi.CollGather:
		if r < 0 {
			return fmt.Sprintf("root %d is no member of the group: give the address that the member has in the vector", root)
		}
	}
	if size < 1 {
		return "the type has no elements: give another one"
	}
	rule := "" // what lengths must be, of those that count here
	switch o {
	case fi.CollBroadcast:
		out = in
	case fi.CollReduce:
		if rule = "result must be as long as buf"; !mine {
			out = in
		}
	case fi.CollAllreduce:
		rule = "result must be as long as buf"
	case fi.CollAlltoall:
		rule = fmt.Sprintf("buf and result must be equally long, with a block for each of the %d members", n)
	case fi.CollGather:
		if rule = fmt.Sprintf("result must be %d times as long as buf, for so many members", n); !mine {
			out = in
		}
	case fi.CollAllgather:
		rule = fmt.Sprintf("result must be %d times as long as buf, for so many members", n)
	case fi.CollScatter:
		if rule = fmt.Sprintf("buf must be %d times as long as result, for so many members", n); !mine {
			in = out
		}
	case fi.CollReduceScatter:
		rule = fmt.Sprintf("buf must be %d times as long as result, for so many members", n)
	}
	for _, b := range [...]struct {
		name string
		len  int
	}{{"buf", in}, {"result", out}} {
		switch {
		case b.len == 0:
			return b.name + " is empty: give one element or more"
		case b.len%size != 0:
			return fmt.Sprintf("the %d bytes of %s are no whole elements, of %d bytes each", b.len, b.name, size)
		}
	}
	return fmt.Sprintf("buf has %d bytes and result %d: %s", in, out, rule)
}

// refuseTrigger keeps the cause of a triggered call that is refused.
func (c *epCore) refuseTrigger(err fi.Errno) error {
	why := map[fi.Errno]string{
		fi.ErrNoSys: "fi.OpTrigger needs FI_TRIGGER and the operation's own group: ask for both in the caps of the hints to GetInfo",
		fi.ErrInvalid: "fi.OpTrigger: the context must be a *fabric.TriggeredContext whose Counter is of the endpoint's domain: " +
			"give one, with the counter to wait for",
		fi.ErrBadFlags:  "fi.OpTrigger goes with the flags that the call has without it, not with fi.OpPeek, fi.OpClaim and fi.OpDiscard",
		fi.ErrOpNotSupp: "fi.OpTrigger: receives of an endpoint with a shared context are not triggered: post them on the context",
	}[err]
	return c.refuse(err, why)
}
