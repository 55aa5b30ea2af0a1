package fabric

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// object is the part that every fabric object has: its name for errors, its parent, its live children.
type object struct {
	kind   string // "domain", "cq", ... as in the C names
	prov   string
	parent *object
	log    *zlog.Sink // where the fabric tells its story

	mu       sync.Mutex
	children map[*object]struct{} // +checklocks:mu
	closed   bool                 // +checklocks:mu
}

func (o *object) init(kind, prov string, parent *object) {
	if parent != nil {
		parent.mu.Lock()
		defer parent.mu.Unlock()
	}
	o.initLocked(kind, prov, parent)
}

// initLocked is init for who has the parent's mutex.
func (o *object) initLocked(kind, prov string, parent *object) {
	o.kind, o.prov, o.parent = kind, prov, parent
	if parent == nil {
		return
	}
	o.log = parent.log
	if parent.children == nil {
		parent.children = make(map[*object]struct{})
	}
	parent.children[o] = struct{}{}
}

// hold makes user count as a child of o, too: an endpoint of the queues that it is bound to.
func (o *object) hold(user *object) {
	o.mu.Lock()
	if o.children == nil {
		o.children = make(map[*object]struct{})
	}
	o.children[user] = struct{}{}
	o.mu.Unlock()
}

func (o *object) drop(user *object) {
	o.mu.Lock()
	delete(o.children, user)
	o.mu.Unlock()
}

// beginClose marks the object closed. done is true when it was closed before; the error lists live children.
func (o *object) beginClose() (done bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true, nil
	}
	if len(o.children) > 0 {
		counts := map[string]int{}
		for c := range o.children {
			counts[c.kind]++
		}
		var list []string
		for _, k := range []string{"domain", "pep", "sep", "ep", "srx", "stx", "eq", "cq", "cntr", "av", "av_set", "mc", "mr"} {
			if n := counts[k]; n > 0 {
				list = append(list, fmt.Sprintf("%d %s", n, k))
			}
		}
		return false, &fi.Error{Op: o.kind + "_close", Provider: o.prov, Err: fi.ErrBusy,
			Hint: "close first what uses it: " + strings.Join(list, ", ")}
	}
	o.closed = true
	return false, nil
}

// reopen undoes beginClose: the provider refused.
func (o *object) reopen() {
	o.mu.Lock()
	o.closed = false
	o.mu.Unlock()
}

func (o *object) endClose() {
	if o.parent != nil {
		o.parent.drop(o)
	}
}

// open checks that the object may be used.
func (o *object) open(op string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return &fi.Error{Op: op, Provider: o.prov, Object: o.kind, Err: fi.ErrBadFD, Hint: closedHint(o.kind)}
	}
	return nil
}

func (o *object) fail(op string, err error, hint string) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*fi.Error); ok {
		if e.Provider == "" {
			e.Provider = o.prov
		}
		return e
	}
	if hint == "" {
		hint = advice(err)
	}
	return &fi.Error{Op: op, Provider: o.prov, Err: err, Hint: hint}
}

// closedHint is what a closed object says.
func closedHint(kind string) string {
	again := map[string]string{"fabric": "Open", "domain": "Fabric.OpenDomain", "ep": "Domain.OpenEndpoint",
		"sep": "Domain.OpenScalable", "srx": "Domain.OpenSharedRx", "stx": "Domain.OpenSharedTx", "cq": "Domain.OpenCQ", "cntr": "Domain.OpenCounter", "av": "Domain.OpenAV",
		"mr": "Domain.RegisterMR", "pep": "Fabric.OpenPassive", "av_set": "AV.OpenSet", "mc": "Endpoint.Join or Endpoint.JoinCollective", "eq": "Fabric.OpenEQ"}[kind]
	if again == "" {
		return kind + " is closed"
	}
	return kind + " is closed: make another one with " + again
}

// advice says what to do about an error of the system that came without a hint.
func advice(err error) string {
	switch {
	case errors.Is(err, fi.ErrMFile):
		return "too many open files: raise the limit (ulimit -n), or close endpoints"
	case errors.Is(err, fi.ErrNoMem):
		return "no memory: fi_info --doctor shows the limits of this machine"
	case errors.Is(err, fi.ErrAccess), errors.Is(err, fi.ErrPerm):
		return "the system does not allow it: fi_info --doctor shows what to change"
	case errors.Is(err, fi.ErrAddrInUse):
		return "choose another address with SetName, or none"
	case errors.Is(err, fi.ErrInvalid):
		return "an argument is out of its range: see the call's documentation"
	case errors.Is(err, fi.ErrNoSys), errors.Is(err, fi.ErrOpNotSupp):
		return "this provider does not serve it: fi_info -v shows what it has"
	}
	return ""
}
