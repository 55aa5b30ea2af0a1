package session

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// A server of several clients (-C) keeps its endpoint from one to the next: the message by which the next client
// introduces itself may come while the run of the last one ends, and must not be lost with an endpoint.

// keep leaves a finished session to the next run of the server.
func (s *Session) keep() bool {
	if s.Client || s.Opt.Connections < 2 || s.owner == nil || s.oob != nil || s.counters() || s.Connected() {
		return false
	}
	s.kept = true
	s.owner.Kept = s
	return true
}

// resume takes the session that was kept, if there is one, and waits for the next client.
func resume(env *scenario.Env) (*Session, error) {
	s, ok := env.Kept.(*Session)
	if !ok {
		return nil, nil
	}
	env.Kept = nil
	s.kept = false
	if err := s.AV.Remove([]fi.Addr{s.Peer}); err != nil {
		return s, fail.Call("fi_av_remove", err)
	}
	s.TxSeq, s.RxSeq, s.TxDone, s.RxDone = 0, 0, 0, 0
	s.Peer, s.From, s.TxTag, s.RxTag, s.peer = fi.AddrUnspec, fi.AddrUnspec, 0, 0, 0
	return s, s.meet()
}

// Discard closes a session that was kept and is not needed.
func (s *Session) Discard() error {
	s.kept = false
	return s.Close()
}
