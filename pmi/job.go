package pmi

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/gofabric/gofabric/fi"
)

// link is the way to the other members: a wire to a launcher, or memory. Keys and values are [plain] texts of at most
// maxKey and maxValue bytes. Calls come one at a time, but for abort.
type link interface {
	put(ctx context.Context, kvs []pair) error
	// fence enters the barrier once, however often it is called until it returns nil.
	fence(ctx context.Context) error
	// get gives the values in the order of the keys; one that nobody published is an error with fi.ErrNoEnt.
	get(ctx context.Context, keys []string) ([]string, error)
	abort(code int, msg string) error
	close() error
}

type pair struct{ key, value string }

// Job is one process's membership in a job. [Join] and [NewLocal] make it; [Job.Close] ends it.
type Job struct {
	rank, size int
	id         string
	nodes      []int
	appnum     int
	universe   int

	turn    chan struct{} // holds one token: whoever has it may use link; taken under a context, so not a Mutex
	link    link
	fencing bool // guarded by turn: a fence was entered whose end nobody has seen

	mu     sync.Mutex
	closed bool // guarded by mu
	err    error
}

func newJob(rank, size int, l link) *Job {
	j := &Job{rank: rank, size: size, universe: size, link: l, turn: make(chan struct{}, 1)}
	j.turn <- struct{}{}
	return j
}

// Rank is this process's number in the job, from 0 (PMI-1 PMI_RANK).
func (j *Job) Rank() int { return j.rank }

// Size is the number of processes of the job, at least 1 (PMI-1 PMI_SIZE).
func (j *Job) Size() int { return j.size }

// ID names the job: the same text for all members, and for no other job that runs (PMI-1 my_kvsname, PMI-2 job-getid).
// It has no blanks.
func (j *Job) ID() string { return j.id }

// Nodes gives, for each rank, the number of the host that the launcher put it on, from 0 (PMI_process_mapping). It is
// nil when the launcher does not say. The slice is the caller's.
func (j *Job) Nodes() []int { return slices.Clone(j.nodes) }

// AppNum is the number of the program that this process runs, of those that the launcher was given with ":" between
// them, from 0 (PMI-1 appnum, MPI_APPNUM; MPI 4.1, 11.10.3). It is -1 when the launcher does not say.
func (j *Job) AppNum() int { return j.appnum }

// UniverseSize is the number of processes that the launcher has room for (MPI_UNIVERSE_SIZE; MPI 4.1, 11.10.1), or Size
// when it does not say.
func (j *Job) UniverseSize() int { return j.universe }

// Put publishes value under key: others see it after the next [Job.Fence] of all. Put a key once: with a
// second value of it some launchers replace the first, others do not (PMI-1 put, PMI-2 kvs-put). A key is 1 to 48 letters, digits, dots, dashes and underscores, and belongs to the whole
// job: put the rank into it. A value is any bytes of any length; it is encoded and split for the wire, 512 bytes a piece,
// so that short ones are much cheaper. Put keeps nothing of value.
func (j *Job) Put(key string, value []byte) error {
	if err := checkKey("put", key); err != nil {
		return err
	}
	ctx := context.Background()
	return j.do(ctx, "put", func() error {
		if j.fencing {
			return fail("put", fi.ErrBusy, "an earlier Fence was left by its context: call Fence again until it returns nil")
		}
		return j.link.put(ctx, encode(key, value))
	})
}

// Fence waits until all members have called it; what they put before is visible to all after it (PMI-1 barrier_in, PMI-2
// kvs-fence). Members that have left count as arrived. When ctx ends first its error comes back, the fence stays
// entered, and the next call of Fence goes on waiting for the same one; until then Put and Get fail with FI_EBUSY.
func (j *Job) Fence(ctx context.Context) error {
	return j.do(ctx, "fence", func() error {
		err := j.link.fence(ctx)
		j.fencing = err != nil && ctx.Err() != nil
		return err
	})
}

// Get gives what a member put under key before the last fence (PMI-1 get, PMI-2 kvs-get). A key that nobody put is an
// error with fi.ErrNoEnt, at once: Get does not wait for a Put.
func (j *Job) Get(ctx context.Context, key string) ([]byte, error) {
	values, err := j.GetAll(ctx, key)
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// GetAll is [Job.Get] for many keys; the values come in the order of the keys. Where the launcher allows it, as mpirun
// does, the requests are sent together, and all of them cost little more than one.
func (j *Job) GetAll(ctx context.Context, keys ...string) ([][]byte, error) {
	for _, key := range keys {
		if err := checkKey("get", key); err != nil {
			return nil, err
		}
	}
	var values [][]byte
	err := j.do(ctx, "get", func() (err error) {
		if j.fencing {
			return fail("get", fi.ErrBusy, "an earlier Fence was left by its context: call Fence again until it returns nil")
		}
		values, err = gather(keys, func(keys []string) ([]string, error) { return j.link.get(ctx, keys) })
		return err
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// Exchange gives the value of every member for one's own, in the order of ranks. All members call it, with the same name,
// which no other Exchange of the job has: it is a [Job.Put], a [Job.Fence] and a [Job.GetAll], and fails as these do. It
// keeps nothing of mine.
func (j *Job) Exchange(ctx context.Context, name string, mine []byte) ([][]byte, error) {
	keys := make([]string, j.size)
	for r := range keys {
		keys[r] = name + "-" + strconv.Itoa(r)
	}
	if err := j.Put(keys[j.rank], mine); err != nil {
		return nil, err
	}
	if err := j.Fence(ctx); err != nil {
		return nil, err
	}
	return j.GetAll(ctx, keys...)
}

// do runs f when no other call is under way.
func (j *Job) do(ctx context.Context, op string, f func() error) error {
	select {
	case <-j.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { j.turn <- struct{}{} }()
	j.mu.Lock()
	closed := j.closed
	j.mu.Unlock()
	if closed {
		return fail(op, fi.ErrShutdown, "the job was closed in this process: call "+op+" before Close")
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return f()
}

// Abort ends the whole job: the launcher kills all its processes, this one too, and ends with status code (PMI-1 abort,
// MPI_Abort). It returns when the launcher has been told; the caller then has nothing to do but to exit with code. In a
// job of [NewLocal] and in a job of one nobody kills: the calls of all members fail from now on, with msg in the error.
// A code outside 1 to 255 becomes 1, as an exit status cannot say more.
func (j *Job) Abort(code int, msg string) error {
	if code < 1 || code > 255 {
		code = 1
	}
	return j.link.abort(code, msg)
}

// Close leaves the job (PMI-1 and PMI-2 finalize). It waits for a call that is under way. A process that ends without it
// counts as failed, and a launcher ends the job. A second Close gives what the first gave.
func (j *Job) Close() error {
	<-j.turn
	defer func() { j.turn <- struct{}{} }()
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.closed {
		j.closed = true
		j.err = j.link.close()
	}
	return j.err
}
