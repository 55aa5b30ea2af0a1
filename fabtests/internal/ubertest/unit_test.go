package ubertest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fi"
)

// idleSide is a side that has nothing open.
func idleSide(t *Test) *side {
	m := &memory{}
	for _, b := range []*[]byte{&m.tx, &m.rx, &m.region, &m.sent, &m.before, &m.result, &m.compare} {
		grow(b, 4096)
	}
	s := &side{t: t, mem: m, info: &fi.Info{}, size: 96, ours: true}
	s.info.Domain.CQDataSize = 4
	s.rx.makeContexts()
	return s
}

// TestVerifyData finds a wrong byte in what came, wherever a class has it.
func TestVerifyData(t *testing.T) {
	for _, c := range []struct {
		class fi.Caps
		f     function
		where func(m *memory) []byte
	}{
		{capMsg, funcSend, func(m *memory) []byte { return m.rx }},
		{capTagged, funcSendV, func(m *memory) []byte { return m.rx }},
		{capRMA, funcWrite, func(m *memory) []byte { return m.region }},
		{capRMA, funcReadV, func(m *memory) []byte { return m.tx }},
	} {
		s := idleSide(&Test{Class: c.class, Function: c.f})
		b := c.where(s.mem)
		pattern.Fill(b[:s.size])
		if err := s.verify(); err != nil {
			t.Errorf("%v: %v", c.f, err)
		}
		b[s.size-1]++
		if err := s.verify(); !errors.Is(err, fi.ErrIO) {
			t.Errorf("%v: a wrong byte: %v", c.f, err)
		}
	}
}

// TestVerifyAtomic finds a wrong element in the target, and in what came back.
func TestVerifyAtomic(t *testing.T) {
	for _, ours := range []bool{true, false} {
		for _, c := range []struct {
			f  function
			op fi.AtomicOp
			dt fi.Datatype
		}{{funcAtomic, fi.AtomicSum, fi.TypeDouble}, {funcFetchAtomic, fi.AtomicMin, fi.TypeInt16}, {funcCompareAtomic, fi.AtomicCSwap, fi.TypeUint64},
			{funcFetchAtomic, fi.AtomicRead, fi.TypeFloat}} {
			s := idleSide(&Test{Class: capAtomic, Function: c.f, Op: c.op, Datatype: c.dt})
			s.ours, s.count = ours, s.size/c.dt.Size()
			s.fillAtomic()
			// The peer does to us what we do to it.
			after, old := expected(t, s)
			copy(s.mem.region, after)
			copy(s.mem.result, old)
			if err := s.verifyAtomic(); err != nil {
				t.Errorf("%v: %v", c.op, err)
			}
			if ours && c.op != fi.AtomicRead && bytes.Equal(after, s.mem.before[:len(after)]) {
				t.Errorf("%v changes nothing: nothing would be verified", c.op)
			}
			for _, b := range [][]byte{s.mem.region, s.mem.result} {
				if len(old) == 0 && &b[0] == &s.mem.result[0] {
					continue
				}
				was := b[s.size-1]
				b[s.size-1] ^= 0x10
				if err := s.verifyAtomic(); err == nil || !strings.Contains(err.Error(), "element ") {
					t.Errorf("%v: a wrong element: %v", c.op, err)
				}
				b[s.size-1] = was
			}
		}
	}
}

// expected is what four operations do, computed by hand.
func expected(t *testing.T, s *side) (after, old []byte) {
	t.Helper()
	n := s.count * s.t.Datatype.Size()
	after = slices.Clone(s.mem.before[:n])
	if s.t.Function != funcAtomic {
		old = slices.Clone(after)
	}
	for i := range s.count {
		target, operand, compare := element(after, i, s.t.Datatype), element(s.mem.sent, i, s.t.Datatype), element(s.mem.compare, i, s.t.Datatype)
		switch s.t.Op {
		case fi.AtomicSum:
			sum := make([]byte, 8)
			pattern.PutElement(sum, fi.TypeDouble, pattern.NumberAt(i, 0)+pattern.NumberAt(i, s.shift()))
			copy(target, sum)
		case fi.AtomicMin:
			if pattern.NumberAt(i, 0) < pattern.NumberAt(i, s.shift()) {
				copy(target, operand)
			}
		case fi.AtomicCSwap:
			if bytes.Equal(target, compare) {
				copy(target, operand)
			}
		}
	}
	return after, old
}

