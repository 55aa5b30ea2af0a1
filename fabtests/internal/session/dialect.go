package session

import (
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
)

// The programs of libfabric do not send the same in all versions. --peer-version says what the other side is; else its
// first message that synchronises tells some of it, since that was a byte long before 2.0 and is empty since.
const (
	latest options.Version = 9999 // what we do among ourselves
	before options.Version = 122  // the last version whose programs send the byte

	emptySync   options.Version = 200
	oobGreets   options.Version = 122 // a connection beside the fabric is synchronised when the endpoints are enabled
	oobFinalize options.Version = 204 // the end is synchronised over that connection, too
)

// Steps of programs that came with a version of libfabric.
const (
	// RMAWindow is since when each operation of rma_bw's window has a place of its own.
	RMAWindow options.Version = 119
	// RMAWarmup is since when rma_bw ends the window when it has warmed up, and confirms each write with data until then.
	RMAWarmup options.Version = 204
	// AVPlain is since when av_xfer sends plain messages to RDM endpoints, not tagged ones.
	AVPlain options.Version = 201
	// PeekTen is since when rdm_tagged_peek sends ten messages and synchronises over TCP.
	PeekTen options.Version = 119
	// PeekLong is since when those messages are as long as buffers are.
	PeekLong options.Version = 201
)

// Since tells whether the other side is at least of a version.
func (s *Session) Since(v options.Version) bool { return s.version() >= v }

func (s *Session) version() options.Version {
	switch {
	case s.Opt.PeerVersion != 0:
		return s.Opt.PeerVersion
	case s.peer != 0:
		return s.peer
	}
	return latest
}

// waitSync waits for a message that synchronises; the first one tells the peer's version.
func (s *Session) waitSync() error {
	if s.RxCQ == nil || s.oneCQ || s.peer != 0 || s.RxSeq != s.RxDone+1 {
		return s.WaitRx(s.RxSeq)
	}
	e, err := s.Next(s.RxCQ)
	if err != nil {
		return err
	}
	s.RxDone++
	s.peer = latest
	if e.Len > 0 {
		s.peer = before
	}
	return nil
}

// syncSize is how long our messages that synchronise are. The one byte is checked by programs that check data.
func (s *Session) syncSize() int {
	if s.Since(emptySync) {
		return 0
	}
	pattern.Fill(s.Tx[:1])
	return 1
}
