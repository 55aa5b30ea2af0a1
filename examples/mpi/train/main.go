// Train fits a model to data that is spread over the ranks: each computes the gradient of its part, an all-reduce adds the
// gradients, and all make the same step. The result is that of one process within what rounding can do to the sums.
//
//	mpirun -n 4 ./train
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gofabric/gofabric/mpi"
)

const (
	samples = 1000
	steps   = 200
	rate    = 1.0
	weights = 3
)

// sample is a point in the plane, and whether it is above a line; some are on the wrong side.
type sample struct {
	x     [weights]float64 // 1, and the coordinates
	above float64
}

type model [weights]float64

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	all := data()
	mine := all[world.Rank()*samples/world.Size() : (world.Rank()+1)*samples/world.Size()]

	var m model
	for range steps {
		g := make([]float64, weights)
		m.gradient(mine, g, nil)
		if err := mpi.Allreduce(ctx, world, nil, g, mpi.Sum); err != nil {
			return err
		}
		m.step(g)
	}
	if world.Rank() != 0 {
		return nil
	}
	alone, bound := serial(all)
	for i := range m {
		if d := math.Abs(m[i] - alone[i]); d > bound {
			return fmt.Errorf("weight %d differs by %g from that of one process, which is more than %g", i, d, bound)
		}
	}
	fmt.Printf("loss %.4f, %.1f %% right, as one process has it\n", m.loss(all), 100*m.right(all))
	return nil
}

// serial trains in one process, and bounds how far rounding may lead another order of addition away from that.
func serial(all []sample) (m model, bound float64) {
	for range steps {
		g, size := make([]float64, weights), make([]float64, weights)
		m.gradient(all, g, size)
		m.step(g)
		bound += rounding(size)
	}
	return m, bound
}

// gradient adds the gradient of some samples to g, and the sizes of what is added to size.
func (m *model) gradient(part []sample, g, size []float64) {
	for _, s := range part {
		d := m.predict(s) - s.above
		for i, x := range s.x {
			g[i] += d * x
			if size != nil {
				size[i] += math.Abs(d * x)
			}
		}
	}
}

func (m *model) step(g []float64) {
	for i := range m {
		m[i] -= rate * g[i] / samples
	}
}

func (m *model) predict(s sample) float64 {
	z := 0.0
	for i, x := range s.x {
		z += m[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// rounding bounds what a step adds to the difference of two models that sum up in different orders: a sum of n terms is
// wrong by n·u/(1-n·u) times the sum of their sizes at most, u being half of the distance from 1 to the next float. Terms and
// the step itself have some more roundings, for which 64 is much. A step does not enlarge the difference that is there,
// because the loss is convex and the rate small.
func rounding(size []float64) (bound float64) {
	const nu = (samples + 64) * 0x1p-53
	for _, s := range size {
		bound += 2 * nu / (1 - nu) * s * rate / samples
	}
	return bound
}

func (m *model) loss(all []sample) (sum float64) {
	for _, s := range all {
		p := m.predict(s)
		sum -= s.above*math.Log(p) + (1-s.above)*math.Log(1-p)
	}
	return sum / samples
}

func (m *model) right(all []sample) (share float64) {
	for _, s := range all {
		if (m.predict(s) > 0.5) == (s.above > 0.5) {
			share += 1.0 / samples
		}
	}
	return share
}

// data makes the samples, the same at all ranks.
func data() []sample {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]sample, samples)
	for i := range all {
		x, y := 2*random.Float64()-1, 2*random.Float64()-1
		all[i].x = [weights]float64{1, x, y}
		if y > 0.5*x+0.1+0.2*random.NormFloat64() {
			all[i].above = 1
		}
	}
	return all
}