// shift is that of targets.
func (s *side) shift() int {
	if s.ours {
		return targetShift
	}
	return 0
}

// TestVerifyEntries looks at all of a completion that its format has, and finds what is wrong with it.
func TestVerifyEntries(t *testing.T) {
	for _, c := range []struct {
		name  string
		test  Test
		spoil func(e *cq.Entry, s *side)
		want  string
	}{
		{"good", Test{Class: capTagged, Function: funcSendData, Format: fi.CQFormatTagged}, nil, ""},
		{"tag", Test{Class: capTagged, Function: funcSend, Format: fi.CQFormatTagged}, func(e *cq.Entry, _ *side) { e.Tag++ }, "tag 6, not 5"},
		{"data", Test{Class: capMsg, Function: funcSendData, Format: fi.CQFormatData}, func(e *cq.Entry, _ *side) { e.Data++ }, "data"},
		{"no data", Test{Class: capMsg, Function: funcSendData, Format: fi.CQFormatData}, func(e *cq.Entry, _ *side) { e.Flags &^= fi.CompRemoteCQData }, "data"},
		{"flags", Test{Class: capMsg, Function: funcSend, Format: fi.CQFormatMsg}, func(e *cq.Entry, _ *side) { e.Flags = fi.CompTagged | fi.CompRecv }, "flags"},
		{"write", Test{Class: capRMA, Function: funcWriteData, Format: fi.CQFormatData}, func(e *cq.Entry, _ *side) { e.Flags |= fi.CompRecv }, "flags"},
		{"length", Test{Class: capMsg, Function: funcSend, Format: fi.CQFormatMsg}, func(e *cq.Entry, _ *side) { e.Len-- }, "95 bytes, not 96"},
		{"context", Test{Class: capMsg, Function: funcSend, Format: fi.CQFormatContext}, func(e *cq.Entry, s *side) { e.Context = s.rx.contexts[9] }, "context"},
	} {
		c.test.Comp = compQueue
		s := idleSide(&c.test)
		s.rx.tag, s.rx.current, s.posted = 5+credits, 0, credits
		e := cq.Entry{Flags: fi.CompMsg | fi.CompRecv, Len: s.size, Tag: 5, Context: s.rx.contexts[1]}
		switch c.test.Class {
		case capTagged:
			e.Flags = fi.CompTagged | fi.CompRecv
		case capRMA:
			e.Flags = fi.CompRMA | fi.CompRemoteWrite
		}
		if c.test.withData() {
			e.Flags, e.Data = e.Flags|fi.CompRemoteCQData, 0x89abcdef
		}
		if c.spoil != nil {
			c.spoil(&e, s)
		}
		var first error
		if err := s.verifyEntry(&first)(&e); err != nil {
			t.Fatal(err)
		}
		if c.want == "" && first != nil || c.want != "" && (first == nil || !strings.Contains(first.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, first, c.want)
		}
	}
}

// TestCut gives all pieces to the parts, whatever the way.
func TestCut(t *testing.T) {
	for _, n := range []int{0, 1, 5, 16, 1000} {
		for _, k := range []int{1, 2, 3, 16} {
			for way := range ways {
				lens := cut(n, k, way, func(n int) int { return n / 2 })
				sum := 0
				for _, l := range lens {
					if l < 0 {
						t.Fatalf("%d in %d, way %d: %v", n, k, way, lens)
					}
					sum += l
				}
				if sum != n || len(lens) != k {
					t.Errorf("%d in %d, way %d: %v", n, k, way, lens)
				}
				if n >= k {
					if whole(lens); slices.Contains(lens, 0) {
						t.Errorf("%d in %d, way %d has an empty part: %v", n, k, way, lens)
					}
				}
			}
		}
	}
	var d direction
	var got []int
	for range 5 {
		got = append(got, d.next(4))
	}
	if !slices.Equal(got, []int{1, 2, 4, 1, 2}) {
		t.Errorf("vectors of %v parts", got)
	}
	if len(sizes) != 35 || sizes[0] != 16 || sizes[34] != 6<<20 || parts[len(parts)-1] != 256 {
		t.Errorf("sizes %v, parts %v", sizes, parts)
	}
}
