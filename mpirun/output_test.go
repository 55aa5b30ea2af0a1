package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestPaper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b sheet
		p := newPaper(&b, false)
		x, y := p.pen(0), p.pen(1)
		io.WriteString(x, "a")
		io.WriteString(y, "one\ntwo\n")
		io.WriteString(x, "b\n")
		expect(t, &b, "one\ntwo\nab\n")

		// A prompt is shown after a while, and another's line does not go on it.
		io.WriteString(x, "name? ")
		expect(t, &b, "")
		time.Sleep(heldTime + time.Millisecond) // sleep: the clock is the test's
		synctest.Wait()
		expect(t, &b, "name? ")
		io.WriteString(y, "three\n")
		expect(t, &b, "\nthree\n")
		io.WriteString(x, "again? ")
		x.flush()
		io.WriteString(x, "yes\n")
		expect(t, &b, "again? yes\n")

		// What is too long to be held goes out.
		io.WriteString(x, strings.Repeat("z", heldMax+1))
		if n := len(b.take()); n != heldMax+1 {
			t.Errorf("%d bytes", n)
		}
	})
}

func expect(t *testing.T, b *sheet, want string) {
	t.Helper()
	if got := b.take(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sheet keeps what is written.
type sheet struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *sheet) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(text)
}

func (s *sheet) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.b.Reset()
	return s.b.String()
}

func TestPaperWithRanks(t *testing.T) {
	var b sheet
	p := newPaper(&b, true)
	x, y := p.pen(3), p.pen(12)
	io.WriteString(x, "a\nb")
	x.flush()
	io.WriteString(x, "c")
	x.flush()
	io.WriteString(y, "d\n")
	io.WriteString(x, "e\n")
	expect(t, &b, "[3] a\n[3] bc\n[12] d\n[3] e\n")
}

func TestPaperThatIsGone(t *testing.T) {
	p := newPaper(brokenWriter{}, false)
	if _, err := io.WriteString(p.pen(0), "a\n"); err == nil {
		t.Error("nothing was noticed")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestSender(t *testing.T) {
	r, w := io.Pipe()
	s := newSender(w)
	s.send([]byte("abc"))
	big := bytes.Repeat([]byte("x"), maxQueue+1)
	if err := s.sendSlow(big); err != nil {
		t.Error(err)
	}
	slow := make(chan error, 1)
	go func() { slow <- s.sendSlow([]byte("def")) }() // waits for room
	got := make([]byte, 3+len(big)+3)
	if _, err := io.ReadFull(r, got); err != nil || string(got[:3]) != "abc" || string(got[len(got)-3:]) != "def" {
		t.Errorf("%v", err)
	}
	if err := <-slow; err != nil {
		t.Error(err)
	}
	r.Close()
	s.send([]byte("x"))
	<-s.done
	if err := s.sendSlow([]byte("x")); err == nil {
		t.Error("a sender without a reader takes more")
	}
}
