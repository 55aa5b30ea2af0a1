package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gofabric/gofabric/pmi/server"
)

// launch is a running job.
type launch struct {
	c       *config
	token   string
	outputs *outputs
	stderr  io.Writer
	remotes []*remote
	wanted  chan struct{} // rank 0 has taken its input

	stopping chan struct{} // closed when ending is set

	mu      sync.Mutex
	failure *server.Failure         // guarded by mu: the first
	told    map[server.Failure]bool // guarded by mu: an agent tells what happened, and once more what it was when it ends
	ending  bool                    // guarded by mu
	puts    map[string]string       // guarded by mu: of the fence that is going on
}

// newLaunch places the ranks.
func newLaunch(c *config, progs []program, out *outputs, stderr io.Writer) *launch {
	l := &launch{c: c, token: rand.Text(), outputs: out, stderr: stderr, wanted: make(chan struct{}, 1),
		stopping: make(chan struct{}), puts: map[string]string{}, told: map[server.Failure]bool{}}
	size := 0
	for _, p := range progs {
		size += p.n
	}
	of, used, mapping := place(c.hosts, size)
	id := "mpirun_" + rand.Text()
	for i, h := range used {
		r := &remote{launch: l, name: h.name, ranks: map[int]bool{}, here: isHere(h.name)}
		r.part = part{ID: id, Size: size, Universe: max(size, slots(c.hosts)), Mapping: mapping, Keep: c.keep,
			Bind: c.bind, Input: i == of[0]}
		if r.here {
			r.part.Scratch = c.scratch
		}
		l.remotes = append(l.remotes, r)
	}
	rank := 0
	for app, p := range progs {
		for range p.n {
			r := l.remotes[of[rank]]
			r.ranks[rank] = true
			q := proc{Rank: rank, App: app, Args: p.args, Dir: p.dir, MustDir: p.mustDir, Env: p.env}
			if !r.here {
				q.Env = append(c.exported(), p.env...)
			}
			r.part.Procs = append(r.part.Procs, q)
			rank++
		}
	}
	return l
}

// run starts the job and gives its exit status.
func (l *launch) run(signals <-chan os.Signal) int {
	done := make(chan struct{})
	go l.watch(signals, done)
	var all sync.WaitGroup
	for _, h := range l.remotes {
		all.Go(h.run)
	}
	all.Wait()
	close(done)
	if err := l.outputs.close(); err != nil {
		l.fail(server.Failure{Rank: -1, Status: exitLost, Text: err.Error()}, false)
	}
	return l.status()
}

// Times of an end that does not come by itself.
const (
	hopeTime  = 10 * time.Second       // for agents, which have one second for their ranks
	asideTime = 500 * time.Millisecond // after a second signal, and for what is written to a terminal that is stopped
)

// watch ends the job by a signal or by its time, and loses patience with agents, and at last with whoever does not take
// our output.
func (l *launch) watch(signals <-chan os.Signal, done <-chan struct{}) {
	late, hope := never(), never()
	if l.c.timeout > 0 {
		late.Reset(l.c.timeout)
	}
	defer late.Stop()
	defer hope.Stop()
	stopping, killed := l.stopping, false
	for {
		select {
		case <-done:
			return
		case s := <-signals:
			if !l.fail(server.Failure{Rank: -1, Status: statusOf(s), Text: "ended by a signal: " + s.String()}, true) {
				l.order(stop{Force: true}) // the second time
				stopping = nil
				hope.Reset(asideTime)
			}
		case <-late.C:
			l.fail(server.Failure{Rank: -1, Status: exitTimeout, Text: fmt.Sprintf("the job took longer than -timeout %v", l.c.timeout)}, true)
		case <-stopping:
			stopping = nil
			hope.Reset(hopeTime)
		case <-hope.C:
			if killed {
				os.Exit(l.status())
			}
			killed = true
			l.kill()
			hope.Reset(2 * asideTime)
		}
	}
}

// never is a timer that is not set.
func never() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// kill ends the agents by force; their ranks go with them.
func (l *launch) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.remotes {
		if !h.ended && h.cmd != nil {
			h.cmd.Process.Kill() //nolint:errcheck // it may be gone
		}
	}
}

// status is the exit status of the job.
func (l *launch) status() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure == nil {
		return exitOK
	}
	return l.failure.Status
}

// say tells the user something.
func (l *launch) say(text string) {
	fmt.Fprintf(l.stderr, "mpirun: %s\n", strings.TrimRight(text, "\n"))
}

// fail notes a failure, and ends the job if end is set. The first one gives the exit status. It says whether the job was
// not being ended already.
func (l *launch) fail(f server.Failure, end bool) bool {
	l.mu.Lock()
	if l.ending || l.told[f] && !end {
		l.mu.Unlock()
		return false
	}
	l.told[f] = true
	if l.failure == nil {
		l.failure = &f
	}
	l.ending = end
	live := 0
	for _, h := range l.remotes {
		if !h.ended {
			live += len(h.ranks)
		}
	}
	l.mu.Unlock()
	switch {
	case end && f.Rank >= 0 && live > 1:
		l.say(f.Text + "; the other ranks are ended")
	default:
		l.say(f.Text)
	}
	if end {
		close(l.stopping)
		l.order(stop{Status: f.Status, Text: f.Text})
	}
	return true
}

// order tells all agents to end.
func (l *launch) order(s stop) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.remotes {
		if h.connected {
			h.out.send(jsonFrame(kindStop, s))
		}
	}
}

// joined notes that an agent answers. A job that ended in the meantime ends there too.
func (l *launch) joined(h *remote) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.connected = true
	if l.ending {
		h.out.send(jsonFrame(kindStop, stop{Status: exitLost}))
	}
}

// gone notes that a host has no ranks any more.
func (l *launch) gone(h *remote) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.ended = true
	l.complete()
}

// leave notes that no rank of a host takes part in fences any more.
func (l *launch) leave(h *remote) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.left = true
	l.complete()
}

// fence notes that all ranks of a host are in the fence.
func (l *launch) fence(h *remote, puts map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.arrived = true
	maps.Copy(l.puts, puts)
	l.complete()
}

// complete ends the fence when all hosts are in it. The caller holds mu.
func (l *launch) complete() {
	arrived := 0
	for _, h := range l.remotes {
		if h.arrived && !h.ended {
			arrived++
		} else if !h.left && !h.ended {
			return
		}
	}
	if arrived == 0 {
		return
	}
	frame := jsonFrame(kindRelease, l.puts)
	l.puts = map[string]string{}
	for _, h := range l.remotes {
		if h.arrived && !h.ended {
			h.out.send(frame)
		}
		h.arrived = false
	}
}

// feed gives rank 0 our input, piece by piece as it takes it.
func (l *launch) feed(h *remote) {
	readInBackground()
	buf := make([]byte, 32<<10)
	for {
		n, err := os.Stdin.Read(buf)
		if n > 0 {
			h.out.send(appendFrame(nil, kindInput, buf[:n]))
			<-l.wanted
		}
		if err != nil {
			h.out.send(appendFrame(nil, kindInput))
			return
		}
	}
}
