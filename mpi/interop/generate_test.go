package interop_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A script has one step in each line, a word and numbers. C is a communicator, 0 the world; ranks are modulo its size.
//
//	messages C TYPE ONE_BY_ONE WAIT N (SRC DST TAG COUNT MODE HOW)*N
//	persistent C TYPE COUNT ROUNDS SHIFT MODE
//	exchange C TYPE COUNT SHIFT REPLACE
//	flood C TYPE N MOST ROOT
//	collective C KIND FORM TYPE OP COUNT STRIDE MODULUS ROOT IN_PLACE
//	drain
//	window C KIND SYNC TYPE LENGTH ACCESS OP N (ORIGIN TARGET AT COUNT)*N
//	grid C DIMENSIONS PERIODIC COUNT
//	dup NEW OF
//	split NEW OF N (COLOR KEY)*N
//	free C
type script struct {
	*rand.Rand
	b     strings.Builder
	size  int
	comms []int // that are there
	next  int
	inter bool // not all is on one host
	lines int  // until now: tags differ, so that no message of a step is taken for one of another
}

func (s *script) line(name string, words ...any) {
	s.lines++
	s.b.WriteString(name)
	for _, w := range words {
		s.b.WriteByte(' ')
		fmt.Fprint(&s.b, w)
	}
	s.b.WriteByte('\n')
}

func (s *script) comm() int { return s.comms[s.IntN(len(s.comms))] }

func (s *script) chance(of int) bool { return s.IntN(of) == 0 }

func (s *script) bit() int { return s.IntN(2) }

// pick gives one of several numbers.
func (s *script) pick(of ...int) int { return of[s.IntN(len(of))] }

// elements is a number of elements of a type, mostly small, but now and then on either side of where protocols change, up to
// so many bytes.
func (s *script) elements(typ, most int) int {
	edges := []int{64, 128, 256, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20}
	n := 0
	switch s.IntN(8) {
	case 0:
		n = s.IntN(3)
	case 1, 2, 3:
		n = s.IntN(40)
	case 4, 5:
		n = s.IntN(3000) / sizes[typ]
	default:
		n = edges[s.IntN(len(edges))]/sizes[typ] + s.IntN(5) - 2
	}
	if typ == typeDoubleInt {
		most = min(most, 1<<7) // MPICH 4.0 truncates longer messages, also those of collective operations
	}
	return max(0, min(n, most/sizes[typ]))
}

// generate makes the program of a seed, and the number of ranks that it is for.
func generate(seed uint64, steps int, oneHost bool) (text string, ranks int) {
	s := &script{Rand: rand.New(rand.NewPCG(seed, 5)), comms: []int{0}, next: 1, inter: !oneHost}
	s.size = s.pick(1, 2, 2, 2, 3, 3, 4, 4, 5, 8)
	for range steps {
		switch s.IntN(21) {
		case 0, 1, 2, 3:
			s.messages()
		case 4:
			s.line("persistent", s.comm(), s.pick(typeI32, typeF64), s.elements(typeF64, 128<<10), 1+s.IntN(3), s.IntN(8), s.pick(modeStandard, modeSynchronous))
		case 5:
			s.line("exchange", s.comm(), s.pick(typeI32, typeF64), s.elements(typeF64, 1<<20), s.IntN(8), s.bit())
		case 6:
			s.line("flood", s.comm(), s.pick(typeI32, typeF64), 1+s.IntN(20), s.elements(typeF64, 64<<10), s.IntN(8))
		case 7, 8:
			s.window()
		case 9:
			s.communicator()
		case 10:
			s.line("grid", s.comm(), 1+s.IntN(3), s.IntN(8), s.elements(typeI32, 64<<10))
		default:
			s.collective()
		}
	}
	s.line("drain")
	for _, c := range s.comms[1:] {
		s.line("free", c)
	}
	return s.b.String(), s.size
}

func (s *script) messages() {
	typ, oneByOne, n := s.IntN(9), s.bit(), 1+s.IntN(12)
	words := []any{s.comm(), typ, oneByOne, s.IntN(6), n}
	most := 1 << 20 / n
	for i := range n {
		mode, how := s.IntN(4), s.IntN(7)
		if oneByOne != 0 {
			mode = s.IntN(3)
		} else {
			how = s.pick(howExact, howAnySource, howAnyTag, howLonger)
		}
		words = append(words, s.IntN(s.size), s.IntN(s.size), 1000+16*s.lines+i, s.elements(typ, most), mode, how)
	}
	s.line("messages", words...)
}

