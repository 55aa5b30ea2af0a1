package fabric

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/avshare"
)

// sharedAV is what a vector with a name has more than others: one of the two.
type sharedAV struct {
	mu  sync.Mutex // held by insertions and removals: what is published is what is there
	pub *avshare.Publisher
	sub *avshare.Subscription

	slots  int
	domain *Domain
}

// Limits of shared vectors.
const (
	maxAVName     = 48   // bytes; it is part of a socket's name, of which the system takes 107
	sharedSlots   = 1024 // at least
	subscribeTime = 10 * time.Second
)

// share publishes a vector under its name, or gets the one of another process.
func (av *AV) share(a *fi.AVAttr) error {
	if a.Name == "" {
		return nil
	}
	d := av.domain
	if len(a.Name) > maxAVName || strings.ContainsFunc(a.Name, func(r rune) bool { return r == '/' || unicode.IsControl(r) }) {
		return d.fail("av_open", fi.ErrInvalid, fmt.Sprintf("%q is no name for a vector: 1 to %d bytes without / and control characters", a.Name, maxAVName))
	}
	s := &sharedAV{slots: max(a.Count, sharedSlots), domain: d}
	if s.slots > avshare.MaxSlots {
		return d.fail("av_open", fi.ErrInvalid, fmt.Sprintf("%d addresses in a shared vector: at most %d", a.Count, avshare.MaxSlots))
	}
	name := d.prov + "/" + d.info.Domain.Name + "/" + a.Name
	var err error
	if a.Flags&fi.AVRead == 0 {
		s.pub, err = avshare.Publish(name, s.slots)
	} else {
		err = s.subscribe(av, name)
	}
	if err != nil {
		err, hint := unshared(err, a.Name)
		return d.fail("av_open", err, hint)
	}
	av.shared = s
	return nil
}

// unshared says why a vector of a name is not shared, and what to do.
func unshared(err error, name string) (error, string) {
	switch errno := fi.FromSyscall(err); {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.Join(fi.ErrTimedOut, err), fmt.Sprintf("the process that shares the vector %s has not answered for %v: it is stopped, or has no processor; "+
			"let it go on (SIGCONT), or end it and open the vector in another one", name, subscribeTime)
	case errno == fi.ErrAddrInUse:
		return fi.ErrExist, "a process shares a vector of this name: open that one with fi.AVRead, or choose another name"
	case errno == fi.ErrConnRefused, errno == fi.ErrNoEnt:
		return fi.ErrNoEnt, "no process of this user shares a vector " + name + " of this provider and domain: open it there first, without fi.AVRead"
	default:
		return errors.Join(errno, err), ""
	}
}

func (s *sharedAV) subscribe(av *AV, name string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), subscribeTime)
	defer cancel()
	ready := make(chan struct{})
	defer close(ready)
	if s.sub, err = avshare.Subscribe(ctx, name, func() { <-ready; av.v.SyncSoon() }); err != nil {
		return err
	}
	av.v = driver.NewMirror(av.domain.eng, s)
	av.v.Sync() // nobody has it yet
	return nil
}

// Len and At are what a mirror shows: addresses that this provider could have itself.
func (s *sharedAV) Len() int { return s.sub.Len() }

// At gives the address at an index.
func (s *sharedAV) At(i int) ([]byte, bool) {
	raw, ok := s.sub.At(i)
	if !ok {
		return nil, false
	}
	raw, err := s.domain.drv.CheckAddr(raw)
	return raw, err == nil
}

// unshare ends that.
func (av *AV) unshare() {
	switch s := av.shared; {
	case s == nil:
	case s.pub != nil:
		s.pub.Close() //nolint:errcheck // its memory goes, whatever it says
	default:
		av.v.Detach()
		s.sub.Close() //nolint:errcheck // as above
	}
}

// changeable is open for calls that change the vector.
func (av *AV) changeable(op string) error {
	if err := av.open(op); err != nil {
		return err
	}
	if av.shared != nil && av.shared.sub != nil {
		return av.fail(op, fi.ErrPerm, "the vector was opened with fi.AVRead: the process that shares it inserts and removes")
	}
	return nil
}

// insertShared adds a canonical address to a vector that others read.
func (av *AV) insertShared(raw []byte) (fi.Addr, error) {
	if len(raw) > avshare.MaxAddr {
		return fi.AddrNotAvail, av.fail("av_insert", fi.ErrInvalid, fmt.Sprintf("an address of %d bytes in a shared vector: at most %d", len(raw), avshare.MaxAddr))
	}
	s := av.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	a := av.v.Insert(raw)
	if a >= fi.Addr(s.slots) {
		return fi.AddrNotAvail, errors.Join(av.v.Remove(a), av.fail("av_insert", fi.ErrNoMem,
			fmt.Sprintf("the shared vector has room for %d addresses: open it with a larger AVAttr.Count", s.slots)))
	}
	s.pub.Set(int(a), raw)
	return a, nil
}

// remove frees a place.
func (av *AV) remove(a fi.Addr) error {
	s := av.shared
	if s == nil {
		return av.v.Remove(a)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := av.v.Remove(a); err != nil {
		return err
	}
	s.pub.Set(int(a), nil)
	return nil
}
