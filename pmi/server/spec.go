package server

import (
	"fmt"
	"io"
	"time"
)

// Spec describes the processes of a job, or of the part of it on this host.
type Spec struct {
	Procs []Proc

	// Size is the number of members of the whole job when Procs is a part of it; each Proc then has its Rank. 0 means
	// that Procs is all of the job and that ranks are their indices.
	Size     int
	ID       string // of the job, the same for all parts; empty for a random one
	Universe int    // processes that there is room for; 0 for the size
	Mapping  string // where all ranks run, see [Mapping]; empty for one node

	KeepGoing bool          // a process that fails does not end the others; fences do not wait for it
	Grace     time.Duration // between the request to end, SIGTERM, and SIGKILL; 0 for one second, negative for none
	Port      bool          // processes dial a port of the loopback instead of inheriting a socket

	// Exchange makes this a part of a job: see [SpaceConfig]. What it leads to is a call of [Job.Release].
	Exchange func(puts map[string]string)
	// Left is called when no process takes part in fences any more. May be nil.
	Left func()
	// Failed is called at once for each process that fails and for an abort, until the job is being ended. It must not call
	// the Job. May be nil.
	Failed func(Failure)
	// Note is called with a sentence about a member that broke the protocol. May be nil.
	Note func(rank int, text string)
}

// Proc is one process.
type Proc struct {
	Rank   int      // used when Spec.Size is set
	AppNum int      // which of the job's programs this is
	Path   string   // program, found as by exec.LookPath
	Args   []string // with the name of the program in front; nil for Path alone
	Env    []string // "name=value"; nil for an empty environment. What PMI needs is added
	Dir    string   // working directory; empty for this process's own
	Pin    bool     // bind to processor CPU (Linux)
	CPU    int

	Stdin  io.Reader // nil for an empty one. A *os.File is handed over as it is, others are copied until they or the process end
	Stdout io.Writer // nil to throw it away. A *os.File is handed over as it is, others are written by a goroutine
	Stderr io.Writer // as Stdout; may be the same writer if it is safe for concurrent use
}

// check refuses what cannot be started.
func (s *Spec) check() error {
	if len(s.Procs) == 0 {
		return bad("start", "no processes: want one at least")
	}
	if s.Size != 0 && s.Exchange == nil && s.Size != len(s.Procs) {
		return bad("start", fmt.Sprintf("%d processes of a job of %d without Exchange: fences would never end", len(s.Procs), s.Size))
	}
	for i := range s.Procs {
		if s.Procs[i].Path == "" {
			return bad("start", fmt.Sprintf("process %d has no Path", i))
		}
	}
	return nil
}

// Failure is why a job ended in another way than each process by itself with status 0.
type Failure struct {
	Rank   int    // of the process that failed first; -1 when something outside ended the job
	Status int    // exit status for the launcher: the process's own, 128 + n for signal n, the code of an abort
	Abort  bool   // the member asked for it, for the whole job
	Text   string // a sentence for the user, without a full stop
}

// Error gives the sentence.
func (f *Failure) Error() string { return f.Text }
