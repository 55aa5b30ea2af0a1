package main

import (
	"context"
	"errors"
	"log"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// side is an endpoint and what it needs. Operations that succeed say nothing, but are counted; those that fail have an entry
// in the queue.
type side struct {
	domain *fabric.Domain
	queue  *fabric.CQ
	peers  *fabric.AV
	ep     *fabric.Endpoint
	over   *fabric.Counter // counts what is over
	begun  uint64
}

func open(ctx context.Context) *side {
	info := must(fabric.GetInfo(ctx, &fi.Hints{Caps: fi.CapRMA | fi.CapAtomic, EP: &fi.EPAttr{Type: fi.EPRDM}}))[0]
	s := &side{domain: must(must(fabric.Open(info)).OpenDomain(info))}
	s.queue, s.peers, s.over = must(s.domain.OpenCQ(nil)), must(s.domain.OpenAV(nil)), must(s.domain.OpenCounter(nil))
	s.ep = must(s.domain.OpenEndpoint(info))
	check(s.ep.BindCQ(s.queue, fi.BindTransmit|fi.BindRecv|fi.BindSelectiveCompletion))
	check(s.ep.BindCounter(s.over, fi.CountRead|fi.CountWrite))
	check(s.ep.BindAV(s.peers))
	check(s.ep.Enable())
	return s
}

// post begins an operation. FI_EAGAIN says that there is no room: look at what is over, which makes some, and try again.
func (s *side) post(op func() error) {
	err := op()
	for err == fi.ErrAgain {
		s.over.Read()
		err = op()
	}
	check(s.ep.Explain(err)) // any other error is a wrong call, or an endpoint in a state in which it cannot do this
	s.begun++
}

// wait returns when all that was begun is over, with the error of an operation that failed.
func (s *side) wait(ctx context.Context) error {
	err := s.over.Wait(ctx, s.begun)
	if errors.Is(err, fi.ErrAvail) {
		s.begun-- // failures are counted apart
		return s.queue.Explain(fi.ErrAvail)
	}
	return err
}

func (s *side) do(ctx context.Context, op func() error) {
	s.post(op)
	check(s.wait(ctx))
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
