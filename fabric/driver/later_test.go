package driver

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// step is a task that notes its number.
type step struct {
	n    int
	list *[]int
	then func()
	ran  *atomic.Int32
}

func (s *step) Run() {
	if s.list != nil {
		*s.list = append(*s.list, s.n)
	}
	if s.then != nil {
		s.then()
	}
	if s.ran != nil {
		s.ran.Add(1)
	}
}

func domain(progress fi.Progress) *fi.DomainAttr {
	return &fi.DomainAttr{Threading: fi.ThreadSafe, Progress: progress}
}

// engines are those of domains with and without a source.
func engines(progress fi.Progress) map[string]*Engine {
	return map[string]*Engine{
		"source":    NewEngine(domain(progress), quiet{make(chan struct{}, 1)}, nil),
		"no source": NewEngineLock(new(Lock), domain(progress), nil),
	}
}

// eventually waits for a number of tasks to have run.
func eventually(t *testing.T, ran *atomic.Int32, n int32) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ran.Load() < n; {
		if time.Now().After(end) {
			t.Fatalf("%d tasks have run, want %d", ran.Load(), n)
		}
		time.Sleep(100 * time.Microsecond) // sleep: nobody polls, and nothing tells
	}
}

// TestLaterUnattended runs tasks though nobody polls, and those that they lead to.
func TestLaterUnattended(t *testing.T) {
	for name, e := range engines(fi.ProgressAuto) {
		t.Run(name, func(t *testing.T) {
			defer e.Close()
			var list []int
			var ran atomic.Int32
			for range 2 { // the second time the source is armed
				list = nil
				ran.Store(0)
				e.LockOther()
				e.Later(&step{1, &list, func() { e.Later(&step{3, &list, nil, &ran}) }, &ran})
				e.Later(&step{2, &list, nil, &ran})
				if ran.Load() != 0 {
					t.Error("a task ran inside Later")
				}
				e.UnlockOther()
				eventually(t, &ran, 3)
				e.Lock()
				if !slices.Equal(list, []int{1, 2, 3}) {
					t.Errorf("the tasks ran in the order %v", list)
				}
				e.Unlock()
			}
		})
	}
}

// TestLaterManual runs tasks in the next poll, and no earlier.
func TestLaterManual(t *testing.T) {
	for name, e := range engines(fi.ProgressManual) {
		t.Run(name, func(t *testing.T) {
			defer e.Close()
			var ran atomic.Int32
			e.Polled()
			for n := range int32(3) {
				e.Lock()
				e.Later(&step{ran: &ran})
				e.Unlock()
				if ran.Load() != n {
					t.Errorf("%d tasks have run before a poll, want %d", ran.Load(), n)
				}
				e.Polled()
				if ran.Load() != n+1 {
					t.Errorf("%d tasks have run in the next poll, want %d", ran.Load(), n+1)
				}
			}
		})
	}
}

// leading is a source whose polls lead to tasks, and to no more than the application may wait for.
type leading struct {
	quiet
	poll func()
}

func (l *leading) Poll() { l.poll() }

// TestDrive runs what a poll leads to, and what that leads to, in the same poll; what is too much for one comes with the
// next ones, and a poll of the provider's own runs nothing.
func TestDrive(t *testing.T) {
	src := &leading{quiet: quiet{make(chan struct{}, 1)}, poll: func() {}}
	e := NewEngine(domain(fi.ProgressManual), src, nil)
	defer e.Close()
	var ran atomic.Int32
	drive := func(poll func()) {
		e.Polled()
		e.Lock()
		src.poll = poll
		e.Drive()
		src.poll = func() {}
		e.Unlock()
	}
	drive(func() {
		e.Later(&step{ran: &ran, then: func() { e.Later(&step{ran: &ran}) }})
		if ran.Load() != 0 {
			t.Error("a task ran inside the poll that led to it")
		}
	})
	if ran.Load() != 2 || atomic.LoadUint32(&e.polled) == 0 {
		t.Errorf("%d tasks have run in the poll that led to them, want 2, and nobody to be called", ran.Load())
	}
	ran.Store(0)
	drive(func() {
		for range 2*tasksMost + 1 {
			e.Later(&step{ran: &ran})
		}
	})
	if ran.Load() != tasksMost {
		t.Errorf("%d tasks have run in one poll, want %d", ran.Load(), tasksMost)
	}
	e.Polled()
	e.Polled()
	if ran.Load() != 2*tasksMost+1 {
		t.Errorf("%d tasks have run after two more polls, want %d", ran.Load(), 2*tasksMost+1)
	}
	ran.Store(0)
	e.Lock()
	src.poll = func() { e.Later(&step{ran: &ran}) }
	e.Poll()
	src.poll = func() {}
	e.Unlock()
	if ran.Load() != 0 {
		t.Error("a poll of the provider's own has run a task")
	}
	e.Polled()
	if ran.Load() != 1 {
		t.Error("the next poll of the application has not run it")
	}
}

