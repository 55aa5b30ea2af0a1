package match

import "github.com/gofabric/gofabric/fi"

const (
	// fewClasses is the number of classes from which on one that has no receives is forgotten at once. Below, empty
	// ones stay known: a program posts the same few kinds of receives again and again.
	fewClasses = 8
	// idleAfter is how many messages find a class empty before it is no longer looked at.
	idleAfter = 16
)

// A class is a kind of posted receive: those that ignore the same bits of the tag, and that all name a source or all
// name none. An arriving message looks in the table once for each class that has receives.
type class struct {
	ignore uint64
	anySrc uint64 // all ones: any source; a source or-ed with it is what the key holds
	id     uint32
	pos    int // in classes.all
	n      int // posted receives
	misses int // messages that found it empty since it was looked for
}

// noClass stands for a class where there is none; no receive is of it.
var noClass = class{ignore: 1, anySrc: 1}

type classKey struct{ ignore, anySrc uint64 }

// classes knows the classes in use. Their number is at most that of the posted receives plus fewClasses.
type classes struct {
	all    []*class            // first the busy ones
	busy   int                 // those that arriving messages look at: all that have receives are among them
	recent *class              // a busy one, or noClass
	byKey  map[classKey]*class // when there are more than a few
	byID   []*class
	ids    []uint32 // of forgotten classes, to be used again
}

// anyOf is all ones for "any source", else 0.
func anyOf(src fi.Addr) uint64 {
	if src == fi.AddrUnspec {
		return ^uint64(0)
	}
	return 0
}

// of gives the class of a posted receive.
func (s *classes) of(r *Recv) *class { return s.byID[r.n.kind>>32] }

// search makes the class of a receive busy, and the recent one.
func (s *classes) search(ignore, anySrc uint64) {
	c := s.byKey[classKey{ignore, anySrc}]
	if s.byKey == nil {
		for _, x := range s.all {
			if x.ignore == ignore && x.anySrc == anySrc {
				c = x
				break
			}
		}
	}
	if c == nil {
		c = s.add(ignore, anySrc)
	}
	if c.pos >= s.busy {
		s.swap(c, s.busy)
		s.busy++
	}
	c.misses = 0
	s.recent = c
}

func (s *classes) add(ignore, anySrc uint64) *class {
	c := &class{ignore: ignore, anySrc: anySrc, pos: len(s.all)}
	if n := len(s.ids) - 1; n >= 0 {
		c.id, s.ids = s.ids[n], s.ids[:n]
		s.byID[c.id] = c
	} else {
		c.id = uint32(len(s.byID))
		s.byID = append(s.byID, c)
	}
	s.all = append(s.all, c)
	if len(s.all) == fewClasses+1 {
		s.byKey = make(map[classKey]*class)
		for _, x := range s.all {
			s.byKey[classKey{x.ignore, x.anySrc}] = x
		}
	} else if s.byKey != nil {
		s.byKey[classKey{ignore, anySrc}] = c
	}
	return c
}

// swap moves a class to another place.
func (s *classes) swap(c *class, pos int) {
	x := s.all[pos]
	s.all[c.pos], x.pos = x, c.pos
	s.all[pos], c.pos = c, pos
}

// rest takes an empty class out of the busy ones, and forgets it when there are more than a few.
//
//go:noinline
func (s *classes) rest(c *class) {
	if c.pos < s.busy {
		s.busy--
		s.swap(c, s.busy)
	}
	if s.recent == c {
		s.recent = &noClass
	}
	last := len(s.all) - 1
	if last < fewClasses {
		return
	}
	s.swap(c, last)
	s.all[last] = nil
	s.all = s.all[:last]
	s.ids = append(s.ids, c.id)
	s.byID[c.id] = nil
	delete(s.byKey, classKey{c.ignore, c.anySrc})
	if len(s.all) <= fewClasses {
		s.byKey = nil
		if cap(s.all) > 8*fewClasses {
			s.all = append(make([]*class, 0, 2*fewClasses), s.all...)
		}
	}
}

// emptied is called when the last receive of a class has gone, if anything depends on it. (Arrive leaves a lone busy
// class alone; there is one at most, and it rests later.)
//
//go:noinline
func (q *Queue) emptied(c *class) {
	q.byCtx.drop()
	if len(q.classes.all) > fewClasses {
		q.classes.rest(c)
	}
}

// watchesEmpty says that emptied has something to do.
func (q *Queue) watchesEmpty() bool {
	return q.byCtx.entries != nil || len(q.classes.all) > fewClasses
}
