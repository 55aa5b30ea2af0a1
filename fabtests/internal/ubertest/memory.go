package ubertest

import (
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// memory is the buffers of a side, which its tests use one after another.
type memory struct {
	tx, rx  []byte // what is sent and received
	region  []byte // what the peer reads and writes
	sent    []byte // a copy of tx, for verification
	before  []byte // a copy of region
	result  []byte // of fetching atomics
	compare []byte // of comparing ones
	slots   []byte // of received datagrams
}

// grow makes a buffer that has at least n bytes.
func grow(b *[]byte, n int) []byte {
	if len(*b) < n {
		*b = make([]byte, n)
	}
	return (*b)[:n]
}

// buffers gets what a test needs, and registers what has to be.
func (s *side) buffers() error {
	most := sizes[len(sizes)-1]
	m, t := s.mem, s.t
	grow(&m.tx, most)
	if t.EP == fi.EPDgram {
		s.dgrams = newDatagrams(m, s.largest())
	} else {
		grow(&m.rx, most)
	}
	mode := s.info.Domain.MRMode
	if t.remote() {
		grow(&m.region, most)
		if t.Class&fi.CapAtomic != 0 {
			for _, b := range []*[]byte{&m.sent, &m.before, &m.result, &m.compare} {
				grow(b, most)
			}
		}
		attr := &fi.MRAttr{Key: regionKey}
		if t.Caps&fi.CapRMAEvent != 0 {
			attr.Flags = fi.MRRMAEvent
		}
		r, err := s.register(m.region, fi.AccessRead|fi.AccessWrite|fi.AccessRemoteRead|fi.AccessRemoteWrite, attr)
		if err != nil {
			return err
		}
		s.at = r.Remote() // the peer's is the same, unless it says something else
	}
	if mode&fi.MRModeLocal == 0 {
		return nil
	}
	for i, b := range [][]byte{m.tx, m.rx, m.slots, m.result, m.compare} {
		if len(b) == 0 {
			continue
		}
		key := uint64(otherKey + i)
		switch i {
		case 0:
			key = txKey
		case 1:
			key = rxKey
		}
		if _, err := s.register(b, fi.AccessSend|fi.AccessRecv|fi.AccessRead|fi.AccessWrite, &fi.MRAttr{Key: key}); err != nil {
			return err
		}
	}
	return nil
}

// register makes a region that lives as long as the test.
func (s *side) register(b []byte, access fi.Access, attr *fi.MRAttr) (*fabric.MR, error) {
	r, err := s.dom.RegisterMR(b, access, attr)
	if err != nil {
		return nil, fail.Call("fi_mr_reg", err)
	}
	s.mrs = append(s.mrs, r)
	mode := s.info.Domain.MRMode
	if mode&fi.MRModeEndpoint != 0 {
		err = fail.Call("fi_mr_bind", r.BindEndpoint(s.ep))
	}
	if err == nil && mode&(fi.MRModeEndpoint|fi.MRModeRMAEvent) != 0 {
		err = fail.Call("fi_mr_enable", r.Enable())
	}
	return r, err
}
