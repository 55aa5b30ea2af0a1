package pmi

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
)

// localJobs numbers the jobs of this process, so that no two have one ID.
var localJobs atomic.Int64

// NewLocal makes a job of n members in this process and gives them in the order of their ranks, all on one node. There is
// no launcher: Abort makes the calls of all members fail instead of killing anybody. It gives nothing for n below 1.
func NewLocal(n int) []*Job {
	if n < 1 {
		return nil
	}
	h := &hall{live: n, ready: make(chan struct{}), aborted: make(chan struct{})}
	id := "local_" + strconv.Itoa(os.Getpid()) + "_" + strconv.FormatInt(localJobs.Add(1), 10)
	jobs := make([]*Job, n)
	for rank := range jobs {
		j := newJob(rank, n, &seat{hall: h})
		j.id, j.nodes = id, make([]int, n)
		jobs[rank] = j
	}
	return jobs
}

// hall is where the members of a local job meet.
type hall struct {
	aborted chan struct{} // closed by the first abort, after cause is set

	mu        sync.Mutex
	cause     error             // guarded by mu
	fresh     map[string]string // guarded by mu: put since the last fence
	published map[string]string // guarded by mu
	live      int               // guarded by mu: members that have not left
	arrived   int               // guarded by mu
	ready     chan struct{}     // guarded by mu: closed when the fence that is going on is complete
}

// release ends the fence when all are there. The caller holds mu.
func (h *hall) release() {
	if h.arrived < h.live || h.arrived == 0 {
		return
	}
	if h.published == nil {
		h.published = map[string]string{}
	}
	maps.Copy(h.published, h.fresh)
	clear(h.fresh)
	h.arrived = 0
	close(h.ready)
	h.ready = make(chan struct{})
}

// seat is one member's place in the hall.
type seat struct {
	hall *hall
	wait chan struct{} // of the fence that was entered; nil outside
}

func (s *seat) put(_ context.Context, kvs []pair) error {
	h := s.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cause != nil {
		return h.cause
	}
	if h.fresh == nil {
		h.fresh = map[string]string{}
	}
	for _, kv := range kvs {
		h.fresh[kv.key] = kv.value
	}
	return nil
}

func (s *seat) fence(ctx context.Context) error {
	h := s.hall
	h.mu.Lock()
	if s.wait == nil {
		s.wait = h.ready
		h.arrived++
		h.release()
	}
	h.mu.Unlock()
	select {
	case <-s.wait:
		s.wait = nil
		return nil
	case <-h.aborted:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.cause
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *seat) get(_ context.Context, keys []string) ([]string, error) {
	h := s.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cause != nil {
		return nil, h.cause
	}
	values := make([]string, len(keys))
	for i, key := range keys {
		v, ok := h.published[key]
		if !ok {
			return nil, notThere(key)
		}
		values[i] = v
	}
	return values, nil
}

func (s *seat) abort(code int, msg string) error {
	h := s.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cause == nil {
		h.cause = fail("abort", fi.ErrCanceled, fmt.Sprintf("a member ended the job with code %d: %s", code, msg))
		close(h.aborted)
	}
	return nil
}

// close leaves: others do not wait for this member any more.
func (s *seat) close() error {
	h := s.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live--
	if s.wait != nil { // left in the middle of a fence
		h.arrived--
	}
	h.release()
	return nil
}
