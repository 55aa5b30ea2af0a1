package local

import (
	"bufio"
	"bytes"
	"io"
	"sync"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// rowMark is what those lines of a child begin with that are rows for its parent.
const rowMark = '\x02'

// ReadyLine is what a server tells its parent.
const ReadyLine = "\x01ready"

// Ready tells the parent that the server can be reached.
func Ready(w io.Writer) func() {
	return sync.OnceFunc(func() { io.WriteString(w, ReadyLine+"\n") }) //nolint:errcheck // the parent has gone then
}

// Rows gives the Reporter of a child.
func Rows(w io.Writer) perf.Reporter {
	return perf.NewReporter(&prefixer{w: w, prefix: string(rowMark)}, perf.Raw, perf.Source{})
}

// follow reads what a child prints until it ends: rows, the word that it is ready, and the rest, which goes to out.
func follow(r io.Reader, out io.Writer, row func(perf.Row), ready func()) {
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadBytes('\n')
		text, full := bytes.CutSuffix(line, []byte{'\n'})
		if before, found := bytes.CutSuffix(text, []byte(ReadyLine)); found && full {
			out.Write(before) //nolint:errcheck // nobody to tell: a text that was before it in the line
			ready()
		} else if before, raw, found := bytes.Cut(text, []byte{rowMark}); found {
			out.Write(before) //nolint:errcheck // as above
			if parsed, err := perf.ParseRaw(raw); err == nil {
				row(parsed)
			}
		} else {
			out.Write(line) //nolint:errcheck // as above
		}
		if err != nil {
			return
		}
	}
}

// prefixer puts a prefix before each line, and passes on whole lines only.
type prefixer struct {
	mu     sync.Mutex
	w      io.Writer
	prefix string
	part   []byte // of a line
}

func (p *prefixer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []byte
	for line := range bytes.Lines(b) {
		p.part = append(p.part, line...)
		if line[len(line)-1] == '\n' {
			out = append(append(out, p.prefix...), p.part...)
			p.part = p.part[:0]
		}
	}
	_, err := p.w.Write(out)
	return len(b), err
}

// flush passes on the beginning of a line whose end did not come.
func (p *prefixer) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.part) > 0 {
		p.w.Write(append([]byte(p.prefix), p.part...)) //nolint:errcheck // nobody to tell
		p.part = nil
	}
}

// shared lets several sides write to one place, until it is muted.
type shared struct {
	mu    sync.Mutex
	w     io.Writer
	quiet bool
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quiet {
		return len(b), nil
	}
	return s.w.Write(b)
}

func (s *shared) mute() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quiet = true
}
