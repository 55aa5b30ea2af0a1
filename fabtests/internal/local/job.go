package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/topo"
)

// InProcess is the provider that reaches its own process only.
const InProcess = session.InProcess

// Job is one scenario to run.
type Job struct {
	Scenario *scenario.Scenario
	Opt      *options.Options
	Args     []string // the options as typed, for the children
	Command  []string // that ran this job, for what a child says to try
	Provider string   // what ChooseProvider gave
	Count    int      // sides of a Group
	Out, Err io.Writer
}

// ChooseProvider gives the provider that a scenario will use: the one asked for, else the best. It is empty for scenarios
// that use none.
func ChooseProvider(ctx context.Context, s *scenario.Scenario, o *options.Options) (string, error) {
	if s.NoInfo {
		return "", nil
	}
	need := session.Need{}
	if s.Caps != nil {
		need.Caps = s.Caps(o)
	}
	infos, err := fabric.GetInfo(ctx, session.Hints(o, need))
	if err != nil {
		return "", session.NotOffered(fail.Call("fi_getinfo", err), o)
	}
	return infos[0].Fabric.ProvName, nil
}

// Run runs all sides once. Rows go to row, in order; all else that the client (or every side, with --both) prints goes to
// Out and Err. The error of a child that has explained itself is an [*Exit].
func Run(ctx context.Context, j *Job, row func(perf.Row)) error {
	if j.Provider == InProcess {
		return j.goroutines(ctx, row)
	}
	return j.processes(ctx, row)
}

// sides is how many there are.
func (j *Job) sides() int {
	switch j.Scenario.Sides {
	case scenario.Alone:
		return 1
	case scenario.Group:
		return j.Count
	}
	return 2
}

// processors gives each side its processor, server first; nil for no pinning.
func (j *Job) processors() []int {
	n := j.sides()
	if j.Opt.Unpinned || j.Scenario.Sides == scenario.Group {
		return nil
	}
	if len(j.Opt.PinCore) >= n {
		return j.Opt.PinCore[:n]
	}
	cpus := topo.New(os.DirFS("/")).Spread(n)
	if len(cpus) < n || n > 1 && cpus[0] == cpus[1] {
		return nil
	}
	return cpus
}

// Pinned describes the pinning for the facts of a measurement.
func (j *Job) Pinned() string {
	var words []string
	for _, c := range j.processors() {
		words = append(words, strconv.Itoa(c))
	}
	return strings.Join(words, " ")
}

// Exit is the error of a side that has printed it already.
type Exit struct {
	Who  string
	Code int
}

// Error names the side and its status.
func (e *Exit) Error() string { return fmt.Sprintf("%s ended with status %d", e.Who, e.Code) }

// ExitCode is the status.
func (e *Exit) ExitCode() int { return e.Code }

// side is the name of a side for messages.
func (j *Job) side(rank int) string {
	switch {
	case j.Scenario.Sides == scenario.Group:
		return "rank " + strconv.Itoa(rank)
	case rank == 0:
		return "server"
	}
	return "client"
}

// errOtherSide is the cause for which a side is ended when the other has failed.
var errOtherSide = &fi.Error{Op: "wait", Err: fi.ErrConnReset, Hint: "the other side has failed"}

// first gives the error to report: that of the first side that failed, not those of sides that were ended for it.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, errOtherSide) {
			return err
		}
	}
	return nil
}