// TestLaterClose runs what is left.
func TestLaterClose(t *testing.T) {
	for name, e := range engines(fi.ProgressManual) {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int32
			e.Lock()
			for range tasksMost + 1 {
				e.Later(&step{ran: &ran})
			}
			e.Unlock()
			e.Close()
			if ran.Load() != tasksMost+1 {
				t.Errorf("%d tasks have run, want %d", ran.Load(), tasksMost+1)
			}
		})
	}
}

// rung is a Bell.
type rung chan struct{}

func (r rung) Ring() {
	select {
	case r <- struct{}{}:
	default:
	}
}

// TestLaterParked has a reader that is blocked run tasks with manual progress, and not block while there are some.
func TestLaterParked(t *testing.T) {
	for name, e := range engines(fi.ProgressManual) {
		t.Run(name, func(t *testing.T) {
			defer e.Close()
			var ran atomic.Int32
			bell := make(rung, 1)
			e.Lock()
			if e.Park(bell) {
				t.Error("there is no work, but the reader may not block")
			}
			e.Later(&step{ran: &ran})
			e.Unlock()
			select {
			case <-bell:
			case <-time.After(30 * time.Second):
				t.Fatal("the reader was not rung")
			}
			e.Lock()
			if !e.Park(bell) || ran.Load() != 1 {
				t.Errorf("%d tasks have run, and the reader that ran them does not look again", ran.Load())
			}
			e.Unlock()
			e.Unpark(bell)
		})
	}
}

// choosy is an endpoint with room for a number of operations.
type choosy struct {
	room int
	got  []uint64
	fail fi.Errno
}

func (c *choosy) Issue(w *Work) error {
	switch {
	case c.fail != 0:
		return c.fail
	case c.room == 0 && !w.Kind.Receives():
		return fi.ErrAgain
	case !w.Kind.Receives():
		c.room--
	}
	c.got = append(c.got, w.Tag)
	return nil
}

// told is a Notified.
type told struct{ err fi.Errno }

func (n *told) Done(c cq.ErrEntry) { n.err = c.Err }

// TestIssueRefused issues what was refused at later polls, in order; other endpoints and receives do not wait behind it.
func TestIssueRefused(t *testing.T) {
	for _, progress := range []fi.Progress{fi.ProgressAuto, fi.ProgressManual} {
		for name, e := range engines(progress) {
			t.Run(progress.String()+" "+name, func(t *testing.T) {
				defer e.Close()
				a, b := &choosy{room: 1}, &choosy{room: 1}
				e.Lock()
				for tag := range uint64(4) {
					e.Issue(a, &Work{Kind: WorkTSend, Tag: tag})
				}
				e.Issue(a, &Work{Kind: WorkTRecv, Tag: 9})
				e.Issue(b, &Work{Kind: WorkTSend, Tag: 8})
				check := func(have []uint64, want ...uint64) {
					if !slices.Equal(have, want) {
						t.Errorf("the endpoint has %v, want %v", have, want)
					}
				}
				check(a.got, 0, 9)
				check(b.got, 8)
				a.room = 2
				e.Issue(a, &Work{Kind: WorkTSend, Tag: 4}) // there is room, but not for this one
				check(a.got, 0, 9)
				e.Unlock()
				wait := func(n int) {
					for end := time.Now().Add(30 * time.Second); ; {
						if progress == fi.ProgressManual {
							e.Polled()
						}
						e.Lock()
						have := len(a.got)
						e.Unlock()
						if have >= n || time.Now().After(end) {
							break
						}
						time.Sleep(100 * time.Microsecond) // sleep: nobody polls, and nothing tells
					}
				}
				wait(4)
				e.Lock()
				check(a.got, 0, 9, 1, 2)
				n := &told{}
				a.fail = fi.ErrBadFD
				e.Issue(a, &Work{Kind: WorkTSend, Tag: 5, Context: n, Flags: OpNotify})
				a.fail, a.room = 0, 10
				e.Unlock()
				wait(7)
				e.Lock()
				check(a.got, 0, 9, 1, 2, 3, 4, 5)
				a.fail = fi.ErrShutdown
				e.Issue(a, &Work{Kind: WorkTSend, Tag: 6, Context: n, Flags: OpNotify})
				if n.err != fi.ErrShutdown {
					t.Errorf("an operation that was refused for good ended with %v, want %v", n.err, fi.ErrShutdown)
				}
				e.Unlock()
			})
		}
	}
}

// TestLaterAllocatesNothing leads polls aside again and again.
func TestLaterAllocatesNothing(t *testing.T) {
	e := NewEngine(domain(fi.ProgressManual), quiet{make(chan struct{}, 1)}, nil)
	defer e.Close()
	s := &step{}
	if n := testing.AllocsPerRun(1000, func() {
		e.Lock()
		e.Later(s)
		e.Unlock()
		e.Polled()
	}); n != 0 {
		t.Errorf("a task: %v allocations", n)
	}
}

