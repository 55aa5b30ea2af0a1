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
func (s *Session) SyncInBand() error {
	if s.Client {
		if err := s.control(s.syncSize(), s.Opt.SyncComp); err != nil {
			return err
		}
		return s.waitSync()
	}
	if err := s.waitSync(); err != nil {
		return err
	}
	return s.control(s.syncSize(), s.Opt.SyncComp)
}

// control sends a message of n bytes and waits for its completion.
func (s *Session) control(n int, level fi.OpFlags) error {
	if s.Datagrams() { // nobody tells that they have come
		level = fi.OpTransmitComplete
	}
	if err := s.PostTxMsg(s.Tx[:n], s.contexts[0], 0, level); err != nil {
		return err
	}
	return s.WaitTx(s.TxSeq)
}

// Finalize is the last synchronisation: nothing is posted afterwards.
func (s *Session) Finalize() error {
	if s.syncsOOB() && s.Since(oobFinalize) {
		return s.oob.syncStatus()
	}
	if s.Client {
		if err := s.control(AckSize, fi.OpTransmitComplete); err != nil {
			return err
		}
		return s.WaitRx(s.RxSeq)
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	return s.control(AckSize, fi.OpTransmitComplete)
}
