package cpingpong

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	fixed "github.com/gofabric/gofabric/fabtests/internal/pattern"
)

const (
	alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	stride   = 7
)

// pattern is what fi_pingpong fills messages with: the alphabet, again and again, each message beginning seven characters
// later than the one before, whatever their sizes. Either direction counts for itself.
type pattern struct{ messages int }

// next gives the character with which the next message begins.
func (p *pattern) next() int {
	i := p.messages * stride % len(alphabet)
	p.messages++
	return i
}

func (p *pattern) fill(b []byte) {
	for i, at := 0, p.next(); i < len(b); i++ {
		b[i] = alphabet[at]
		if at++; at == len(alphabet) {
			at = 0
		}
	}
}

// check compares the next message; the error is that of fabtests.
func (p *pattern) check(b []byte) error {
	for i, at := 0, p.next(); i < len(b); i++ {
		if b[i] != alphabet[at] {
			return fail.Call("check_buf", &fixed.Mismatch{Got: b[i], Want: alphabet[at], At: i, Size: len(b)})
		}
		if at++; at == len(alphabet) {
			at = 0
		}
	}
	return nil
}
