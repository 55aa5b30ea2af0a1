//go:build amd64 || arm64

package pmix

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gofabric/gofabric/pmi/internal/foreign"
)

// Layouts and numbers of the PMIx standard, version 4, for systems with 64 bits.
type (
	proc struct { // pmix_proc_t
		space [256]byte
		rank  uint32
	}
	value struct { // pmix_value_t
		kind uint16
		_    [6]byte
		data [3]uintptr
	}
	info struct { // pmix_info_t
		key   [512]byte
		flags uint32
		_     [4]byte
		value value
	}
)

const (
	kindBool     = 1
	kindString   = 3
	scopeGlobal  = 3
	rankWildcard = ^uint32(0) - 1 // the job itself
	notFound     = -46
)

// library is libpmix.
type library struct {
	init     func(*proc, *info, uintptr) int32
	put      func(uint8, *byte, *value) int32
	commit   func() int32
	fence    func(*proc, uintptr, *info, uintptr) int32
	get      func(*proc, *byte, *info, uintptr, **value) int32
	abort    func(int32, *byte, *proc, uintptr) int32
	finalize func(*info, uintptr) int32
	free     func(unsafe.Pointer)
}

var load = sync.OnceValues(func() (l *library, err error) {
	h, err := purego.Dlopen("libpmix.so.2", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("libpmix.so.2 cannot be loaded: %w", err)
	}
	l = &library{}
	for name, f := range map[string]any{"PMIx_Init": &l.init, "PMIx_Put": &l.put, "PMIx_Commit": &l.commit, "PMIx_Fence": &l.fence,
		"PMIx_Get": &l.get, "PMIx_Abort": &l.abort, "PMIx_Finalize": &l.finalize, "free": &l.free} {
		symbol, err := purego.Dlsym(h, name)
		if err != nil {
			return nil, fmt.Errorf("libpmix.so.2 has no %s: %w", name, err)
		}
		purego.RegisterFunc(f, symbol)
	}
	return l, nil
})

func init() { foreign.Join = join }

// member is this process. PMIx finds a value by key and owner; ours have no owner. So each rank puts all that it has put
// since the last fence under one key, and reads those of all others when it is asked for the first time after a fence.
type member struct {
	l            *library
	me           proc
	size, appnum int
	fresh        []byte            // lines "key=value"
	fences       int               // that have ended
	read         int               // of those, whose values are in all
	all          map[string]string // what all ranks put
}

func join() (foreign.Member, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	m := &member{l: l, appnum: -1, all: map[string]string{}}
	if rc := l.init(&m.me, nil, 0); rc != 0 {
		return nil, failed("PMIx_Init", rc)
	}
	n, err := m.number("pmix.job.size", rankWildcard)
	if err != nil || n < 1 || n > 1<<20 || m.me.rank >= n {
		l.finalize(nil, 0)
		return nil, fmt.Errorf("rank %d of %d (%w)", m.me.rank, n, err)
	}
	m.size = int(n)
	if n, err := m.number("pmix.appnum", m.me.rank); err == nil {
		m.appnum = int(n)
	}
	return m, nil
}

func failed(call string, rc int32) error { return fmt.Errorf("%s: status %d", call, rc) }

func (m *member) Rank() int   { return int(m.me.rank) }
func (m *member) Size() int   { return m.size }
func (m *member) ID() string  { return text(&m.me.space[0], len(m.me.space)) }
func (m *member) AppNum() int { return m.appnum }

// text reads a C string of at most n bytes.
func text(p *byte, n int) string {
	var b []byte
	for i := range n {
		c := *(*byte)(unsafe.Add(unsafe.Pointer(p), i))
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}

// zero makes a C string.
func zero(s string) *byte { return &append([]byte(s), 0)[0] }

// Put keeps a value for the next fence.
func (m *member) Put(key, s string) error {
	m.fresh = append(m.fresh, key+"="+s+"\n"...)
	return nil
}

// sheet is the key of what each rank put before the n-th fence.
func sheet(n int) string { return "gofabric-" + strconv.Itoa(n) }

// publish gives a text to the library.
func (m *member) publish(key string, s []byte) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	p := zero(string(s))
	pin.Pin(p)
	v := &value{kind: kindString}
	v.data[0] = uintptr(unsafe.Pointer(p)) // pinned; the library makes a copy
	if rc := m.l.put(scopeGlobal, zero(key), v); rc != 0 {
		return failed("PMIx_Put", rc)
	}
	return nil
}

// Fence publishes what was put, and waits for all.
func (m *member) Fence() error {
	if err := m.publish(sheet(m.fences), m.fresh); err != nil {
		return err
	}
	m.fresh = m.fresh[:0]
	if rc := m.l.commit(); rc != 0 {
		return failed("PMIx_Commit", rc)
	}
	collect := &info{value: value{kind: kindBool}} // values come with the fence
	copy(collect.key[:], "pmix.collect")
	collect.value.data[0] = 1
	if rc := m.l.fence(nil, 0, collect, 1); rc != 0 {
		return failed("PMIx_Fence", rc)
	}
	m.fences++
	return nil
}

// Get looks into the sheets of all ranks.
func (m *member) Get(key string) (string, error) {
	for ; m.read < m.fences; m.read++ {
		for r := range m.size {
			s, err := m.text(sheet(m.read), uint32(r))
			if err != nil {
				return "", fmt.Errorf("what rank %d put: %w", r, err)
			}
			for line := range strings.SplitSeq(s, "\n") {
				if k, v, ok := strings.Cut(line, "="); ok {
					m.all[k] = v
				}
			}
		}
	}
	s, ok := m.all[key]
	if !ok {
		return "", foreign.ErrNoKey
	}
	return s, nil
}

// look gives a value to use, which is given back afterwards.
func (m *member) look(key string, rank uint32, use func(*value) error) error {
	p := m.me
	p.rank = rank
	var v *value
	switch rc := m.l.get(&p, zero(key), nil, 0, &v); {
	case rc == notFound:
		return foreign.ErrNoKey
	case rc != 0:
		return failed("PMIx_Get "+key, rc)
	case v == nil:
		return foreign.ErrNoKey
	}
	defer m.l.free(unsafe.Pointer(v))
	return use(v)
}

func (m *member) number(key string, rank uint32) (n uint32, err error) {
	err = m.look(key, rank, func(v *value) error {
		n = *(*uint32)(unsafe.Pointer(&v.data[0]))
		return nil
	})
	return n, err
}

// maxText bounds what another process put.
const maxText = 64 << 20

func (m *member) text(key string, rank uint32) (s string, err error) {
	err = m.look(key, rank, func(v *value) error {
		if v.kind != kindString {
			return fmt.Errorf("%s is no text", key)
		}
		p := *(**byte)(unsafe.Pointer(&v.data[0]))
		if p == nil {
			return foreign.ErrNoKey
		}
		s = text(p, maxText)
		m.l.free(unsafe.Pointer(p))
		return nil
	})
	return s, err
}

func (m *member) Abort(code int, msg string) error {
	if rc := m.l.abort(int32(code), zero(msg), nil, 0); rc != 0 {
		return failed("PMIx_Abort", rc)
	}
	return nil
}

func (m *member) Close() error {
	if rc := m.l.finalize(nil, 0); rc != 0 {
		return failed("PMIx_Finalize", rc)
	}
	return nil
}
