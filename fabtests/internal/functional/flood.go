package functional

import (
	"context"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// floodChoice is what the options of flood say.
type floodChoice struct{ sleep int } // seconds

func floodOptions(o *options.Options) []cli.Option {
	own := &floodChoice{}
	o.Own = own
	return []cli.Option{{Short: 'T', Long: "sleep", Arg: "SECONDS", Help: "the receiver waits so long before it begins (0)",
		Set: options.Number(&own.sleep, 0, 3600)}}
}

// Keys that the regions of the two sides begin with, as in C.
const (
	floodTxKey = 0xC0DF
	floodRxKey = 0xFFFF
)

// runFlood sends a window of messages for which no receive is posted, each from a region of its own, and then one at a
// time, each from a region that is made for it.
func runFlood(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg, Order: floodOrder(env.Opt), Size: oneSize(env.Opt, session.CtrlSize), Windows: true, Connects: true})
	if err != nil {
		return err
	}
	f := &flood{s: s, size: oneSize(env.Opt, session.CtrlSize)}
	defer func() { f.closeRegions(); s.Close() }() //nolint:errcheck // closed below when all went well
	for i := range s.Opt.Window {
		f.buffers = append(f.buffers, make([]byte, max(f.size, 1)))
		if err := f.register(i); err != nil {
			return err
		}
	}
	if err := s.SyncInBand(); err != nil { // no receive is left
		return err
	}
	if !s.Client && !pause(env.Ctx, time.Duration(env.Opt.Own.(*floodChoice).sleep)*time.Second) {
		return context.Cause(env.Ctx)
	}
	for _, step := range []struct {
		name string
		run  func() error
	}{{"Batch memory registration:", f.batch}, {"Sequential memory registration:", f.sequence}} {
		fmt.Fprint(env.Out, step.name)
		err := step.run()
		if err == nil {
			err = f.sync()
		}
		if err != nil {
			fmt.Fprintln(env.Out, "Fail")
			return err
		}
		fmt.Fprintln(env.Out, "Pass")
	}
	if err := f.closeRegions(); err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Close()
}

// floodOrder is what -v needs: the places of messages are those of their receives.
func floodOrder(o *options.Options) fi.Order {
	if o.Verify {
		return fi.OrderSAS
	}
	return 0
}

// oneSize is that of -S, when it names one, or def.
func oneSize(o *options.Options, def int) int {
	if len(o.Sizes) == 1 {
		return o.Sizes[0]
	}
	return def
}

// pause waits; false when the run must end.
func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// flood is one side: a window of buffers, of those that are sent or of those that are received into.
type flood struct {
	s       *session.Session
	size    int
	buffers [][]byte
	regions []*fabric.MR
}

// register makes a buffer a region.
func (f *flood) register(i int) error {
	access, key := fi.AccessRecv, uint64(floodRxKey)
	if f.s.Client {
		access, key = fi.AccessSend, floodTxKey
	}
	m, err := f.s.Region(f.s.Domain, f.s.EP, f.buffers[i], access, &fi.MRAttr{Key: key + uint64(i)})
	if err == nil {
		f.regions = append(f.regions, m)
	}
	return err
}

func (f *flood) closeRegions() error {
	for _, m := range f.regions {
		if err := m.Close(); err != nil {
			return fail.Call("fi_close", err)
		}
	}
	f.regions = nil
	return nil
}

// post starts a message or a receive.
func (f *flood) post(i int) error {
	s, buf := f.s, f.buffers[i][:f.size]
	if !s.Client {
		return s.PostRx(buf, s.Context(i))
	}
	if s.Opt.Verify {
		pattern.Fill(buf)
	}
	return s.PostTx(buf, s.Context(i))
}

// wait waits for all that was posted.
func (f *flood) wait() error {
	if f.s.Client {
		return f.s.WaitTx(f.s.TxSeq)
	}
	return f.s.WaitRx(f.s.RxSeq)
}

// check looks at a buffer that was received into, with -v, and wipes it.
func (f *flood) check(i int) error {
	if f.s.Client || !f.s.Opt.Verify {
		return nil
	}
	err := pattern.Check(f.buffers[i][:f.size])
	clear(f.buffers[i])
	return fail.Call("ft_check_buf", err)
}

// batch has the whole window on its way at a time.
func (f *flood) batch() error {
	for i := range f.buffers {
		if err := f.post(i); err != nil {
			return err
		}
	}
	if err := f.wait(); err != nil {
		return err
	}
	for i := range f.buffers {
		if err := f.check(i); err != nil {
			return err
		}
	}
	return nil
}

// sequence registers, moves and closes one buffer after the other.
func (f *flood) sequence() error {
	if err := f.closeRegions(); err != nil {
		return err
	}
	for i := range f.buffers {
		if err := f.register(i); err != nil {
			return err
		}
		if err := f.post(i); err != nil {
			return err
		}
		if err := f.wait(); err != nil {
			return err
		}
		if err := f.check(i); err != nil {
			return err
		}
		if err := f.closeRegions(); err != nil {
			return err
		}
	}
	return nil
}

// sync exchanges a byte; the receive for it is posted now only.
func (f *flood) sync() error {
	s := f.s
	if s.Opt.OOBSync {
		return s.Sync()
	}
	if err := s.Repost(); err != nil {
		return err
	}
	if s.Client {
		if err := s.Send(1); err != nil {
			return err
		}
		return s.WaitRx(s.RxSeq)
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	return s.Send(1)
}
