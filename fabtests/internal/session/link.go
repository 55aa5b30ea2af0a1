package session

import "github.com/gofabric/gofabric/fabtests/internal/fail"

// Link makes two sessions of one process peers of each other; they were opened by Alone.
func Link(a, b *Session) error {
	for _, p := range [][2]*Session{{a, b}, {b, a}} {
		name, err := p[1].EP.Name()
		if err != nil {
			return fail.Call("fi_getname", err)
		}
		if err := p[0].Insert(name); err != nil {
			return err
		}
	}
	a.RxTag, b.RxTag = 1, 1
	return nil
}

// ProgressRx takes the receives that have completed, without waiting.
func (s *Session) ProgressRx() error {
	n, err := s.RxCQ.Read(s.entries[:])
	s.RxDone += uint64(n)
	if n == 0 && !empty(err) {
		return s.queueError(s.RxCQ, err)
	}
	return nil
}
