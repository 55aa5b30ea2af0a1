package fabric

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gofabric/gofabric/fi"
)

// AVSet is an ordered set of addresses of an address vector (struct fid_av_set, fi_av_set(3)): the members of a group, in
// the order of their ranks. Making and changing it is local: each member makes the same set, in the same order. All methods
// are safe for concurrent use.
type AVSet struct {
	object
	av   *AV
	attr fi.AVSetAttr
	list sync.Mutex
	have []fi.Addr // guarded by list
}

// OpenSet makes a set of addresses of the vector (fi_av_set). A nil attr makes an empty one. Addresses of a range that are
// not in use are left out.
//
// Errors: fi.ErrInvalid for a range that ends before it starts, a stride without a range or a range together with
// fi.AVSetUniverse, and for a communication key of more than 2 bytes; fi.ErrBadFlags.
func (av *AV) OpenSet(attr *fi.AVSetAttr) (*AVSet, error) {
	if err := av.open("av_set"); err != nil {
		return nil, err
	}
	a := fi.AVSetAttr{}
	if attr != nil {
		a = *attr
	}
	known := fi.AVSetUniverse
	for o := fi.CollBarrier; o <= fi.CollGather; o++ {
		known |= fi.AVSetBarrier << o
	}
	switch {
	case a.Flags&^known != 0:
		return nil, av.fail("av_set", fi.ErrBadFlags, "flags that are not served: "+(a.Flags&^known).String())
	case a.Count < 0 || a.Stride > 0 && (a.Start > a.End || a.End == fi.AddrNotAvail):
		return nil, av.fail("av_set", fi.ErrInvalid, fmt.Sprintf("count %d, from %d to %d by %d: a range starts before it ends, at addresses of the vector; no range has stride 0", a.Count, a.Start, a.End, a.Stride))
	case a.Stride > 0 && a.Flags&fi.AVSetUniverse != 0:
		return nil, av.fail("av_set", fi.ErrInvalid, "a range and FI_UNIVERSE: give one of them")
	case len(a.CommKey) > 2 || len(a.CommKey) == 2 && a.CommKey[0] == 0xff && a.CommKey[1] == 0xff:
		return nil, av.fail("av_set", fi.ErrInvalid, fmt.Sprintf("a communication key of %d bytes: it is a number of 1 or 2 bytes, at most 65534", len(a.CommKey)))
	}
	a.CommKey = slices.Clone(a.CommKey)
	s := &AVSet{av: av, attr: a, have: make([]fi.Addr, 0, min(a.Count, 1<<12))}
	step := fi.Addr(a.Stride)
	if a.Flags&fi.AVSetUniverse != 0 {
		a.Start, a.End, step = 0, fi.AddrNotAvail-1, 1
	}
	if step > 0 {
		end := min(uint64(a.End)+1, uint64(av.v.Len()))
		for x := uint64(a.Start); x < end; {
			if _, ok := av.v.Lookup(fi.Addr(x)); ok {
				s.have = append(s.have, fi.Addr(x))
			}
			if uint64(step) > end-x {
				break
			}
			x += uint64(step)
		}
	}
	s.init("av_set", av.prov, &av.object)
	return s, nil
}

// Members gives the set's addresses in their order; a copy. There is no such call in C.
func (s *AVSet) Members() []fi.Addr {
	s.list.Lock()
	defer s.list.Unlock()
	return slices.Clone(s.have)
}

// Insert appends an address (fi_av_set_insert).
//
// Errors: fi.ErrInvalid for an address that is not in use or that the set has.
func (s *AVSet) Insert(a fi.Addr) error {
	if err := s.open("av_set_insert"); err != nil {
		return err
	}
	if _, ok := s.av.v.Lookup(a); !ok {
		return s.fail("av_set_insert", fi.ErrInvalid, unused(a))
	}
	s.list.Lock()
	defer s.list.Unlock()
	if slices.Contains(s.have, a) {
		return s.fail("av_set_insert", fi.ErrInvalid, fmt.Sprintf("the set has address %d: each member is in it once", a))
	}
	s.have = append(s.have, a)
	return nil
}

// Remove takes an address out (fi_av_set_remove); the order of the others stays.
//
// Errors: fi.ErrInvalid for an address that the set does not have.
func (s *AVSet) Remove(a fi.Addr) error {
	if err := s.open("av_set_remove"); err != nil {
		return err
	}
	s.list.Lock()
	defer s.list.Unlock()
	i := slices.Index(s.have, a)
	if i < 0 {
		return s.fail("av_set_remove", fi.ErrInvalid, fmt.Sprintf("the set does not have address %d: see Members", a))
	}
	s.have = slices.Delete(s.have, i, i+1)
	return nil
}

// Union appends the addresses of src that the set does not have (fi_av_set_union).
//
// Errors: fi.ErrInvalid for a set of another vector.
func (s *AVSet) Union(src *AVSet) error {
	return s.combine("av_set_union", src, func(in map[fi.Addr]bool, theirs []fi.Addr) {
		for _, a := range s.have {
			delete(in, a)
		}
		for _, a := range theirs {
			if in[a] {
				s.have = append(s.have, a)
			}
		}
	})
}

// Intersect removes the addresses that src does not have (fi_av_set_intersect).
//
// Errors: as Union.
func (s *AVSet) Intersect(src *AVSet) error {
	return s.combine("av_set_intersect", src, func(in map[fi.Addr]bool, _ []fi.Addr) {
		s.have = slices.DeleteFunc(s.have, func(a fi.Addr) bool { return !in[a] })
	})
}

// Diff removes the addresses that src has (fi_av_set_diff).
//
// Errors: as Union.
func (s *AVSet) Diff(src *AVSet) error {
	return s.combine("av_set_diff", src, func(in map[fi.Addr]bool, _ []fi.Addr) {
		s.have = slices.DeleteFunc(s.have, func(a fi.Addr) bool { return in[a] })
	})
}

// combine changes the set by what another one has.
func (s *AVSet) combine(op string, src *AVSet, change func(in map[fi.Addr]bool, theirs []fi.Addr)) error {
	if err := s.open(op); err != nil {
		return err
	}
	if src == nil || src.av != s.av {
		return s.fail(op, fi.ErrInvalid, "the other set is nil or of another address vector: open both in one")
	}
	theirs := src.Members() // its lock and ours are never held together
	in := make(map[fi.Addr]bool, len(theirs))
	for _, a := range theirs {
		in[a] = true
	}
	s.list.Lock()
	defer s.list.Unlock()
	change(in, theirs)
	return nil
}

// Addr gives what to join a first group of the set with (fi_av_set_addr): fi.AddrNotAvail, since here no group has to be
// there before.
func (s *AVSet) Addr() (fi.Addr, error) {
	if err := s.open("av_set_addr"); err != nil {
		return fi.AddrNotAvail, err
	}
	return fi.AddrNotAvail, nil
}

// Close releases the set (fi_close); groups that were joined with it stay. Closing twice does nothing.
func (s *AVSet) Close() error {
	done, err := s.beginClose()
	if done || err != nil {
		return err
	}
	s.endClose()
	return nil
}
