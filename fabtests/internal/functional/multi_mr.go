package functional

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/mr"
)

func multiMROptions(o *options.Options) []cli.Option {
	o.Window = 2
	return []cli.Option{{Short: 'c', Long: "count", Arg: "N", Help: "number of memory regions (2)", Set: options.Number(&o.Window, 1, 1<<12)}}
}

const multiMRSize = 4096

// countedRegion is a region with a counter of what peers write to it.
type countedRegion struct {
	buf    []byte
	mr     *fabric.MR
	cntr   *fabric.Counter
	remote mr.Remote
}

// runMultiMR writes to many regions; a counter of each tells when.
func runMultiMR(env *scenario.Env) (err error) {
	var regions []*countedRegion
	register := func(s *session.Session) error { // before the peer can write
		for i := range env.Opt.Window {
			r, err := newCountedRegion(s, uint64(i+1))
			if err != nil {
				return err
			}
			regions = append(regions, r)
			if env.Opt.Verbose {
				fmt.Fprintf(env.Out, "MR_REG: %d bytes, key %d\n", multiMRSize, r.mr.Key())
			}
		}
		return nil
	}
	undo := func() error {
		var errs []error
		for _, r := range regions {
			errs = append(errs, r.mr.Close(), r.cntr.Close())
		}
		regions = nil
		return fail.Call("fi_close", errors.Join(errs...))
	}
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapRMA | fi.CapRMAEvent, Size: multiMRSize, NoRegion: true, Connects: true,
		Before: register, Undo: undo})
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	for _, r := range regions {
		if err := tell(s, r); err != nil {
			return err
		}
	}
	for _, r := range regions {
		if err := writeBothWays(s, r); err != nil {
			return err
		}
	}
	fmt.Fprintln(env.Out, "GOOD, multi mr key test complete")
	if err := s.Sync(); err != nil {
		return err
	}
	if err := s.Finalize(); err != nil {
		return err
	}
	return s.Shutdown()
}

func newCountedRegion(s *session.Session, key uint64) (*countedRegion, error) {
	r := &countedRegion{buf: make([]byte, multiMRSize), remote: mr.Remote{Key: key}}
	var err error
	if r.cntr, err = s.Domain.OpenCounter(nil); err != nil {
		return nil, fail.Call("fi_cntr_open", err)
	}
	access := fi.AccessRemoteWrite
	if s.Info.Domain.MRMode&fi.MRModeLocal != 0 {
		access |= fi.AccessWrite
	}
	if r.mr, err = s.Domain.RegisterMR(r.buf, access, &fi.MRAttr{Key: key, Flags: fi.MRRMAEvent}); err != nil {
		return nil, fail.Call("fi_mr_reg", err)
	}
	if err = r.mr.BindCounter(r.cntr, fi.CountRemoteWrite); err != nil {
		return nil, fail.Call("fi_mr_bind", err)
	}
	if s.Info.Domain.MRMode&fi.MRModeEndpoint != 0 {
		if err = r.mr.BindEndpoint(s.EP); err != nil {
			return nil, fail.Call("fi_mr_bind", err)
		}
	}
	return r, fail.Call("fi_mr_enable", r.mr.Enable())
}

// tell exchanges what the two sides call a region, where that is not the same anyway.
func tell(s *session.Session, r *countedRegion) error {
	if s.Info.Domain.MRMode&(fi.MRModeProvKey|fi.MRModeVirtAddr) == 0 {
		return nil
	}
	b, err := r.mr.Remote().MarshalBinary()
	if err != nil {
		return fail.Call("fi_mr_key", err)
	}
	n := copy(s.Tx, b)
	if err := s.Send(n); err != nil {
		return err
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	if err := r.remote.UnmarshalBinary(s.Rx[:n]); err != nil {
		return fail.Call("fi_mr_key", err)
	}
	return s.Repost()
}

// writeBothWays writes a region's content to the peer's, from the client and back.
func writeBothWays(s *session.Session, r *countedRegion) error {
	write := func() error {
		pattern.Fill(r.buf)
		if err := s.EP.Write(r.buf, s.Peer, r.remote, s.Context(0)); err != nil {
			return fail.Call("fi_write", err)
		}
		s.TxSeq++
		return s.WaitTx(s.TxSeq)
	}
	receive := func() error {
		if err := s.WaitCounter(r.cntr, 1); err != nil {
			return err
		}
		if s.Opt.Verify {
			return fail.Call("ft_check_buf", pattern.Check(r.buf))
		}
		return nil
	}
	if !s.Client {
		write, receive = receive, write
	}
	if err := write(); err != nil {
		return err
	}
	return receive()
}
