package unit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/poll"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// Sizes and times of the tests.
const (
	eqSize    = 32
	eqWritten = 5
	eqPause   = 2 * time.Second // of a read that has nothing to take
	eqEarly   = eqPause - 500*time.Millisecond
	eqLate    = 4 * eqPause // machines have other things to do, too
	eqAtOnce  = eqPause / 2 // a read that has something to take
)

func runEQ(env *scenario.Env) error {
	infos, err := fabric.GetInfo(env.Ctx, hints(env.Opt))
	if err != nil {
		return session.NotOffered(fail.Call("fi_getinfo", err), env.Opt)
	}
	f, err := fabric.Open(infos[0])
	if err != nil {
		return fail.Call("fi_fabric", err)
	}
	fmt.Fprintf(env.Out, "Testing EQs on fabric %s\n", infos[0].Fabric.Name)
	e := &eqTest{ctx: env.Ctx, f: f}
	err = summary(env, runTests(env, []test{
		{"eq_open_close", "Test open and close of EQ for various sizes", e.openClose},
		{"eq_write_read_self", "Test writing and reading to EQ", e.with(fi.WaitNone, e.writeReadSelf)},
		{"eq_size_verify", "Test EQ supports writing # of entries = size", e.with(fi.WaitNone, func() error { return e.write(eqSize) })},
		{"eq_wait_fd_poll", "Test polling on fd extracted from EQ", e.with(fi.WaitFD, e.poll)},
		{"eq_wait_fd_sread", "Test EQ sread", e.with(fi.WaitFD, e.sread)},
		{"eq_wait_read_peek", "Test EQ read with FI_PEEK", e.with(fi.WaitNone, e.peek)},
		{"eq_wait_sread_peek", "Test EQ sread with FI_PEEK", e.with(fi.WaitFD, e.sreadPeek)},
		{"eq_readerr_ret_eagain", "Test EQ readerr with FI_EAGAIN", e.with(fi.WaitUnspec, e.readErr)},
	}))
	if closed := fail.Call("fi_close", f.Close()); err == nil {
		err = closed
	}
	return err
}

type eqTest struct {
	ctx context.Context
	f   *fabric.Fabric
	q   *fabric.EQ // of the test that runs
}

// with makes a test that has a queue that can be written.
func (e *eqTest) with(wait fi.WaitObj, run func() error) func() error {
	return func() (err error) {
		e.q, err = e.f.OpenEQ(&fi.EQAttr{Size: eqSize, Flags: fi.EQWrite, WaitObj: wait})
		switch {
		case errors.Is(err, fi.ErrOpNotSupp):
			return unsupported("%v", wait)
		case err != nil:
			return fmt.Errorf("fi_eq_open: %w", err)
		}
		err = run()
		if closed := e.q.Close(); err == nil && closed != nil {
			err = fmt.Errorf("close(eq): %w", closed)
		}
		return err
	}
}

func (e *eqTest) openClose() error {
	for i := range 17 {
		size := 1 << i
		q, err := e.f.OpenEQ(&fi.EQAttr{Size: size, WaitObj: fi.WaitUnspec})
		if err != nil {
			return fmt.Errorf("fi_eq_open(%d, 0, FI_WAIT_UNSPEC): %w", size, err)
		}
		if err := q.Close(); err != nil {
			return fmt.Errorf("close(eq): %w", err)
		}
	}
	return nil
}

// write inserts n events.
func (e *eqTest) write(n int) error {
	for i := range n {
		if err := e.q.Write(fi.EQEntry{Event: fi.EventNotify, FID: e.of(i), Context: i}); err != nil {
			return fmt.Errorf("fi_eq_write: %w", err)
		}
	}
	return nil
}

// of is the object that event i is about.
func (e *eqTest) of(i int) any {
	if i%2 == 1 {
		return e.f
	}
	return e.q
}

// is checks an event that was read.
func (e *eqTest) is(got fi.EQEntry, i int) error {
	switch {
	case got.Event != fi.EventNotify:
		return fmt.Errorf("iter %d: event = %v, should be %v", i, got.Event, fi.EventNotify)
	case got.Context != any(i):
		return fmt.Errorf("iter %d: context mismatch %v != %d", i, got.Context, i)
	case got.FID != e.of(i):
		return fmt.Errorf("iter %d: fid mismatch %T != %T", i, got.FID, e.of(i))
	}
	return nil
}

