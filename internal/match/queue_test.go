package match

import (
	"flag"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var steps = flag.Int("match.steps", 1500, "steps of each random run against the model")

// TestModel compares short histories with the model; rapid shrinks those that fail.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") })
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			m.step()
		}
	})
}

// TestModelLong does the same with long ones.
func TestModelLong(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := newModel(t, rng.IntN)
		for range *steps {
			m.step()
		}
	}
}

// TestModelCancel cancels among very many receives, some of which go and some of which come in between.
func TestModelCancel(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := newModel(t, rng.IntN)
		m.tags, m.masks = 300, allMasks[:1]
		for range 8 {
			for len(m.posted) < 4*fewPosted {
				m.post()
			}
			for range 60 {
				m.cancel()
				for range rng.IntN(4) {
					m.arrive()
					m.post()
				}
				m.check()
			}
		}
	}
}
