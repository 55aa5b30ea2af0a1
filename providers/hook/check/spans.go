package check

import (
	"sort"

	"github.com/gofabric/gofabric/mr"
)

// span is the memory of a buffer of an operation in flight.
type span struct {
	low, end uint64
	f        *flight
	writes   bool // the operation fills it
}

// spans are those of all operations in flight, by their beginning.
type spans struct {
	list    []*span
	longest uint64 // of all that were there since the list was empty
}

// from is the index of the first span that begins at low or later.
func (s *spans) from(low uint64) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].low >= low })
}

// conflict gives an operation that a new one would be in conflict with: that fills a part of the buffer, or that reads a
// part of one that is to be filled.
func (s *spans) conflict(b []byte, writes bool) *flight {
	if len(b) == 0 {
		return nil
	}
	low := mr.VirtualAddress(b)
	end := low + uint64(len(b))
	for i := s.from(low - min(low, s.longest)); i < len(s.list) && s.list[i].low < end; i++ {
		if x := s.list[i]; x.end > low && (writes || x.writes) {
			return x.f
		}
	}
	return nil
}

// add adds a buffer, and appends its span to those of its operation.
func (s *spans) add(of []*span, b []byte, f *flight, writes bool) []*span {
	if len(b) == 0 {
		return of
	}
	low := mr.VirtualAddress(b)
	x := &span{low, low + uint64(len(b)), f, writes}
	i := s.from(low)
	s.list = append(s.list, nil)
	copy(s.list[i+1:], s.list[i:])
	s.list[i] = x
	s.longest = max(s.longest, uint64(len(b)))
	return append(of, x)
}

func (s *spans) remove(x *span) {
	for i := s.from(x.low); i < len(s.list) && s.list[i].low == x.low; i++ {
		if s.list[i] == x {
			s.list = append(s.list[:i], s.list[i+1:]...)
			break
		}
	}
	if len(s.list) == 0 {
		s.longest = 0
	}
}
