package pmi

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/pmi/internal/foreign"
)

// stranger is a member of a job of one whose fences end when they are told to.
type stranger struct {
	all  map[string]string
	gate chan error
}

func (s *stranger) Rank() int               { return 0 }
func (s *stranger) Size() int               { return 1 }
func (s *stranger) ID() string              { return "a job" }
func (s *stranger) AppNum() int             { return 2 }
func (s *stranger) Put(key, v string) error { s.all[key] = v; return nil }
func (s *stranger) Fence() error            { return <-s.gate }
func (s *stranger) Abort(int, string) error { return errors.New("cannot") }
func (s *stranger) Close() error            { return nil }
func (s *stranger) Get(key string) (string, error) {
	v, ok := s.all[key]
	if !ok {
		return "", foreign.ErrNoKey
	}
	return v, nil
}

func TestForeign(t *testing.T) {
	s := &stranger{map[string]string{}, make(chan error, 1)}
	foreign.Join = func() (foreign.Member, error) { return s, nil }
	defer func() { foreign.Join = nil }()
	e := env("PMIX_RANK", "0", "PMIX_NAMESPACE", "x", "OMPI_COMM_WORLD_SIZE", "2")
	j, err := join(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if j.ID() != "a_job" || j.AppNum() != 2 {
		t.Errorf("%q, %d", j.ID(), j.AppNum())
	}
	value := strings.Repeat("x", 3000)
	if err := j.Put("k", []byte(value)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan error)
	go func() { end <- j.Fence(ctx) }()
	cancel()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Errorf("a fence that is left: %v", err)
	}
	s.gate <- nil
	if err := j.Fence(t.Context()); err != nil {
		t.Error(err)
	}
	if v, err := j.Get(t.Context(), "k"); string(v) != value || err != nil {
		t.Errorf("%d bytes, %v", len(v), err)
	}
	if _, err := j.Get(t.Context(), "none"); !errors.Is(err, fi.ErrNoEnt) {
		t.Errorf("a key that nobody put: %v", err)
	}
	if err := j.Abort(1, ""); err == nil {
		t.Error("an abort that failed is none")
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	foreign.Join = func() (foreign.Member, error) { return nil, errors.New("no library") }
	if _, err := join(t.Context(), e); err == nil || !strings.Contains(err.Error(), "FI_PMI_RENDEZVOUS") {
		t.Errorf("got %v", err)
	}
}
