package server

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/gofabric/gofabric/pmi/internal/wire"
)

// Limits of a port, which anybody may dial.
const (
	introduction = 10 * time.Second // until a caller has said who it is
	strangers    = 256              // callers that have not said it
)

// listen opens the port of a job whose processes dial.
func (j *Job) listen() (err error) {
	j.token = rand.Text()
	j.port, err = net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		go j.space.ServePort(j.port, j.token)
	}
	return err
}

// ServePort serves the members that dial ln: they say their rank and the token (PMI-1 initack), and are told the size. Who
// does not know the token, or claims a rank that somebody has, is turned away; an empty token lets everybody in. It
// returns when ln is closed and all connections have ended.
func (s *Space) ServePort(ln net.Listener, token string) {
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan struct{}, strangers)
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				continue
			}
			return
		}
		select {
		case room <- struct{}{}:
		default: // as many as that are no members of ours
			conn.Close()
			continue
		}
		all.Go(func() {
			r := wire.NewReader(conn)
			conn.SetDeadline(time.Now().Add(introduction)) //nolint:errcheck // sockets have deadlines
			m, err := s.introduced(conn, r, token)
			conn.SetDeadline(time.Time{}) //nolint:errcheck // as above
			<-room
			if err != nil {
				s.note(-1, fmt.Sprintf("a caller from %v was turned away: %v", conn.RemoteAddr(), err))
				conn.Close()
				return
			}
			s.serve(m, conn, r)
		})
	}
}

// introduced reads who calls, and answers.
func (s *Space) introduced(conn net.Conn, r *wire.Reader, token string) (*member, error) {
	line, err := r.Line()
	if err != nil {
		return nil, err
	}
	q, err := wire.ParseLine(line)
	if err != nil {
		return nil, err
	}
	if q.Cmd != "initack" || token != "" && subtle.ConstantTimeCompare([]byte(q.Get("token")), []byte(token)) != 1 {
		return nil, fmt.Errorf("it does not know the token of this job")
	}
	rank, err := q.Int("pmiid")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	m := s.members[rank]
	taken := m == nil || m.called || m.state != StateStarted
	if m != nil {
		m.called = true
	}
	s.mu.Unlock()
	if taken {
		return nil, fmt.Errorf("rank %d is taken or is not of this job", rank)
	}
	b := wire.AppendLine(nil, wire.New("initack", "rc", "0"))
	for _, kv := range [][2]string{{"size", strconv.Itoa(s.c.Size)}, {"rank", strconv.Itoa(rank)}, {"debug", "0"}} {
		b = wire.AppendLine(b, wire.New("set", kv[0], kv[1]))
	}
	_, err = conn.Write(b)
	return m, err
}
