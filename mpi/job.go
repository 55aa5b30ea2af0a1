package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/internal/hostid"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/pmi"
)

// job is one process's part in a job.
type job struct {
	dev      *device.Device
	pmi      *pmi.Job
	world    *Comm
	self     *Comm
	contexts contexts
	windows  windows
	closed   atomic.Bool
	check    bool // compare element types
	table    coll.Table
	chosen   [len(plans{}.recent)]bool // operations whose algorithm a variable names
	comms    sync.Map                  // contexts to communicators, *Comm
	shares   shares
	host     string // this process's, as it tells the others
	hosts    []int  // the number of each rank's host, in order of appearance
}

// Init joins the job that the launcher started this process in, or makes a job of one (MPI_Init_thread with
// MPI_THREAD_MULTIPLE), and gives the communicator of all of its processes (MPI_COMM_WORLD). All members call it; ctx bounds
// how long it waits for them. Close of that communicator leaves the job.
//
// Errors: what the launcher says wrongly, providers that cannot be used, ctx's.
func Init(ctx context.Context, opts ...Option) (*Comm, error) {
	o := options{host: os.Getenv(hostid.Variable)}
	if err := o.environment(); err != nil {
		return nil, err
	}
	for _, opt := range opts {
		opt(&o)
	}
	member := o.member
	if member == nil {
		var err error
		if member, err = pmi.Join(ctx); err != nil {
			return nil, &Error{Op: "Init", Class: ErrOther, Rank: NoRank, Err: err}
		}
	}
	table, err := tableFrom(os.LookupEnv)
	if err != nil {
		return nil, &Error{Op: "Init", Class: ErrArg, Rank: NoRank, Err: errors.Join(err, member.Close())}
	}
	j := &job{pmi: member, check: o.check, table: table, chosen: chosen(os.LookupEnv), host: hostid.Of(o.host)}
	dev, err := device.Open(ctx, device.Config{
		Rank:     member.Rank(),
		Size:     member.Size(),
		Provider: provider(&o),
		Exchange: j.exchange,
		Fabric:   o.fabric,
		Watchdog: o.watchdog,
		Report:   o.report,
	})
	if err != nil {
		err = errors.Join(err, member.Close())
		return nil, &Error{Op: "Init", Class: ErrOther, Rank: NoRank, Err: err}
	}
	j.dev = dev
	dev.Handle(device.KindCall, j.asked)
	dev.Handle(device.KindWake, j.woken)
	all := make([]int, dev.Size)
	for i := range all {
		all[i] = i
	}
	j.contexts.init()
	j.world = j.newComm(worldContext, all)
	j.self = j.newComm(selfContext, []int{dev.Rank})
	return j.world, nil
}

// exchange gives every member's value by way of the launcher, and tells the others which host this is.
func (j *job) exchange(ctx context.Context, mine []byte) ([][]byte, error) {
	all, err := j.pmi.Exchange(ctx, "gofabric", append([]byte(j.host), mine...))
	if err != nil {
		return nil, err
	}
	if j.hosts, err = hostNumbers(all, j.pmi.Nodes()); err != nil {
		return nil, err
	}
	for i, v := range all {
		all[i] = v[hostid.Len:]
	}
	return all, nil
}

// leaveWithin bounds how long finalize waits for what nobody has received.
const leaveWithin = time.Second

func (j *job) finalize() error {
	j.shares.leaveAll(j)
	var err error
	damaged := j.world.scope.Revoked() || j.dev.Failures() > 0
	if !damaged {
		err = j.world.barrier(context.Background())
		damaged = errors.Is(err, ErrProcFailed) || errors.Is(err, ErrRevoked)
	}
	if damaged {
		_, err = j.world.scope.Agree(context.Background(), device.Vote{}) // the barrier of those who live
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	_ = j.dev.Drain(ctx) // what all others will never receive is lost, as the documentation says
	j.windows.end(err == nil && !damaged)
	j.closed.Store(true)
	return errors.Join(err, j.shares.free(), j.pmi.Close(), j.dev.Close())
}

// Leave gives up the process's part in the job without waiting for anybody: for a rank that has failed where others go
// on. What it had sent may be lost. Of another communicator than the world it is Close.
func (c *Comm) Leave() error {
	if c != c.job.world {
		return c.Close()
	}
	if c.closed.Swap(true) {
		return nil
	}
	c.job.windows.end(false)
	c.job.dev.Resign()
	c.job.closed.Store(true)
	c.job.shares.leaveAll(c.job)
	return errors.Join(c.job.shares.free(), c.job.dev.Close(), c.job.pmi.Close())
}

// Self is the communicator of this process alone (MPI_COMM_SELF).
func (c *Comm) Self() *Comm { return c.job.self }

// Abort ends the whole job, this process included, with an exit status (MPI_Abort). It does not return, unless the ranks
// of the job are goroutines of one process: these are not ended.
func (c *Comm) Abort(code int) error {
	return c.job.pmi.Abort(code, fmt.Sprintf("rank %d called Abort(%d)", c.job.dev.Rank, code))
}

// Provider is the name of the provider that carries the messages: "shm", "tcp", "lnx".
func (c *Comm) Provider() string { return c.job.dev.Provider() }
