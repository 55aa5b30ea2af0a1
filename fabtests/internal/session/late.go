package session

// ReceiveLate is Receive without a receive posted before: it posts one and waits.
func (s *Session) ReceiveLate(n int) error {
	if err := s.PostRx(s.Rx[:max(n, 0)], s.contexts[0]); err != nil {
		return err
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	return s.Inspect(s.Rx[:n])
}

// SyncLate is Sync that leaves no receive posted. The first one finds the receive of the beginning.
func (s *Session) SyncLate() error {
	if s.syncsOOB() {
		return s.oob.syncByte()
	}
	if s.RxSeq == s.RxDone {
		if err := s.Repost(); err != nil {
			return err
		}
	}
	return s.SyncInBand()
}

// Finish is the last synchronisation and closes everything, unless the server waits for another client.
func (s *Session) Finish() error {
	if err := s.Finalize(); err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Leave()
}

// Leave closes everything without a synchronisation, unless the server waits for another client.
func (s *Session) Leave() error {
	if s.keep() {
		return nil
	}
	return s.Close()
}
