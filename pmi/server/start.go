package server

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Job is a set of processes that were started together and end together.
type Job struct {
	spec  Spec
	space *Space
	port  net.Listener // nil without Spec.Port
	token string

	mu      sync.Mutex
	procs   []*process // guarded by mu until all are started
	failure *Failure   // guarded by mu: the first
	ending  bool       // guarded by mu: the processes are being killed

	stop chan struct{} // closed when ending is set
	done chan struct{} // closed when all processes have ended
}

// Start starts the processes. When one cannot be started none is left, and the error says which. When ctx ends before the
// processes do, they are killed as [Job.Stop] does it. The caller waits for them with [Job.Wait].
func Start(ctx context.Context, spec Spec) (*Job, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if spec.Grace == 0 {
		spec.Grace = time.Second
	}
	j := &Job{spec: spec, stop: make(chan struct{}), done: make(chan struct{})}
	c := SpaceConfig{ID: spec.ID, Size: spec.Size, Universe: spec.Universe, Mapping: spec.Mapping,
		AppNums: map[int]int{}, KeepGoing: spec.KeepGoing, Exchange: spec.Exchange, Left: spec.Left, Abort: j.abort, Note: spec.Note}
	if c.Size == 0 {
		c.Size = len(spec.Procs)
	}
	for i := range spec.Procs {
		rank := j.rank(i)
		c.Ranks = append(c.Ranks, rank)
		c.AppNums[rank] = spec.Procs[i].AppNum
	}
	var err error
	if j.space, err = NewSpace(c); err != nil {
		return nil, err
	}
	if spec.Port || !inherits {
		if err := j.listen(); err != nil {
			return nil, err
		}
	}
	if err := j.start(); err != nil {
		return nil, err
	}
	go j.watch(ctx)
	return j, nil
}

// rank is the rank of the i-th process.
func (j *Job) rank(i int) int {
	if j.spec.Size == 0 {
		return i
	}
	return j.spec.Procs[i].Rank
}

// start starts all processes, or none.
func (j *Job) start() error {
	var all sync.WaitGroup
	var failed error
	for i := range j.spec.Procs {
		p, err := j.spawn(i)
		if err != nil {
			failed = fmt.Errorf("rank %d: %w", j.rank(i), err)
			break
		}
		j.mu.Lock()
		j.procs = append(j.procs, p)
		ending := j.ending
		j.mu.Unlock()
		if ending { // the first ranks have failed while the last are being started
			p.signal(true)
		}
		all.Go(func() { j.attend(p) })
	}
	if failed != nil {
		j.end(&Failure{Rank: -1, Status: 1, Text: failed.Error()}, true)
	}
	finish := func() {
		all.Wait()
		if j.port != nil {
			j.port.Close()
		}
		close(j.done)
	}
	if failed != nil {
		finish()
		return failed
	}
	go finish()
	return nil
}

// attend waits for a process and judges its end.
func (j *Job) attend(p *process) {
	exit := p.wait()
	state := j.space.State(p.rank)
	joined := p.joined() && state != StateLeft
	defer j.space.Gone(p.rank) // after the others were told to end, if they are

	j.mu.Lock()
	ending := j.ending
	j.mu.Unlock()
	if ending {
		return
	}
	if exit.Status == 0 && joined {
		exit.Status = 1
		exit.Text = fmt.Sprintf("rank %d ended with status 0 without leaving the job: a program that calls MPI_Init, or pmi.Join, has to call MPI_Finalize, or Close, before it exits", p.rank)
	}
	if exit.Status != 0 {
		j.end(&exit, !j.spec.KeepGoing)
	}
}

// abort is called by the space when a member ends the job.
func (j *Job) abort(rank, code int) {
	j.end(&Failure{Rank: rank, Status: code, Abort: true, Text: fmt.Sprintf("rank %d ended the job (abort) with status %d", rank, code)}, true)
}

// end notes a failure, the first one, and kills all processes if kill is set.
func (j *Job) end(f *Failure, kill bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ending && j.spec.Failed != nil {
		j.spec.Failed(*f)
	}
	if j.failure == nil {
		j.failure = f
	}
	if !kill || j.ending {
		return
	}
	j.ending = true
	close(j.stop)
	for _, p := range j.procs {
		p.signal(j.spec.Grace < 0)
	}
}

// watch kills with force what did not end when it was asked to, and ends the job with its context.
func (j *Job) watch(ctx context.Context) {
	select {
	case <-j.done:
		return
	case <-ctx.Done():
		j.Stop(1, "the job was ended: "+context.Cause(ctx).Error())
	case <-j.stop:
	}
	grace := time.NewTimer(max(j.spec.Grace, 0))
	defer grace.Stop()
	select {
	case <-j.done:
	case <-grace.C:
		j.Kill()
	}
}

// Stop ends the job: processes get SIGTERM, and SIGKILL after [Spec.Grace]. Wait gives status and text, unless something
// failed before. It does not wait.
func (j *Job) Stop(status int, text string) {
	j.end(&Failure{Rank: -1, Status: status, Text: text}, true)
}

// Kill sends SIGKILL to all processes, and does not wait.
func (j *Job) Kill() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range j.procs {
		p.signal(true)
	}
}

// Release ends a fence, see [Space.Release].
func (j *Job) Release(puts map[string]string) { j.space.Release(puts) }

// Wait waits until all processes have ended and their output is written. The status is 0 when each ended by itself with
// status 0; else the error is a [*Failure] that says what happened first.
func (j *Job) Wait() (status int, err error) {
	<-j.done
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failure == nil {
		return 0, nil
	}
	return j.failure.Status, j.failure
}
