package driver

import "github.com/gofabric/gofabric/fi"

// Events is where one passive endpoint, one connection or one membership in a group reports: its part of an event queue. Package fabric makes it; the
// provider gets it with Listen or with the [Bindings]. Its methods may be called with or without a domain's lock, from any
// goroutine, and never wait.
//
// Whatever a provider calls, the application sees of a connection one EventConnected or one error, and after an
// EventConnected one EventShutdown; what would come later or twice is dropped. An unread EventConnected stays before the
// EventShutdown.
type Events struct {
	q   *EQ
	fid any

	state    eventState // guarded by q.mu, as the next
	requests int        // unread
	asked    uint64     // requests ever
}

type eventState int

const (
	eventsOpen      eventState = iota
	eventsConnected            // EventConnected was reported
	eventsEnded                // an error or EventShutdown was
	eventsRetired              // the object is closed
)

// NewEvents makes the part of q that belongs to the object fid, a *fabric.Endpoint, *fabric.PassiveEndpoint or *fabric.MC.
func NewEvents(q *EQ, fid any) *Events { return &Events{q: q, fid: fid} }

// ConnReq reports a request: EventConnReq. False: the passive endpoint was closed meanwhile, and the provider must end
// the request.
func (s *Events) ConnReq(r *ConnReq) bool {
	q := s.q
	q.mu.Lock()
	ok := s.state != eventsRetired
	if ok {
		info := r.Info.Clone()
		info.Handle = r
		r.fid = s.fid
		s.requests++
		s.asked++
		q.add(event{src: s, req: r, entry: fi.EQEntry{Event: fi.EventConnReq, FID: s.fid, Info: info, CMData: r.Data}})
	}
	q.mu.Unlock()
	q.rung()
	return ok
}

// Waiting is the number of requests that the application has not read. A provider takes no more from the network while
// it is the backlog that Listen gave; ConnReq.Read tells when to look again.
func (s *Events) Waiting() int {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	return s.requests
}

// Requests is the number of requests that were reported ever.
func (s *Events) Requests() uint64 {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	return s.asked
}

// Of sets the object that the part belongs to, for an object that is made with it. Before anything is reported.
func (s *Events) Of(fid any) { s.fid = fid }

// Joined reports that a group is there: EventJoinComplete, with the context of the join.
func (s *Events) Joined(ctx any) {
	s.report(eventsConnected, event{entry: fi.EQEntry{Event: fi.EventJoinComplete, Context: ctx}})
}

// JoinFailed reports that there will be no group: an event in error, with the context of the join.
func (s *Events) JoinFailed(ctx any, err fi.Errno, text string) {
	s.report(eventsEnded, event{err: &fi.EQErrEntry{Err: err, Text: text, Context: ctx}})
}

// Connected reports that the connection is there: EventConnected, with the private data of the peer's answer.
func (s *Events) Connected(data []byte) {
	s.report(eventsConnected, event{entry: fi.EQEntry{Event: fi.EventConnected, CMData: data}})
}

// Shutdown reports that the connection has ended: EventShutdown.
func (s *Events) Shutdown() {
	s.report(eventsEnded, event{entry: fi.EQEntry{Event: fi.EventShutdown}})
}

// Fail reports that there will be no connection: an event in error. fi.ErrConnRefused with the private data of the peer's
// rejection, fi.ErrTimedOut, fi.ErrHostUnreach and the like. After EventConnected it is an EventShutdown.
func (s *Events) Fail(err fi.Errno, data []byte, text string) {
	s.report(eventsEnded, event{err: &fi.EQErrEntry{Err: err, ErrData: data, Text: text}})
}

func (s *Events) report(next eventState, e event) {
	q := s.q
	q.mu.Lock()
	if s.state >= next || next == eventsEnded && s.state == eventsOpen && e.err == nil {
		q.mu.Unlock()
		return
	}
	if s.state == eventsConnected && e.err != nil { // the entry of the error is a shutdown's
		e = event{entry: fi.EQEntry{Event: fi.EventShutdown}}
	}
	s.state = next
	e.src = s
	if e.err != nil {
		e.err.FID = s.fid
	} else {
		e.entry.FID = s.fid
	}
	q.add(e)
	q.mu.Unlock()
	q.rung()
}

// Retire ends the part: the object closes. What is unread goes; later reports are dropped. It gives the requests that
// nobody has read. Package fabric calls it.
func (s *Events) Retire() (unread []*ConnReq) {
	q := s.q
	q.mu.Lock()
	defer q.mu.Unlock()
	s.state = eventsRetired
	kept := q.events[:0]
	for _, e := range q.events {
		switch {
		case e.src != s:
			kept = append(kept, e)
			continue
		case e.req != nil:
			unread = append(unread, e.req)
		}
		q.unread.Add(-1)
	}
	clear(q.events[len(kept):])
	q.events, s.requests = kept, 0
	return unread
}
