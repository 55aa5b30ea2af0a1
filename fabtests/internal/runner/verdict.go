package runner

import (
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// Verdict is how a test went, in the words of libfabric's script.
type Verdict string

// Verdicts. Absent is ours: the test could not be run here whatever a provider does, and is in no count.
const (
	Pass     Verdict = "Pass"
	Fail     Verdict = "Fail"
	NotRun   Verdict = "Notrun"
	Excluded Verdict = "Excluded"
	Absent   Verdict = "Absent"
)

// Ended is one process of a test.
type Ended struct {
	Who     string // "server", "client"; empty for the only one
	Command string
	Output  string // both streams, in the order in which they came
	Status  int    // the exit status; -1: a signal ended it
	Stopped bool   // by the runner
	Foreign bool   // not of this program
	Lost    string // why it has no status, or one that does not count
}

// Result is a test that was run, or that need not be.
type Result struct {
	*Test
	Verdict Verdict
	Reason  string // in a few words; empty for a plain Pass
	Said    string // the last error that a process has told, of a test that failed or did not run
	Began   time.Time
	Took    time.Duration
	Sides   []Ended

	Counted, Total int // of a test that is many: those that count for the verdict, and all that ran
}

// Result is the verdict, with the counts of a test that is many.
func (r *Result) Result() string {
	if r.Total == 0 {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s [%d/%d]", r.Verdict, r.Counted, r.Total)
}

// unsupported tells whether a status says that something is not there: no data (no provider matched) or no such call.
func unsupported(status int) bool {
	return status == int(fi.ErrNoData) || status == int(fi.ErrNoSys)
}

// leftAlone tells whether a status says that the other side went away.
func leftAlone(status int) bool {
	return status == int(fi.ErrConnReset) || status == int(fi.ErrConnAborted) || status == int(fi.ErrNotConn) || status == int(fi.ErrConnRefused)
}

// offer is whether the provider says that it has what a test needs.
type offer struct {
	known bool
	has   bool
	ask   string // the command that shows it
}

// judge gives the verdict over the processes of a test. limit is the time that was exceeded, 0 for none.
func judge(t *Test, sides []Ended, limit time.Duration, o offer, strict bool) (Verdict, string) {
	if why := unfinished(sides, limit); why != "" {
		return Fail, why
	}
	if t.Negative {
		switch s := sides[0]; s.Status {
		case int(fi.ErrNoData):
			return Pass, ""
		case 0:
			return Fail, "it succeeded with a host that does not exist"
		default:
			return Fail, fmt.Sprintf("ended with status %s, not 61 (FI_ENODATA), for a host that does not exist", statusText(s.Status))
		}
	}
	missing := ""
	for _, s := range sides {
		switch {
		case s.Status == 0 || s.Stopped:
		case leftAlone(s.Status) && o.known && !o.has && anyUnsupported(sides): // it noticed no more than that
		case unsupported(s.Status):
			missing = s.named("ended with status " + statusText(s.Status))
			if s.Foreign { // what C's side offers is not known here
				o = offer{}
			}
		default:
			return Fail, s.named("ended with status " + statusText(s.Status))
		}
	}
	switch {
	case missing == "" && anyStopped(sides):
		return Fail, "one side did not end after the other"
	case missing == "" && o.known && !o.has:
		return Fail, "it works, but the provider does not offer it: " + o.ask
	case missing == "":
		return Pass, ""
	case anyPassed(sides):
		return Fail, missing + ", the other side succeeded"
	case o.known && o.has:
		return Fail, missing + ", but the provider offers it: " + o.ask
	case strict:
		return Fail, missing + " (-S: what is not offered is a failure)"
	}
	return NotRun, missing
}

// unfinished says which process did not come to its end; "" for none.
func unfinished(sides []Ended, limit time.Duration) string {
	for _, s := range sides {
		if s.Lost != "" {
			return s.named("did not come to its end: " + s.Lost)
		}
	}
	if limit > 0 {
		for _, s := range sides {
			if s.Stopped {
				return s.named(fmt.Sprintf("did not end within %v (-T)", limit))
			}
		}
	}
	return ""
}

func anyStopped(sides []Ended) bool {
	for _, s := range sides {
		if s.Stopped {
			return true
		}
	}
	return false
}

func anyUnsupported(sides []Ended) bool {
	for _, s := range sides {
		if unsupported(s.Status) && !s.Stopped {
			return true
		}
	}
	return false
}

func anyPassed(sides []Ended) bool {
	for _, s := range sides {
		if s.Status == 0 && !s.Stopped {
			return true
		}
	}
	return false
}

// named puts who it is before what is said of it.
func (e *Ended) named(text string) string {
	if e.Who == "" {
		return text
	}
	return "the " + e.Who + " " + text
}

// statusText is a status with the name of the error that it is, if it is one.
func statusText(n int) string {
	if n < 0 {
		return "of a signal"
	}
	if n > 1 && n < 134 {
		if name := fi.Errno(n).Name(); name != "" {
			return fmt.Sprintf("%d (%s)", n, name)
		}
	}
	return fmt.Sprint(n)
}