// TestRequest has other goroutines ask, with automatic progress while nobody polls, with manual progress for the next poll.
func TestRequest(t *testing.T) {
	for _, progress := range []fi.Progress{fi.ProgressAuto, fi.ProgressManual} {
		for name, e := range engines(progress) {
			t.Run(progress.String()+" "+name, func(t *testing.T) {
				defer e.Close()
				var ran atomic.Int32
				const askers, each = 4, 500
				done := make(chan struct{})
				for range askers {
					go func() {
						for range each {
							e.Request(&step{ran: &ran})
						}
						done <- struct{}{}
					}()
				}
				for over := 0; over < askers; {
					if progress == fi.ProgressManual {
						e.Polled()
					}
					select {
					case <-done:
						over++
					default:
					}
				}
				for range askers * each / tasksMost * 2 { // what is left when nobody asks any more; a poll runs so many
					if progress == fi.ProgressManual {
						e.Polled()
					}
				}
				eventually(t, &ran, askers*each)
				bell := make(rung, 1)
				e.Lock()
				busy := e.Park(bell)
				e.Unlock()
				if busy {
					t.Error("there is no work, but the reader may not block")
				}
				ran.Store(0)
				e.Request(&step{ran: &ran})
				if progress == fi.ProgressManual { // who is blocked is rung, and runs it
					<-bell
					e.Lock()
					e.Park(bell)
					e.Unlock()
				}
				eventually(t, &ran, 1)
				e.Unpark(bell)
			})
		}
	}
}

// full is an endpoint without room.
type full struct{ Issuer }

func (full) Issue(*Work) error { return fi.ErrAgain }

// stopped is an endpoint one of whose peers takes nothing.
type stopped struct {
	Issuer
	peer fi.Addr
	sent []uint64 // tags
}

func (s *stopped) Issue(w *Work) error {
	if w.Addr == s.peer {
		return fi.ErrAgain
	}
	s.sent = append(s.sent, w.Tag)
	return nil
}

// TestIssueBesideStopped: a peer without room holds up what is for itself.
func TestIssueBesideStopped(t *testing.T) {
	e := NewEngineLock(new(Lock), domain(fi.ProgressManual), nil)
	defer e.Close()
	e.Lock()
	defer e.Unlock()
	to := &stopped{peer: 7}
	for i, peer := range []fi.Addr{1, 7, 7, 2, 1} {
		e.Issue(to, &Work{Kind: WorkTSend, Addr: peer, Tag: uint64(i), Context: new(ending), Flags: OpNotify})
	}
	if want := []uint64{0, 3, 4}; !slices.Equal(to.sent, want) {
		t.Errorf("sent were %v, want %v", to.sent, want)
	}
	for peer := range fi.Addr(3 * retriesMost) { // many have no room; one of the last gets it
		e.Issue(full{}, &Work{Kind: WorkTSend, Addr: peer, Context: new(ending), Flags: OpNotify})
	}
	to.peer = fi.AddrUnspec
	for range 4 {
		e.settle()
	}
	if want := []uint64{0, 3, 4, 1, 2}; !slices.Equal(to.sent, want) {
		t.Errorf("sent were %v, want %v", to.sent, want)
	}
}

// ending notes how an operation ended.
type ending struct{ got []cq.ErrEntry }

func (x *ending) Done(c cq.ErrEntry) { x.got = append(x.got, c) }

// TestWithdraw takes back what waits for room, and nothing else.
func TestWithdraw(t *testing.T) {
	e := NewEngineLock(new(Lock), domain(fi.ProgressManual), nil)
	defer e.Close()
	e.Lock()
	defer e.Unlock()
	var all [3]ending
	for i := range all {
		e.Issue(full{}, &Work{Kind: WorkTSend, Tag: uint64(i), Context: &all[i], Flags: OpNotify})
	}
	if !e.Withdraw(&all[1], "no longer wanted") || e.Withdraw(&all[1], "") {
		t.Error("withdrawing one: want that it was there, and then is not")
	}
	for i := range all {
		if n := len(all[i].got); n > 1 || (n == 1) != (i == 1) {
			t.Errorf("%d ended %d times", i, n)
		}
	}
	if c := all[1].got[0]; c.Err != fi.ErrCanceled || c.Text != "no longer wanted" || c.Tag != 1 || c.Flags != fi.CompSend|fi.CompTagged {
		t.Errorf("it ended with %v", &c)
	}
	for _, i := range []int{2, 0} {
		if !e.Withdraw(&all[i], "") {
			t.Errorf("%d is not there", i)
		}
	}
	if e.Settle(); len(e.later.refused) > 0 {
		t.Error("something is left")
	}
}
