package session

// PingPong exchanges n messages of a size each way, after some that do not count, and measures that; the client speaks first.
func (s *Session) PingPong(size, n, warmup int, send, receive func(size int) error) error {
	first, second := send, s.Lapped(2, receive)
	if !s.Client {
		first, second = receive, send
	}
	s.WarmUp()
	for i := range n + warmup {
		if i == warmup {
			s.Start()
		}
		if err := first(size); err != nil {
			return err
		}
		if err := second(size); err != nil {
			return err
		}
	}
	s.Stop()
	return nil
}
