package unit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/remap"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/mr"
)

// evictChoice is what the options of mr_cache_evict say.
type evictChoice struct{ size int }

func evictOptions(o *options.Options) []cli.Option {
	own := &evictChoice{size: 16384}
	o.Own = own
	return []cli.Option{{Short: 's', Long: "region-size", Arg: "BYTES", Help: "bytes of the region (16384)", Set: func(v string) error {
		if err := options.Size(&own.size)(v); err != nil {
			return err
		}
		if own.size == 0 {
			return options.Bad(v, "a region of one byte or more")
		}
		return nil
	}}}
}

// runEvict checks that a region is never a former one at the same address. Registrations are not cached here, so that
// there is no time to compare; what counts is whose memory is read and written.
func runEvict(env *scenario.Env) error {
	s, err := session.Alone(env, session.Need{Caps: fi.CapMsg | fi.CapRMA, Size: session.CtrlSize, NoRegion: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	name, err := s.EP.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	if err := s.Insert(name); err != nil {
		return err
	}
	e := &evict{s: s, size: env.Opt.Own.(*evictChoice).size}
	device := func(env *scenario.Env) func() error {
		return func() error {
			if !env.Opt.HMEM {
				return skip("FI_HMEM support not requested")
			}
			return unsupported("no device memory here")
		}
	}
	program := func() error { return skip("the program break belongs to the runtime of Go") }
	fmt.Fprintf(env.Out, "Testing MR cache on fabric %s domain %s\n", s.Info.Fabric.Name, s.Info.Domain.Name)
	err = summary(env, runTests(env, []test{
		{"mr_cache_mmap_test", "MR cache eviction test using MMAP", func() error { return e.run(e.mapped()) }},
		{"mr_cache_brk_test", "MR cache eviction test using BRK", program},
		{"mr_cache_sbrk_test", "MR cache eviction test using SBRK", program},
		{"mr_cache_alloc_test", "MR cache eviction test using mr.Alloc", func() error { return e.run(e.allocated) }},
		{"mr_cache_cuda_test", "MR cache eviction test using CUDA", device(env)},
		{"mr_cache_rocr_test", "MR cache eviction test using ROCR", device(env)},
	}))
	if err != nil {
		return err
	}
	return s.Close()
}

type evict struct {
	s    *session.Session
	size int
	key  uint64
}

// memorySource gives memory and the function that gives it back.
type memorySource func() ([]byte, func() error, error)

// mapped gives memory at the address of that before.
func (e *evict) mapped() memorySource {
	var last remap.Place
	return func() ([]byte, func() error, error) {
		m, err := remap.New(e.size, last)
		if errors.Is(err, fi.ErrNoSys) {
			return nil, nil, unsupported("%v", err)
		}
		if err != nil {
			return nil, nil, fail.Call("mmap", err)
		}
		return m.Bytes(), func() (err error) {
			last, err = m.Free()
			return fail.Call("munmap", err)
		}, nil
	}
}

func (e *evict) allocated() ([]byte, func() error, error) {
	m, err := mr.Alloc(e.size)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil, unsupported("%v", err)
	}
	if err != nil {
		return nil, nil, fail.Call("mr_alloc", err)
	}
	return m.Bytes()[:e.size], m.Free, nil
}

// evictRounds is how often memory is given back and mapped anew.
const evictRounds = 8

// run maps, registers and uses memory again and again.
func (e *evict) run(memory memorySource) error {
	prime := make([]byte, e.size)
	m, err := e.s.Region(e.s.Domain, e.s.EP, prime, fi.AccessRemoteRead, &fi.MRAttr{Key: e.nextKey()})
	if err != nil {
		return err
	}
	defer m.Close() //nolint:errcheck // the domain tells when it is left open
	for i := range evictRounds {
		buf, free, err := memory()
		if err != nil {
			return err
		}
		err = e.round(buf, byte(2*i))
		for k := range buf { // who still looks here sees this
			buf[k] = 0xff
		}
		if closed := free(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *evict) nextKey() uint64 {
	e.key++
	return session.RegionKey + e.key
}

// round registers the memory twice, each time with other content, and reads and writes it by RMA.
func (e *evict) round(buf []byte, mark byte) error {
	var before mr.Remote
	for i := range byte(2) {
		for k := range buf {
			buf[k] = mark + i
		}
		access := fi.AccessRemoteRead | fi.AccessRemoteWrite
		m, err := e.s.Region(e.s.Domain, e.s.EP, buf, access, &fi.MRAttr{Key: e.nextKey()})
		if err != nil {
			return err
		}
		at := m.Remote()
		err = e.reads(at, mark+i)
		if err == nil {
			err = e.writes(buf, at, mark+i+0x80)
		}
		if err == nil && i > 0 {
			err = e.refused(before)
		}
		if closed := fail.Call("fi_close", m.Close()); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		before = at
	}
	return e.refused(before)
}

// reads reads the region, which must hold the mark.
func (e *evict) reads(at mr.Remote, mark byte) error {
	got := make([]byte, e.size)
	if err := e.access("fi_read", func() error { return e.s.EP.Read(got, e.s.Peer, at, e) }); err != nil {
		return err
	}
	if want := bytes.Repeat([]byte{mark}, e.size); !bytes.Equal(got, want) {
		return fmt.Errorf("a read gave %#x, the region holds %#x: the memory is a former one", got[0], mark)
	}
	return nil
}

// writes writes the region; the memory must hold what was written.
func (e *evict) writes(buf []byte, at mr.Remote, mark byte) error {
	data := bytes.Repeat([]byte{mark}, e.size)
	if err := e.access("fi_write", func() error { return e.s.EP.Write(data, e.s.Peer, at, e) }); err != nil {
		return err
	}
	if !bytes.Equal(buf, data) {
		return fmt.Errorf("after a write of %#x the memory holds %#x: it went to former memory", mark, buf[0])
	}
	return nil
}

// refused reads a region that is closed, which must fail.
func (e *evict) refused(at mr.Remote) error {
	err := e.access("fi_read", func() error { return e.s.EP.Read(make([]byte, 1), e.s.Peer, at, e) })
	if _, failed := errors.AsType[*cq.ErrEntry](err); failed {
		return nil
	}
	if err == nil {
		err = errors.New("a closed region was read")
	}
	return err
}

// access starts an operation and waits for it.
func (e *evict) access(call string, post func() error) error {
	err := e.s.Until(func() (bool, error) {
		err := post()
		if err == fi.ErrAgain { //nolint:errorlint // a bare value
			return false, e.s.Progress()
		}
		return true, fail.Call(call, err)
	})
	if err != nil {
		return err
	}
	_, err = e.s.Next(e.s.TxCQ)
	return err
}
