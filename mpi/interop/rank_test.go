package interop_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/mpi"
)

// rank executes a script as one member of a job.
type rank struct {
	ctx   context.Context
	me    int // in the world
	comms map[int]*mpi.Comm
	out   *bufio.Writer
	step  int
	words []string // of the line, those that have not been read
	late  []func() error
	err   error // of reading words
}

// play executes the script and writes to a file of the folder that is named by the rank.
func play(ctx context.Context, world *mpi.Comm, script, folder string) error {
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, strconv.Itoa(world.Rank())))
	if err != nil {
		return err
	}
	r := &rank{ctx: ctx, me: world.Rank(), comms: map[int]*mpi.Comm{0: world}, out: bufio.NewWriter(f)}
	for line := range strings.Lines(string(text)) {
		r.step++
		r.words = strings.Fields(line)
		if err := r.execute(); err != nil {
			return fmt.Errorf("line %d: %s: %w", r.step, strings.TrimSpace(line), err)
		}
	}
	if err := r.drain(); err != nil {
		return err
	}
	if err := r.out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// number reads a word.
func (r *rank) number() int {
	if len(r.words) == 0 {
		r.err = fmt.Errorf("a number is missing")
		return 0
	}
	n, err := strconv.Atoi(r.words[0])
	if err != nil {
		r.err = err
	}
	r.words = r.words[1:]
	return n
}

func (r *rank) numbers(to ...*int) error {
	for _, p := range to {
		*p = r.number()
	}
	return r.err
}

func (r *rank) say(format string, args ...any) {
	fmt.Fprintf(r.out, "%d "+format+"\n", append([]any{r.step}, args...)...)
}

func (r *rank) execute() error {
	if len(r.words) == 0 {
		return nil
	}
	name := r.words[0]
	r.words = r.words[1:]
	switch name {
	case "drain":
		return r.drain()
	case "dup":
		return r.dup()
	case "split":
		return r.split()
	case "free":
		return r.free()
	}
	c := r.comms[r.number()]
	if c == nil {
		return r.err
	}
	switch name {
	case "messages":
		return r.messages(c)
	case "persistent":
		return r.persistent(c)
	case "exchange":
		return r.exchange(c)
	case "flood":
		return r.flood(c)
	case "collective":
		return r.collective(c)
	case "window":
		return r.window(c)
	case "grid":
		return r.grid(c)
	}
	return fmt.Errorf("no command %q", name)
}

// drain ends the collective operations that were begun and not waited for.
func (r *rank) drain() error {
	now := r.step
	for _, f := range r.late {
		if err := f(); err != nil {
			return err
		}
	}
	r.late, r.step = nil, now
	return nil
}
