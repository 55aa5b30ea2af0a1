package runner

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// JUnit collects results for a file that continuous integration reads: a suite for each provider and set.
type JUnit struct{ suites []*junitSuite }

type junitFile struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Skipped  int           `xml:"skipped,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Began    string      `xml:"timestamp,attr"`
	Cases    []junitCase `xml:"testcase"`

	took time.Duration
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Time    string      `xml:"time,attr"`
	Failure *junitWords `xml:"failure"`
	Skipped *junitWords `xml:"skipped"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitWords struct {
	Message string `xml:"message,attr"`
}

// Add notes a result. All that were not run are skipped ones.
func (j *JUnit) Add(r Result) {
	name := "fabtests." + r.Provider + "." + r.Set
	var s *junitSuite
	for _, have := range j.suites {
		if have.Name == name {
			s = have
		}
	}
	if s == nil {
		s = &junitSuite{Name: name, Began: r.Began.UTC().Format("2006-01-02T15:04:05")}
		j.suites = append(j.suites, s)
	}
	c := junitCase{Class: name, Name: r.Title(), Time: fmt.Sprintf("%.3f", r.Took.Seconds())}
	s.Tests++
	switch r.Verdict {
	case Fail:
		s.Failures++
		c.Failure = &junitWords{r.Reason}
		if r.Said != "" {
			c.Failure.Message += ": " + r.Said
		}
		c.Out = transcript(r.Sides)
	case Pass:
	default:
		s.Skipped++
		c.Skipped = &junitWords{string(r.Verdict) + ": " + r.Reason}
	}
	s.took += r.Took
	s.Cases = append(s.Cases, c)
}

// Write writes the file.
func (j *JUnit) Write(w io.Writer) error {
	f := junitFile{Suites: j.suites}
	for _, s := range j.suites {
		s.Time = fmt.Sprintf("%.3f", s.took.Seconds())
		f.Tests, f.Failures, f.Skipped = f.Tests+s.Tests, f.Failures+s.Failures, f.Skipped+s.Skipped
	}
	text, err := xml.MarshalIndent(&f, "", " ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// transcript is what the processes of a test printed, each under its command.
func transcript(sides []Ended) string {
	var b strings.Builder
	for _, s := range sides {
		fmt.Fprintf(&b, "$ %s\n%s", s.Command, s.Output)
		if !strings.HasSuffix(s.Output, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
