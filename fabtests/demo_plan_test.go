package main

import (
	"slices"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// TestDemoPrefersGoodFigures marks figures of few messages, and takes others where there are some, be they faster or not.
func TestDemoPrefersGoodFigures(t *testing.T) {
	c := &curve{measure: &measure{value: perf.Row.MicrosPerXfer}}
	row := func(size int, took time.Duration) perf.Row {
		return perf.Row{Size: size, Iterations: 1, PerIter: 1, Elapsed: took}
	}
	c.quick.Add(row(8, 1000))
	c.quick.Add(row(64, 1000))
	c.good.Add(row(8, 2000))
	if n := len(c.missing()); n != len(telling)-2 {
		t.Errorf("%d sizes are missing", n)
	}
	d := &demo{}
	s := d.series("x", 0, c)
	if v, ok := s.At(8); !ok || v != 2 {
		t.Errorf("%v %v", v, ok)
	}
	if v, ok := s.At(64); !ok || v != 1 {
		t.Errorf("%v %v", v, ok)
	}
	if !slices.Equal(s.Rough, []int{64}) {
		t.Errorf("%v", s.Rough)
	}
	if _, ok := s.At(512); ok || !d.late || !d.rough {
		t.Errorf("%v: %+v", ok, d)
	}
}

// TestDemoSizes measures the same sizes first and thoroughly.
func TestDemoSizes(t *testing.T) {
	have := map[int]bool{}
	for _, c := range classes {
		for _, n := range c.sizes {
			have[n] = true
		}
	}
	for _, n := range telling {
		if !have[n] {
			t.Errorf("%d is in no class", n)
		}
		delete(have, n)
	}
	if len(have) > 0 {
		t.Errorf("not measured first: %v", have)
	}
}
