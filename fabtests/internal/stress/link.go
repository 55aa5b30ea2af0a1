package stress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// note is what ranks tell each other beside the fabric.
type note struct {
	Kind string          `json:"kind"`           // "here" and "all", "bye", "fail", "abort", "view", "report"
	Name string          `json:"name,omitempty"` // of a meeting
	Data json.RawMessage `json:"data,omitempty"`
	Fail *fault          `json:"fail,omitempty"`
	Text string          `json:"text,omitempty"`
}

// link is a rank's connection to the hub.
type link struct {
	rank    int
	conn    net.Conn
	enc     *json.Encoder
	writing sync.Mutex
	all     chan note
	abort   chan struct{} // closed when a rank has failed
	reason  *fault        // why; set before abort is closed
	report  chan *fault   // rank 0: what the hub has gathered of a failure
	ended   chan struct{} // the reader has
}

// errTold is the error of a rank whose failure rank 0 prints.
var errTold = errors.New("a rank has failed")

func newLink(rank int, conn net.Conn) *link {
	l := &link{rank: rank, conn: conn, enc: json.NewEncoder(conn), all: make(chan note, 4), abort: make(chan struct{}),
		report: make(chan *fault, 1), ended: make(chan struct{})}
	go l.read()
	return l
}

// read takes what the hub says, until the connection ends.
func (l *link) read() {
	defer close(l.ended)
	dec := json.NewDecoder(l.conn)
	stop := sync.OnceFunc(func() { close(l.abort) })
	for {
		var n note
		if dec.Decode(&n) != nil {
			if l.reason == nil {
				l.reason = &fault{Rank: 0, Text: "rank 0 has ended", Step: -1}
			}
			stop()
			return
		}
		switch n.Kind {
		case "all":
			l.all <- n
		case "abort":
			l.reason = n.Fail
			stop()
		case "report":
			l.report <- n.Fail
		}
	}
}

func (l *link) write(n *note) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.enc.Encode(n)
}

// arrive says that this rank has come to a meeting and what it brings; what all have brought is told to leave.
func (l *link) arrive(name string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if l.write(&note{Kind: "here", Name: name, Data: raw}) != nil {
		return errTold
	}
	return nil
}

// gather waits until all ranks have come to a meeting, and gives what each has brought. Meanwhile it calls idle, if there is
// one, again and again.
func gather[T any](ctx context.Context, l *link, patience time.Duration, name string, data T, idle func()) ([]T, error) {
	if err := l.arrive(name, data); err != nil {
		return nil, err
	}
	end := time.NewTimer(patience)
	defer end.Stop()
	var ready chan struct{}
	if idle != nil {
		ready = make(chan struct{})
		close(ready)
	}
	for {
		select {
		case n := <-l.all:
			var raw []json.RawMessage
			if err := json.Unmarshal(n.Data, &raw); err != nil {
				return nil, err
			}
			if n.Name != name {
				return nil, fmt.Errorf("the ranks meet at %q, this one at %q", n.Name, name)
			}
			out := make([]T, len(raw))
			for i, r := range raw {
				if err := json.Unmarshal(r, &out[i]); err != nil {
					return nil, err
				}
			}
			return out, nil
		case <-l.abort:
			return nil, errTold
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-end.C:
			return nil, &fault{Rank: l.rank, Step: -1, Text: fmt.Sprintf("for %v not all ranks have come to %q", patience, name)}
		case <-ready:
			idle()
		}
	}
}

// close ends the connection and waits for the reader.
func (l *link) close() {
	l.conn.Close() //nolint:errcheck // nothing is in flight
	<-l.ended
}
