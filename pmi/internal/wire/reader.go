package wire

import (
	"bytes"
	"fmt"
	"io"
)

// MaxMessage is the greatest length of a line or a frame, in bytes. The values of a job are at most 1 KiB; mappings of
// large jobs and error texts may be longer.
const MaxMessage = 64 << 10

// TooLongError is the error of a message beyond [MaxMessage].
type TooLongError struct{ what string }

// Error names the limit.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s is longer than %d bytes", e.what, MaxMessage)
}

// Reader reads lines and frames. What it has read when a read fails, a deadline's end among others, it keeps: the next
// call goes on there.
type Reader struct {
	r        io.Reader
	buf      []byte
	from, to int // buf[from:to] is read and not yet given out
}

// NewReader reads from r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r, buf: make([]byte, 2048)} }

// Line gives the next line without its line end.
func (r *Reader) Line() (string, error) {
	seen := 0
	for {
		if i := bytes.IndexByte(r.buf[r.from+seen:r.to], '\n'); i >= 0 {
			line := string(r.buf[r.from : r.from+seen+i])
			r.from += seen + i + 1
			return line, nil
		}
		if seen = r.to - r.from; seen >= MaxMessage {
			return "", &TooLongError{"PMI-1 line"}
		}
		if err := r.fill(); err != nil {
			return "", err
		}
	}
}

// Pending says whether the next line is there already, so that Line will not wait.
func (r *Reader) Pending() bool { return bytes.IndexByte(r.buf[r.from:r.to], '\n') >= 0 }

// Frame gives the body of the next frame.
func (r *Reader) Frame() (string, error) {
	if err := r.need(frameHead); err != nil {
		return "", err
	}
	n, err := frameLength(string(r.buf[r.from : r.from+frameHead]))
	if err != nil {
		return "", err
	}
	if n > MaxMessage {
		return "", &TooLongError{"PMI-2 frame"}
	}
	if err := r.need(frameHead + n); err != nil {
		return "", err
	}
	body := string(r.buf[r.from+frameHead : r.from+frameHead+n])
	r.from += frameHead + n
	return body, nil
}

func (r *Reader) need(n int) error {
	for r.to-r.from < n {
		if err := r.fill(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) fill() error {
	if r.from > 0 {
		copy(r.buf, r.buf[r.from:r.to])
		r.from, r.to = 0, r.to-r.from
	}
	if r.to == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.r.Read(r.buf[r.to:])
	r.to += n
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}
