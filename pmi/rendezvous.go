package pmi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/pmi/server"
)

// rendezvousKnob brings the ranks of a launcher without PMI together.
var rendezvousKnob = envknob.String("FI_PMI_RENDEZVOUS", "pmi",
	"HOST:PORT or HOST:PORT/SECRET where rank 0 waits for the others, when Slurm or Open MPI started them without PMI", "")

// patience is how long members wait for rank 0 to listen, and rank 0 at its end for members to leave, when no context says
// less.
const patience = time.Minute

// joinRendezvous has rank 0 be the server of the others, which dial it.
func joinRendezvous(ctx context.Context, env envknob.Lookup) (*Job, error) {
	rank, size, id, err := place(env)
	if err != nil {
		return nil, err
	}
	where, _ := rendezvousKnob.Get(env)
	addr, secret, _ := strings.Cut(where, "/")
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "" || port == "0" {
		return nil, fail("join", fi.ErrInvalid, fmt.Sprintf("%s=%q: want HOST:PORT or HOST:PORT/SECRET", rendezvousKnob.Name(), where))
	}
	if size == 1 {
		return NewLocal(1)[0], nil
	}
	// A job that meets at an address by mistake, or that began before, is not let in.
	token := fmt.Sprintf("%x", sha256.Sum256([]byte(id+"/"+strconv.Itoa(size)+"/"+secret)))
	if rank == 0 {
		return host(ctx, addr, token, id, size)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fail("join", fi.ErrTimedOut, "nobody listens at "+addr+": rank 0 has to run there, see "+rendezvousKnob.Name()))
	defer cancel()
	return meet(ctx, addr, token, rank)
}

// meet dials rank 0.
func meet(ctx context.Context, addr, token string, rank int) (*Job, error) {
	conn, err := dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	w := newWire(conn, -1, -1)
	if err := w.introduce(ctx, rank, token); err != nil {
		conn.Close()
		return nil, fail("join", errors.Join(fi.ErrConnRefused, err), "rank 0 at "+addr+" did not let this process in: the SECRET and the job have to be the same everywhere, and each rank joins once")
	}
	return w.join1(ctx)
}

// dial tries until somebody listens: rank 0 may come last, and its name may not be known yet.
func dial(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	for wait := time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		conn, err := d.DialContext(ctx, "tcp", addr)
		if err == nil {
			return conn, nil
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil, errors.Join(context.Cause(ctx), err)
		}
	}
}

// host is rank 0: it serves the others until they have left.
func host(ctx context.Context, addr, token, id string, size int) (*Job, error) {
	space, err := server.NewSpace(server.SpaceConfig{ID: id, Size: size, Mapping: "unknown", KeepGoing: true})
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fail("join", errors.Join(fi.ErrAddrInUse, err), addr+" is to be an address of the host of rank 0, with a port that is free")
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		space.ServePort(ln, token)
	}()
	j, err := meet(ctx, ln.Addr().String(), token, 0)
	if err != nil {
		ln.Close()
		<-served
		return nil, err
	}
	j.link = &hosting{client1: j.link.(*client1), ln: ln, served: served}
	return j, nil
}

// hosting is the wire of rank 0 to its own server.
type hosting struct {
	*client1
	ln     net.Listener
	served chan struct{} // closed when all connections have ended
}

// close waits for the others, which still talk to this process, but not for ever.
func (h *hosting) close() error {
	err := h.client1.close()
	h.ln.Close()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-h.served:
		return err
	case <-t.C:
		return errors.Join(err, fail("finalize", fi.ErrTimedOut, "some ranks have not closed their Job; their next calls will fail"))
	}
}

// place reads rank and size from what Slurm or Open MPI says.
func place(env envknob.Lookup) (rank, size int, id string, err error) {
	names := [3]string{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"}
	if _, ok := env(names[0]); !ok {
		names = [3]string{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID"}
	}
	if size, err = number(env, names[1], 1, maxSize); err != nil {
		return 0, 0, "", err
	}
	if rank, err = number(env, names[0], 0, size-1); err != nil {
		return 0, 0, "", err
	}
	id, _ = env(names[2])
	if step, ok := env("SLURM_STEP_ID"); ok && strings.HasPrefix(names[2], "SLURM") {
		id += "." + step
	}
	return rank, size, tidy("rendezvous_" + id), nil
}

// tidy makes a text that PMI can carry.
func tidy(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f || r == '=' || r == ';' || r == '\\' || r == '/' {
			return '_'
		}
		return r
	}, s[:min(len(s), 200)])
}

// alone says whether a launcher without PMI started this process only.
func alone(env envknob.Lookup) bool {
	for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"} {
		if v, ok := env(name); ok {
			return v == "1"
		}
	}
	return true
}
