package pattern

import (
	"bytes"
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// page holds the alphabet many times, so that long buffers are filled and compared by few long copies.
var page = bytes.Repeat([]byte(alphabet), 66)

// Fill writes the pattern into buf.
func Fill(buf []byte) {
	for len(buf) > 0 {
		buf = buf[copy(buf, page):]
	}
}

// FillAt writes into buf what Fill writes from an offset on.
func FillAt(buf []byte, off int) {
	off %= len(alphabet)
	for len(buf) > 0 {
		buf = buf[copy(buf, page[off:]):]
		off = 0 // a page is whole alphabets
	}
}

// Check compares buf with the pattern. The error names the first byte that differs, and is fi.ErrIO.
func Check(buf []byte) error {
	for off := 0; off < len(buf); off += len(page) {
		part := buf[off:min(off+len(page), len(buf))]
		if bytes.Equal(part, page[:len(part)]) {
			continue
		}
		for i := range part {
			if part[i] != page[i] {
				return &Mismatch{Got: part[i], Want: page[i], At: off + i, Size: len(buf)}
			}
		}
	}
	return nil
}

// Mismatch is data that is not what was sent.
type Mismatch struct {
	Got, Want byte
	At, Size  int
}

// Error is the message of fabtests.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("Data check error (%c!=%c) at byte %d for buffer size %d", printable(m.Got), printable(m.Want), m.At, m.Size)
}

// Unwrap gives fi.ErrIO.
func (m *Mismatch) Unwrap() error { return fi.ErrIO }

func printable(b byte) rune {
	if b < ' ' || b > '~' {
		return '.'
	}
	return rune(b)
}
