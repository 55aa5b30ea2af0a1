package session

import "github.com/gofabric/gofabric/fi"

// Sync waits until the other side has come to the same place.
func (s *Session) Sync() error {
	if s.syncsOOB() {
		return s.oob.syncByte()
	}
	if err := s.SyncInBand(); err != nil {
		return err
	}
	return s.Repost()
}

func (s *Session) syncsOOB() bool { return s.Opt.OOBSync || s.need.OOB || s.need.OOBSync }

// SyncInBand is Sync by messages. It leaves no receive posted.
func (s *Session) SyncInBand() error { return s.swap(0, s.Opt.SyncComp) }

// swap sends a control message each way, the client first.
func (s *Session) swap(n int, level fi.OpFlags) error {
	send := func() error {
		if err := s.PostTxMsg(s.Tx[:n], s.contexts[0], 0, level); err != nil {
			return err
		}
		return s.WaitTx(s.TxSeq)
	}
	if s.Client {
		if err := send(); err != nil {
			return err
		}
		return s.WaitRx(s.RxSeq)
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	return send()
}

// Finalize is the last synchronisation: nothing is posted afterwards.
func (s *Session) Finalize() error {
	if s.syncsOOB() {
		return s.oob.syncStatus()
	}
	return s.swap(AckSize, fi.OpTransmitComplete)
}
