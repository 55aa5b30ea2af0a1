package ubertest

import "github.com/gofabric/gofabric/fabtests/internal/options"

// sizes are those of transfers: from 16 bytes on, the powers of two and, between 128 bytes and 6 MiB, what lies halfway.
var sizes = func() []int {
	list := []int{16, 32, 64}
	for n := 128; n <= 4<<20; n *= 2 {
		list = append(list, n, n+n/2)
	}
	return list
}()

// parts are how many buffers a vector has, one after another.
var parts = func() []int {
	list := []int{1, 2}
	for n := 4; n < 256; n *= 2 {
		list = append(list, n, n+n/2)
	}
	return append(list, 256)
}()

// Of a quick test.
const (
	quickStep  = 4 // every so many sizes
	quickCount = 5 // transfers of each
)

// largest is the largest size of a test.
func (s *side) largest() int {
	n := 0
	s.eachSize(func(size int) error { //nolint:errcheck // it never fails
		n = size
		return nil
	})
	return n
}

// eachSize runs through the sizes that a test has with this provider.
func (s *side) eachSize(do func(size int) error) error {
	step := 1
	if s.t.Flags&flagQuick != 0 {
		step = quickStep
	}
	for i := 0; i < len(sizes); i += step {
		n := sizes[i]
		if uint64(n) > s.info.EP.MaxMsgSize || s.t.Function.injects() && n > s.inject() {
			break
		}
		if err := do(n); err != nil {
			return err
		}
	}
	return nil
}

// injectOfC is what C's tcp injects at most: each side stops where its own provider does, and nobody says where that is.
const injectOfC = 128

// inject is the largest size that is injected.
func (s *side) inject() int {
	if n := s.info.Tx.InjectSize; s.ours || n < injectOfC {
		return n
	}
	return injectOfC
}

// transfers is how many of a size there are.
func (s *side) transfers(size int) int {
	if s.t.Flags&flagQuick != 0 {
		return quickCount
	}
	return (&options.Options{}).Count(size)
}
