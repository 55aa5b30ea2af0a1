package server

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// process is a running member.
type process struct {
	rank  int
	space *Space
	cmd   *exec.Cmd

	served  chan struct{} // closed when the member's connection has ended; nil with a port
	conn    net.Conn      // our end; nil with a port
	outputs sync.WaitGroup
	readers []*output

	mu   sync.Mutex
	over bool // guarded by mu: the process was reaped, its number may be another's
}

// spawn starts the i-th process.
func (j *Job) spawn(i int) (_ *process, err error) {
	spec := &j.spec.Procs[i]
	path, err := lookPath(spec)
	if err != nil {
		return nil, err
	}
	p := &process{rank: j.rank(i), space: j.space}
	cmd := exec.Command(path)
	if cmd.Args = spec.Args; len(cmd.Args) == 0 {
		cmd.Args = []string{spec.Path}
	}
	cmd.Dir = spec.Dir
	cmd.Env = append(clean(spec.Env),
		"PMI_RANK="+strconv.Itoa(p.rank), "PMI_SIZE="+strconv.Itoa(j.space.c.Size),
		"MPI_LOCALRANKID="+strconv.Itoa(i), "MPI_LOCALNRANKS="+strconv.Itoa(len(j.spec.Procs)))
	p.cmd = cmd

	var theirs []*os.File // ends that the process has; closed here in any case
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			p.release()
		}
	}()
	if j.port != nil {
		cmd.Env = append(cmd.Env, "PMI_PORT="+j.port.Addr().String(), "PMI_ID="+strconv.Itoa(p.rank), "FI_PMI_TOKEN="+j.token)
	} else {
		mine, child, err := socketPair()
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, child)
		p.conn = mine
		cmd.ExtraFiles = []*os.File{child}
		cmd.Env = append(cmd.Env, "PMI_FD=3")
	}
	if cmd.Stdout, err = p.output(spec.Stdout, &theirs); err != nil {
		return nil, err
	}
	if cmd.Stderr, err = p.output(spec.Stderr, &theirs); err != nil {
		return nil, err
	}
	feed, err := p.input(spec.Stdin, &theirs)
	if err != nil {
		return nil, err
	}
	if err := launch(cmd, spec.Pin, spec.CPU); err != nil {
		if feed != nil {
			feed.Close()
		}
		return nil, err
	}
	if p.conn != nil {
		p.served = make(chan struct{})
		go func() {
			defer close(p.served)
			p.space.Serve(p.rank, p.conn)
		}()
	}
	for _, o := range p.readers {
		p.outputs.Go(o.copy)
	}
	if feed != nil {
		go func() {
			io.Copy(feed, spec.Stdin) //nolint:errcheck // a process need not read what it is given
			feed.Close()
		}()
	}
	return p, nil
}

// clean takes out what an outer launcher told this process about itself.
func clean(env []string) []string {
	out := make([]string, 0, len(env)+8)
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "PMI_FD", "PMI_PORT", "PMI_ID", "PMI_RANK", "PMI_SIZE", "PMI_JOBID", "PMI_SPAWNED", "FI_PMI_TOKEN",
			"FI_PMI_RENDEZVOUS", "FI_PMI_VERSION", "MPI_LOCALRANKID", "MPI_LOCALNRANKS":
		default:
			out = append(out, e)
		}
	}
	return out
}

// release gives back what a process that was not started has of ours.
func (p *process) release() {
	if p.conn != nil {
		p.conn.Close()
	}
	for _, o := range p.readers {
		o.r.Close()
	}
}

// input gives the process its standard input, and us what to write it to, if it is not a file.
func (p *process) input(from io.Reader, theirs *[]*os.File) (feed *os.File, err error) {
	switch f := from.(type) {
	case nil:
		return nil, nil
	case *os.File:
		p.cmd.Stdin = f
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	*theirs = append(*theirs, r)
	p.cmd.Stdin = r
	return w, nil
}

// output gives the process a file to write to.
func (p *process) output(to io.Writer, theirs *[]*os.File) (io.Writer, error) {
	switch f := to.(type) {
	case nil:
		return nil, nil
	case *os.File:
		return f, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	*theirs = append(*theirs, w)
	p.readers = append(p.readers, &output{r: r, to: to})
	return w, nil
}

// output copies what a process writes.
type output struct {
	r    *os.File
	to   io.Writer
	last atomic.Bool // the process has ended: nothing more is expected but from what escaped its group
}

// Times after the end of a process.
const (
	quiet = 300 * time.Millisecond // without output from what it left behind
	limit = 3 * time.Second        // for such output, or for a connection that somebody still holds
)

func (o *output) copy() {
	defer o.r.Close()
	buf := make([]byte, 32<<10)
	var end time.Time
	for {
		n, err := o.r.Read(buf)
		if n > 0 {
			if _, werr := o.to.Write(buf[:n]); werr != nil {
				return // the process gets SIGPIPE, as it would without us
			}
		}
		if o.last.Load() {
			if end.IsZero() {
				end = time.Now().Add(limit)
			}
			if n == 0 || time.Now().After(end) {
				return
			}
			o.r.SetReadDeadline(time.Now().Add(quiet)) //nolint:errcheck // pipes have deadlines
			continue
		}
		if err != nil {
			return
		}
	}
}

// finish lets copy end soon, with what is written already.
func (o *output) finish() {
	o.last.Store(true)
	o.r.SetReadDeadline(time.Now().Add(quiet)) //nolint:errcheck // pipes have deadlines
}

// joined tells whether the process became a member.
func (p *process) joined() bool {
	p.space.mu.Lock()
	defer p.space.mu.Unlock()
	return p.space.members[p.rank].joined
}

// wait waits for the process, kills what it left in its group, and waits for its output and its last words to the space.
func (p *process) wait() Failure {
	var err error
	if await(p.cmd.Process) {
		p.mu.Lock()
		p.kill() // before the reaping: until then the number is the group's
		err = p.cmd.Wait()
	} else { // this system cannot wait without reaping
		err = p.cmd.Wait()
		p.mu.Lock()
		p.kill()
	}
	p.over = true
	p.mu.Unlock()
	for _, o := range p.readers {
		o.finish()
	}
	p.outputs.Wait()
	if p.conn != nil {
		p.conn.SetReadDeadline(time.Now().Add(limit)) //nolint:errcheck // sockets have deadlines
		<-p.served
	}
	return p.judge(err)
}

// judge puts the end of a process into words. A status of 0 is none.
func (p *process) judge(err error) Failure {
	e := Failure{Rank: p.rank}
	st := p.cmd.ProcessState
	if st == nil {
		e.Status, e.Text = 1, fmt.Sprintf("rank %d cannot be waited for: %v", p.rank, err)
		return e
	}
	if sig, name := signaled(st); sig != 0 {
		e.Status = 128 + sig
		e.Text = fmt.Sprintf("rank %d was killed by signal %d (%s)", p.rank, sig, name)
	} else if code := st.ExitCode(); code != 0 {
		e.Status = code & 0xff
		if e.Status == 0 {
			e.Status = 1
		}
		e.Text = fmt.Sprintf("rank %d ended with status %d", p.rank, code)
	}
	return e
}

// signal asks the process and its group to end, or makes them.
func (p *process) signal(force bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	if force {
		p.kill()
	} else {
		p.ask()
	}
}
