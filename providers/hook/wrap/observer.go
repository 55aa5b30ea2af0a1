package wrap

import (
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
)

// Observer is told what passes; see the package's remarks about locks. Embed [Nothing], and keep compiling when there
// is more to tell.
type Observer interface {
	// SetLog gives the log of a fabric that is opened; it may be nil.
	SetLog(log *driver.Log)

	// Calling is called before a call that is no operation, Called after it with its result and how long it took. c is
	// the same in both, and the observer's afterwards.
	Calling(c *Call)
	Called(c *Call)

	// Posting is called before an operation is handed on, Posted after it with what it returned. One that was not
	// accepted, or that does not complete (see Op.Completes), ends with Posted.
	Posting(o *Op)
	Posted(o *Op, err error)

	// Completed is called when a completion was written: before the application can see it, with the domain's lock, and
	// maybe before Posted. Of a multi-receive there are several; the last one has fi.CompMultiRecv. o is nil for what a
	// peer did by itself and for peeks. c is valid during the call.
	Completed(o *Op, c *Completion)
}

// Completion is a completion that was written.
type Completion struct {
	EP    string       // the endpoint that completes
	Entry *cq.ErrEntry // only what is in error has more than an Entry; Op.Context says whose it is
	IsErr bool
	Queue *cq.Queue // where it goes next; nil when the application does not get it
}

// Call is a call that is no operation.
type Call struct {
	API    API
	Object string // what it is about: "ep 3", "fabric 1"
	Parent string // what an object is opened in: "domain 1"
	Target any    // what it is given: *mr.Region of regions, *driver.Bindings of Enable, *driver.ConnReq of Reject
	Args   []Arg
	Start  time.Time
	Took   time.Duration // when it has returned
	Result string        // what it gave, in words; empty for nothing
	Name   []byte        // of Enable: the endpoint's address
	Err    error
}

// Arg is an argument of a call.
type Arg struct {
	Name  string
	Value any
}

// Nothing is an Observer that does nothing.
type Nothing struct{}

// SetLog does nothing.
func (Nothing) SetLog(*driver.Log) {}

// Calling does nothing.
func (Nothing) Calling(*Call) {}

// Called does nothing.
func (Nothing) Called(*Call) {}

// Posting does nothing.
func (Nothing) Posting(*Op) {}

// Posted does nothing.
func (Nothing) Posted(*Op, error) {}

// Completed does nothing.
func (Nothing) Completed(*Op, *Completion) {}

// call makes a call with the observer told before and after it. f gives the result in words.
func (p *Provider) call(c *Call, f func() (string, error)) error {
	c.Start = time.Now()
	p.obs.Calling(c)
	c.Result, c.Err = f()
	c.Took = time.Since(c.Start)
	p.obs.Called(c)
	return c.Err
}
