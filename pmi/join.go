package pmi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/pmi/internal/foreign"
)

// Join makes this process a member of the job that its launcher started. What the launcher left in the environment says
// how: PMI_FD or PMI_PORT for a launcher that speaks PMI; the ranks of Slurm or Open MPI together with FI_PMI_RENDEZVOUS;
// without any of these the process is a job of one. A launcher that speaks PMIx only is an error that says what to use
// instead. When ctx ends before the launcher has answered, Join gives up.
//
// A process joins once: an inherited descriptor belongs to the first Join, and a second one fails.
func Join(ctx context.Context) (*Job, error) { return join(ctx, os.LookupEnv) }

func join(ctx context.Context, env envknob.Lookup) (*Job, error) {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { v, ok := env(name); return !ok || v == "" })
	}
	if _, err := versionKnob.Get(env); err != nil {
		return nil, err
	}
	switch {
	case has("PMI_FD"):
		return joinFD(ctx, env)
	case has("PMI_PORT"):
		return joinPort(ctx, env)
	case has(rendezvousKnob.Name()):
		return joinRendezvous(ctx, env)
	case alone(env):
	case foreign.Join != nil && has("PMIX_RANK", "PMIX_NAMESPACE"):
		return joinForeign(ctx)
	case has("PMIX_RANK", "PMIX_NAMESPACE"), has("OMPI_COMM_WORLD_SIZE"):
		return nil, fail("join", fi.ErrOpNotSupp, "the launcher speaks PMIx only: start the job with this module's mpirun, mpiexec.hydra or srun --mpi=pmi2, set "+rendezvousKnob.Name()+"=HOST:PORT for all ranks (mpirun -x), HOST being where rank 0 runs, or import package pmi/pmix")
	case has("SLURM_PROCID", "SLURM_STEP_ID"):
		return nil, fail("join", fi.ErrOpNotSupp, "srun gave this process no PMI: start the job with srun --mpi=pmi2, or set "+rendezvousKnob.Name()+"=HOST:PORT for all ranks, HOST being where rank 0 runs")
	}
	return NewLocal(1)[0], nil
}

// taken is set once the inherited descriptor is in use. Its number may be another file's by then.
var taken atomic.Bool

// joinFD takes the socket that the launcher left open for this process.
func joinFD(ctx context.Context, env envknob.Lookup) (*Job, error) {
	fd, err := number(env, "PMI_FD", 0, 1<<30)
	if err != nil {
		return nil, err
	}
	size, err := number(env, "PMI_SIZE", 1, maxSize)
	if err != nil {
		return nil, err
	}
	rank, err := number(env, "PMI_RANK", 0, size-1)
	if err != nil {
		return nil, err
	}
	if !taken.CompareAndSwap(false, true) {
		return nil, fail("join", fi.ErrAlready, "this process has joined its job before: keep the Job of the first Join")
	}
	f := os.NewFile(uintptr(fd), "pmi")
	conn, err := net.FileConn(f)
	f.Close() // FileConn has a copy, which no child inherits
	if err != nil {
		return nil, fail("join", errors.Join(fi.ErrBadFD, err), fmt.Sprintf("PMI_FD=%d is no socket of a launcher: start the program itself with the launcher, not through something that closes descriptors", fd))
	}
	w := newWire(conn, rank, size)
	if wants2(env) {
		return w.join2(ctx, env)
	}
	return w.join1(ctx)
}

// versionKnob overrules the choice of the protocol.
var versionKnob = envknob.Choice("FI_PMI_VERSION", "pmi", "protocol to speak on PMI_FD: 1, 2, or auto, which is 2 with Slurm", "auto", "auto", "1", "2")

// wants2 chooses the protocol. Slurm carries all values with the fence in PMI-2, and one by one in PMI-1; Hydra is as fast
// with either.
func wants2(env envknob.Lookup) bool {
	_, slurm := env("SLURM_STEP_ID")
	_, step := env("PMI_JOBID")
	switch v, _ := versionKnob.Get(env); v {
	case "1":
		return false
	case "2":
		return true
	}
	return slurm && step
}

// maxSize bounds what a launcher may say.
const maxSize = 1 << 20

// number reads a variable that has to be there.
func number(env envknob.Lookup, name string, low, high int) (int, error) {
	v, ok := env(name)
	n, err := strconv.Atoi(v)
	if !ok || err != nil || n < low || n > high {
		return 0, fail("join", fi.ErrInvalid, fmt.Sprintf("%s=%q in the environment: want a number from %d to %d, as launchers set it", name, v, low, high))
	}
	return n, nil
}
