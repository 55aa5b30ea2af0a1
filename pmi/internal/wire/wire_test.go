package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLine(t *testing.T) {
	m := New("put", "kvsname", "k_1", "key", "a", "value", "x")
	line := string(AppendLine(nil, m))
	if line != "cmd=put kvsname=k_1 key=a value=x\n" {
		t.Errorf("line %q", line)
	}
	got, err := ParseLine(strings.TrimSuffix(line, "\n"))
	if err != nil || got.Cmd != "put" || !slices.Equal(got.Args, m.Args) {
		t.Errorf("read %+v, %v", got, err)
	}
	got, err = ParseLine("rc=0  msg cmd=x cmd=y a=b=c")
	if err != nil || got.Cmd != "x" || got.Get("cmd") != "y" || got.Get("a") != "b=c" {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, err := ParseLine("what is this"); err == nil {
		t.Error("a line without cmd is taken")
	}
	if n, err := got.Int("rc"); n != 0 || err != nil {
		t.Errorf("rc %d, %v", n, err)
	}
	for _, key := range []string{"a", "none"} {
		if _, err := got.Int(key); err == nil {
			t.Errorf("%s is a number", key)
		}
	}
}

func TestFrame(t *testing.T) {
	m := New("kvs-put", "key", "a", "value", "x y=z")
	frame := string(AppendFrame(nil, m))
	if frame != "    30cmd=kvs-put;key=a;value=x y=z;" {
		t.Errorf("frame %q", frame)
	}
	// Lengths stand left or right in their six characters.
	for _, f := range []string{frame, "30    " + frame[6:]} {
		r := NewReader(iotest.OneByteReader(strings.NewReader(f + frame)))
		for range 2 {
			body, err := r.Frame()
			if err != nil {
				t.Fatal(err)
			}
			got, err := ParseFrame(body)
			if err != nil || got.Cmd != "kvs-put" || !slices.Equal(got.Args, m.Args) {
				t.Errorf("read %+v, %v", got, err)
			}
		}
		if _, err := r.Frame(); err != io.EOF {
			t.Errorf("after the last: %v", err)
		}
	}
	for _, bad := range []string{"  abcd", "    -1x", "999999", "     3a=b"} {
		body, err := NewReader(strings.NewReader(bad)).Frame()
		if err == nil {
			_, err = ParseFrame(body)
		}
		if err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestReaderGoesOnAfterAnError(t *testing.T) {
	later := errors.New("later")
	in := io.MultiReader(strings.NewReader("cmd=a\ncmd="), once(later), strings.NewReader("b\n"))
	r := NewReader(in)
	if line, err := r.Line(); line != "cmd=a" || err != nil || r.Pending() {
		t.Errorf("%q, %v", line, err)
	}
	if _, err := r.Line(); err != later {
		t.Errorf("got %v", err)
	}
	if line, err := r.Line(); line != "cmd=b" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
}

// once gives an error, then its end.
func once(err error) io.Reader { return &onceReader{err} }

type onceReader struct{ err error }

func (o *onceReader) Read([]byte) (int, error) {
	err := o.err
	o.err = io.EOF
	return 0, err
}

func TestLongMessagesAreRefused(t *testing.T) {
	r := NewReader(strings.NewReader(strings.Repeat("a", MaxMessage+5000) + "\n"))
	if _, err := r.Line(); !isTooLong(err) {
		t.Errorf("line: %v", err)
	}
	if _, err := NewReader(strings.NewReader("900000" + strings.Repeat("a", 900000))).Frame(); !isTooLong(err) {
		t.Errorf("frame: %v", err)
	}
	long := "cmd=" + strings.Repeat("b", 5000)
	if line, err := NewReader(strings.NewReader(long + "\n")).Line(); line != long || err != nil {
		t.Errorf("a line of 5000 bytes: %v", err)
	}
}

func isTooLong(err error) bool {
	var e *TooLongError
	return errors.As(err, &e)
}

func TestPlain(t *testing.T) {
	for s, want := range map[string]bool{"": true, "aZ09-_.+/": true, "a b": false, "a=b": false, "a;b": false, "a\\": false, "ä": false, "a\n": false} {
		if Plain(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

// FuzzLine: whatever comes, reading ends, takes bounded memory, and what is read can be written and read again.
func FuzzLine(f *testing.F) {
	f.Add([]byte("cmd=put kvsname=a key=b value=c\ncmd=barrier_in\n"))
	f.Add([]byte("mcmd=spawn\nnprocs=1\nendcmd\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		for {
			line, err := r.Line()
			if err != nil {
				return
			}
			m, err := ParseLine(line)
			if err != nil {
				continue
			}
			again, err := ParseLine(strings.TrimSuffix(string(AppendLine(nil, m)), "\n"))
			if err != nil || again.Cmd != m.Cmd || !slices.Equal(again.Args, m.Args) {
				t.Errorf("%+v became %+v, %v", m, again, err)
			}
		}
	})
}

// FuzzFrame does the same with PMI-2.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("    30cmd=kvs-put;key=a;value=x y=z;114   cmd=x;"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		for {
			body, err := r.Frame()
			if err != nil {
				return
			}
			m, err := ParseFrame(body)
			if err != nil {
				continue
			}
			again, err := NewReader(bytes.NewReader(AppendFrame(nil, m))).Frame()
			if err != nil {
				t.Fatal(err)
			}
			n, err := ParseFrame(again)
			if err != nil || n.Cmd != m.Cmd || !slices.Equal(n.Args, m.Args) {
				t.Errorf("%+v became %+v, %v", m, n, err)
			}
		}
	})
}
