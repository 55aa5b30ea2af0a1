package ubertest

import (
	"errors"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// elements is how many elements of a size's bytes one call takes: 0 where it does not take as many as there are, or not
// even one.
func (s *side) elements(size int) (int, error) {
	var most int
	var err error
	switch s.t.Function.atomicKind() {
	case fi.AtomicBase:
		most, err = s.ep.AtomicValid(s.t.Datatype, s.t.Op)
	case fi.AtomicFetch:
		most, err = s.ep.FetchAtomicValid(s.t.Datatype, s.t.Op)
	default:
		most, err = s.ep.CompareAtomicValid(s.t.Datatype, s.t.Op)
	}
	n := size / s.t.Datatype.Size()
	switch {
	case errors.Is(err, fi.ErrNoSys) || errors.Is(err, fi.ErrOpNotSupp), err == nil && n > most:
		return 0, nil
	}
	return n, fail.Call("fi_atomicvalid", err)
}

// atomic does one atomic operation on the beginning of the peer's region, by the function of the test.
func (s *side) atomic(ctx any) error {
	m, dt, op := s.mem, s.t.Datatype, s.t.Op
	n := s.count * dt.Size()
	b, res, cmp := m.tx[:n], m.result[:n], m.compare[:n]
	var iov, results, compares [][]byte
	cutAll := func() { // all of them in the same places
		iov = s.vector(&s.tx, b, dt.Size(), s.info.Tx.IovLimit)
		at := 0
		for _, part := range iov {
			results, compares = append(results, res[at:at+len(part)]), append(compares, cmp[at:at+len(part)])
			at += len(part)
		}
	}
	message := func() *fi.AtomicMsg {
		cutAll()
		return &fi.AtomicMsg{Iov: iov, Addr: s.peer, Datatype: dt, Op: op, Context: ctx, Data: s.data(),
			RMAIov: []fi.RMAIov{{Addr: s.at.Addr, Len: uint64(n), Key: s.at.Key}}}
	}
	switch s.t.Function {
	case funcAtomicV:
		cutAll()
		return s.again("fi_atomicv", func() error { return s.ep.AtomicV(iov, s.peer, s.at, dt, op, ctx) })
	case funcAtomicMsg:
		msg := message()
		return s.again("fi_atomicmsg", func() error { return s.ep.AtomicMsg(msg, s.t.MsgFlags) })
	case funcInjectAtomic:
		return s.again("fi_inject_atomic", func() error { return s.ep.InjectAtomic(b, s.peer, s.at, dt, op) })
	case funcFetchAtomic:
		return s.again("fi_fetch_atomic", func() error { return s.ep.FetchAtomic(b, res, s.peer, s.at, dt, op, ctx) })
	case funcFetchAtomicV:
		cutAll()
		return s.again("fi_fetch_atomicv", func() error { return s.ep.FetchAtomicV(iov, results, s.peer, s.at, dt, op, ctx) })
	case funcFetchAtomicMsg:
		msg := message()
		return s.again("fi_fetch_atomicmsg", func() error { return s.ep.FetchAtomicMsg(msg, results, s.t.MsgFlags) })
	case funcCompareAtomic:
		return s.again("fi_compare_atomic", func() error { return s.ep.CompareAtomic(b, cmp, res, s.peer, s.at, dt, op, ctx) })
	case funcCompareAtomicV:
		cutAll()
		return s.again("fi_compare_atomicv", func() error { return s.ep.CompareAtomicV(iov, compares, results, s.peer, s.at, dt, op, ctx) })
	case funcCompareAtomicMsg:
		msg := message()
		return s.again("fi_compare_atomicmsg", func() error { return s.ep.CompareAtomicMsg(msg, compares, results, s.t.MsgFlags) })
	}
	return s.again("fi_atomic", func() error { return s.ep.Atomic(b, s.peer, s.at, dt, op, ctx) })
}