func (e *eqTest) writeReadSelf() error {
	if err := e.write(eqWritten); err != nil {
		return err
	}
	for i := range 2 * eqWritten {
		var got fi.EQEntry
		flags := fi.EQPeek
		if i%2 == 1 {
			flags = 0
		}
		if err := e.q.Read(&got, flags); err != nil {
			return fmt.Errorf("fi_eq_read: %w", err)
		}
		if err := e.is(got, i/2); err != nil {
			return err
		}
	}
	return e.empty()
}

// empty checks that nothing is left.
func (e *eqTest) empty() error {
	var got fi.EQEntry
	if err := e.q.Read(&got, 0); !errors.Is(err, fi.ErrAgain) {
		return fmt.Errorf("fi_eq_read of empty EQ returned %v", err)
	}
	return nil
}

func (e *eqTest) poll() error {
	fd, err := e.q.FD()
	if err != nil {
		return fmt.Errorf("fi_control: %w", err)
	}
	if err := e.q.TryWait(); err != nil {
		return fmt.Errorf("fi_trywait: %w", err)
	}
	ready, err := poll.Readable(fd, 0)
	switch {
	case err != nil:
		return fmt.Errorf("poll: %w", err)
	case ready:
		return errors.New("poll returned 1, should be 0")
	}
	if err := e.write(1); err != nil {
		return err
	}
	ready, err = poll.Readable(fd, 0)
	switch {
	case err != nil:
		return fmt.Errorf("poll: %w", err)
	case !ready:
		return errors.New("poll returned 0, should be 1")
	}
	return nil
}

// wait reads event 0 and tells how long that took.
func (e *eqTest) wait(flags fi.EQFlags) (time.Duration, error) {
	ctx, stop := context.WithTimeout(e.ctx, eqPause)
	defer stop()
	began := time.Now()
	var got fi.EQEntry
	err := e.q.SRead(ctx, &got, flags)
	took := time.Since(began)
	if err != nil {
		return took, err
	}
	return took, e.is(got, 0)
}

func (e *eqTest) sread() error {
	took, err := e.wait(0)
	switch {
	case !errors.Is(err, fi.ErrAgain):
		return fmt.Errorf("fi_eq_sread of empty EQ returned %v", err)
	case took < eqEarly || took > eqLate:
		return fmt.Errorf("fi_eq_sread slept %d ms, expected %d", took.Milliseconds(), eqPause.Milliseconds())
	}
	if err := e.write(1); err != nil {
		return err
	}
	took, err = e.wait(0)
	switch {
	case err != nil:
		return fmt.Errorf("fi_eq_sread: %w", err)
	case took > eqAtOnce:
		return fmt.Errorf("fi_eq_sread slept %d ms, expected immediate return", took.Milliseconds())
	}
	return nil
}

func (e *eqTest) peek() error {
	if err := e.write(eqWritten); err != nil {
		return err
	}
	for i := range 2 * eqWritten {
		var got fi.EQEntry
		want, flags := 0, fi.EQPeek
		if i >= eqWritten {
			want, flags = i-eqWritten, 0
		}
		if err := e.q.Read(&got, flags); err != nil {
			return fmt.Errorf("fi_eq_read: %w", err)
		}
		if err := e.is(got, want); err != nil {
			return err
		}
	}
	return nil
}

// sreadPeek checks that what was peeked at is still waited for.
func (e *eqTest) sreadPeek() error {
	steps := []fi.EQFlags{0, fi.EQPeek, 0}
	for i, flags := range steps {
		if i < 2 { // the last one reads what the peek left
			if err := e.write(1); err != nil {
				return err
			}
		}
		if took, err := e.wait(flags); err != nil {
			return fmt.Errorf("fi_eq_sread after %d ms: %w", took.Milliseconds(), err)
		}
	}
	return nil
}

func (e *eqTest) readErr() error {
	if err := e.write(eqWritten); err != nil {
		return err
	}
	var got fi.EQEntry
	for range eqWritten {
		if err := e.q.Read(&got, 0); err != nil {
			return fmt.Errorf("fi_eq_read: %w", err)
		}
	}
	if err := e.q.ReadErr(new(fi.EQErrEntry)); !errors.Is(err, fi.ErrAgain) {
		return fmt.Errorf("fi_eq_readerr returned: %v", err)
	}
	return nil
}