// operator gives an operation and a type that it is for.
func (s *script) operator() (op, typ int) {
	switch s.IntN(8) {
	case 0:
		return s.pick(opMinLoc, opMaxLoc), s.pick(typeInts, typeDoubleInt)
	case 1, 2:
		return opProduct, typeMatrix
	case 3:
		return s.pick(opBand, opBor, opBxor, opLand, opLor, opLxor), s.pick(typeI32, typeI64, typeU8, typeU16)
	}
	return s.pick(opSum, opProd, opMin, opMax), s.IntN(typeU16 + 1)
}

func (s *script) collective() {
	which, op, typ := s.IntN(colls), opPlain, s.IntN(9)
	if which >= collReduce && which <= collExscan {
		op, typ = s.operator()
	}
	most := 1 << 20
	if which != collBcast && which != collReduce && which != collAllreduce {
		most /= s.size
	}
	n := s.elements(typ, most)
	var stride, modulus int
	if which >= collGatherv || which == collReduceScatter {
		stride, modulus = s.IntN(20), max(1, n+s.pick(0, 1, 3))
	}
	inPlace := 0
	if s.chance(4) {
		inPlace = 1
	}
	form, root := s.IntN(forms), s.IntN(8)
	if which == collReduce && inPlace != 0 {
		root = 0 // of other roots MPICH 4.0 reads MPI_IN_PLACE
	}
	s.line("collective", s.comm(), which, form, typ, op, n, stride, modulus, root, inPlace)
	if form == formLate && s.chance(2) {
		s.line("drain")
	}
}

func (s *script) communicator() {
	if s.chance(3) && len(s.comms) > 1 {
		i := 1 + s.IntN(len(s.comms)-1)
		s.line("drain")
		s.line("free", s.comms[i])
		s.comms = append(s.comms[:i], s.comms[i+1:]...)
		return
	}
	if s.next > 60 {
		return
	}
	if of := s.comm(); s.bit() == 0 {
		s.line("dup", s.next, of)
	} else {
		words := []any{s.next, of, s.size}
		for range s.size {
			words = append(words, s.IntN(4)-1, s.IntN(5))
		}
		s.line("split", words...)
	}
	s.comms = append(s.comms, s.next)
	s.next++
}

func (s *script) window() {
	made, sync, mode := s.IntN(winKinds), s.IntN(syncs), s.IntN(accesses)
	if made == winShared && s.inter {
		made = winAllocate
	}
	if mode >= accessRput && (sync == syncFence || sync == syncPSCW) {
		sync = s.pick(syncExclusive, syncShared, syncFlush, syncFlushAll)
	}
	op, typ := opPlain, s.IntN(typeU16+1)
	switch mode {
	case accessAccumulate, accessRaccumulate:
		op, typ = s.pick(opSum, opProd, opMin, opMax, opBand, opBor, opBxor), s.pick(typeI32, typeI64, typeU8, typeU16)
		if op <= opMax {
			typ = s.IntN(typeU16 + 1)
		}
	case accessGetAccumulate, accessFetchAndOp:
		op, typ = opSum, s.IntN(typeF64+1)
	case accessCompareAndSwap:
		typ = s.pick(typeI32, typeI64, typeU8, typeU16)
	}
	n := 1 + s.IntN(16)
	part := 1 // of a window, for each access
	if mode != accessFetchAndOp && mode != accessCompareAndSwap {
		part = max(1, s.elements(typ, 512<<10/n))
	}
	whole := 64 / sizes[typ] // MPICH 4.0 mixes up members' memory where it is no multiple of something like this
	length := (n*part + whole - 1) / whole * whole
	words := []any{s.comm(), made, sync, typ, length, mode, op, n}
	for i := range n { // puts and swaps have places of their own; what is accumulated may meet
		at := i * part
		if mode == accessAccumulate || mode == accessRaccumulate || mode == accessGetAccumulate || mode == accessFetchAndOp {
			at = s.IntN((n-1)*part + 1)
		}
		words = append(words, s.IntN(s.size), s.IntN(s.size), at, part)
	}
	s.line("window", words...)
}
