package stress

import (
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"
)

// viewTime is how long ranks have to say what they know of a failure.
const viewTime = 5 * time.Second

// hub joins the ranks' connections: it stands beside rank 0.
type hub struct {
	conns []net.Conn // by rank
	encs  []*json.Encoder
	in    chan spoken
	over  chan struct{}
	wg    sync.WaitGroup
}

// spoken is a note and who said it; a nil note is the end of a connection.
type spoken struct {
	rank int
	n    *note
}

func newHub(conns []net.Conn) *hub {
	h := &hub{conns: conns, in: make(chan spoken, len(conns)), over: make(chan struct{})}
	for rank, c := range conns {
		h.encs = append(h.encs, json.NewEncoder(c))
		h.wg.Go(func() { h.listen(rank, c) })
	}
	h.wg.Go(h.serve)
	return h
}

// listen reads what one rank says.
func (h *hub) listen(rank int, c net.Conn) {
	dec := json.NewDecoder(c)
	for {
		n := new(note)
		if dec.Decode(n) != nil {
			n = nil
		}
		select {
		case h.in <- spoken{rank, n}:
		case <-h.over:
			return
		}
		if n == nil {
			return
		}
	}
}

// serve brings the ranks together until there is a failure, or the hub is closed.
func (h *hub) serve() {
	here := make([]json.RawMessage, len(h.conns))
	gone := make([]bool, len(h.conns)) // ranks that have said goodbye
	count := 0
	for {
		var s spoken
		select {
		case s = <-h.in:
		case <-h.over:
			return
		}
		switch {
		case s.n == nil && gone[s.rank]:
		case s.n == nil:
			h.failed(s.rank, &fault{Rank: s.rank, Step: -1, Text: fmt.Sprintf("rank %d has ended without a word", s.rank)})
			return
		case s.n.Kind == "fail":
			h.failed(s.rank, s.n.Fail)
			return
		case s.n.Kind == "bye":
			gone[s.rank] = true
		case s.n.Kind == "here":
			here[s.rank] = s.n.Data
			if count++; count == len(here) {
				all, _ := json.Marshal(here) //nolint:errcheck // they were decoded as JSON
				count = 0
				h.tell(&note{Kind: "all", Name: s.n.Name, Data: all})
			}
		}
	}
}

func (h *hub) tell(n *note) {
	for _, e := range h.encs {
		e.Encode(n) //nolint:errcheck // its listener tells when it has gone
	}
}

// failed tells all ranks of a failure, hears what they know of it, and reports to rank 0.
func (h *hub) failed(rank int, f *fault) {
	h.tell(&note{Kind: "abort", Fail: f})
	views := make([]string, len(h.conns))
	known := make([]bool, len(h.conns))
	known[rank] = true
	left := len(h.conns) - 1
	late := time.After(viewTime)
	for left > 0 {
		select {
		case s := <-h.in:
			if known[s.rank] {
				continue
			}
			switch {
			case s.n == nil:
				views[s.rank] = "has ended"
			case s.n.Kind == "view":
				views[s.rank] = s.n.Text
			case s.n.Kind == "fail":
				views[s.rank] = s.n.Fail.Text + "\n" + s.n.Fail.View
			default:
				continue
			}
			known[s.rank] = true
			left--
		case <-late:
			for i, k := range known {
				if !k {
					views[i] = fmt.Sprintf("has not answered for %v", viewTime)
				}
			}
			left = 0
		case <-h.over:
			return
		}
	}
	f.Views = views
	h.encs[0].Encode(&note{Kind: "report", Fail: f}) //nolint:errcheck // rank 0 is where we are
	for {
		select {
		case <-h.in: // ranks that end now
		case <-h.over:
			return
		}
	}
}

// close ends all connections.
func (h *hub) close() {
	close(h.over)
	for _, c := range h.conns {
		c.Close() //nolint:errcheck // nothing is in flight
	}
	h.wg.Wait()
}
