package coll

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gofabric/gofabric/internal/osx"
)

// algs are the algorithms that serve a.
func algs(a Args) (out []Alg) {
	for g := range numAlg {
		if g.Serves(&a) {
			out = append(out, g)
		}
	}
	return out
}

// roots that matter: the first, the last and one between.
func roots(a Args) []int {
	switch {
	case !a.Coll.Rooted() || a.Members == 1:
		return []int{0}
	case a.Members == 2:
		return []int{0, 1}
	}
	return []int{0, a.Members/2 + 1 - a.Members%2, a.Members - 1}
}

// kinds are the variants of an operation: what the operation of a reduction is like, and in place or not.
func kinds(a Args) (out []Args) {
	for _, place := range []bool{false, true} {
		if a.InPlace = place; place && (a.Coll == Barrier || a.Coll == Broadcast || a.Coll.neighbors()) {
			continue
		}
		out = append(out, a)
		if a.Coll.Reduces() {
			b, c := a, a
			b.Ordered, c.InRankOrder = true, true
			out = append(out, b, c)
		}
	}
	return out
}

// vary fills in counts of vector operations and edges, up to most elements, by a draw.
func (p *problem) vary(most int, draw func(n int) int) {
	p.counts = nil
	for i := range p.Members {
		p.counts = append(p.counts, make([]int, p.Members))
		for j := range p.Members {
			if p.counts[i][j] = draw(most + 1); p.InPlace && j < i {
				p.counts[i][j] = p.counts[j][i]
			}
		}
	}
	p.edges = nil
	if p.Coll.neighbors() {
		for range draw(3*p.Members + 1) {
			p.edges = append(p.edges, edge{draw(p.Members), draw(p.Members), draw(most + 1)})
		}
	}
}

// TestSchedules executes every algorithm for 1 to 9, 12 and 16 members, in orders of delivery that differ each time, and compares
// with the definition of the operation.
func TestSchedules(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	orders := []func(int) int{rnd.IntN, func(n int) int { return n - 1 }} // any, and the last member first
	for c := range numColl {
		t.Run(c.String(), func(t *testing.T) {
			for n := 1; n <= 16; n++ {
				if n > 9 && n != 12 && n != 16 || osx.RaceEnabled && n > 5 && n != 7 && n != 8 { // nothing here runs beside anything else
					continue
				}
				for _, count := range []int{0, 1, n - 1, 2*n + 1} {
					for i, a := range kinds(Args{Coll: c, Members: n, Count: count, Size: elem, Segment: 3 * elem}) {
						found := algs(a)
						if len(found) == 0 {
							t.Fatalf("%+v: no algorithm serves it", a)
						}
						for j, root := range roots(a) {
							a.Root = root
							p := &problem{Args: a, op: opOf(a)}
							p.vary(count, rnd.IntN)
							for k, g := range found {
								if err := p.solve(g, orders[(i+j+k+n)%2]); err != nil {
									t.Fatalf("%v, %s: %v", g, p, err)
								}
							}
						}
					}
				}
			}
		})
	}
}

func (p *problem) String() string {
	return fmt.Sprintf("%+v, counts %v, edges %v", p.Args, p.counts, p.edges)
}
