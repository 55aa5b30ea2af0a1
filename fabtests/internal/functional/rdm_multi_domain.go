package functional

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
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

// multiDomainChoice is what the options of rdm_multi_domain say.
type multiDomainChoice struct{ count int }

func multiDomainOptions(o *options.Options) []cli.Option {
	own := &multiDomainChoice{count: 2}
	o.Own = own
	return []cli.Option{{Short: 'c', Long: "count", Arg: "N", Help: "number of domains (2)", Set: options.Number(&own.count, 1, 1<<8)}}
}

const multiDomainSize = 4096

// runMultiDomain writes from each of several domains to each of the peer's; a counter at each region tells when.
func runMultiDomain(env *scenario.Env) (err error) {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapRMA | fi.CapRMAEvent, Size: multiDomainSize, NoRegion: true})
	if err != nil {
		return err
	}
	m := &multiDomain{env: env, s: s}
	defer func() {
		if closed := m.close(); err == nil {
			err = closed
		}
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	for range env.Opt.Own.(*multiDomainChoice).count {
		if err := m.open(); err != nil {
			return err
		}
	}
	if err := m.introduce(); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	if err := m.write(); err != nil {
		return err
	}
	if err := m.check(); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "GOOD, multi domain test complete")
	return s.Finalize() // else the faster side would close what the other writes to
}

// multiDomain is one side.
type multiDomain struct {
	env     *scenario.Env
	s       *session.Session
	domains []*testDomain
	remote  []mr.Remote // the region of each of the peer's domains
}

// testDomain is a domain with an endpoint and a region.
type testDomain struct {
	domain *fabric.Domain
	av     *fabric.AV
	txCQ   *fabric.CQ
	txCntr *fabric.Counter
	rxCntr *fabric.Counter
	ep     *fabric.Endpoint
	mr     *fabric.MR
	buf    []byte
	peers  []fi.Addr // each of the peer's domains, in our address vector
}

func (m *multiDomain) verbose(format string, args ...any) {
	if m.env.Opt.Verbose {
		fmt.Fprintf(m.env.Out, format+"\n", args...)
	}
}

// open makes another domain.
func (m *multiDomain) open() (err error) {
	info, err := m.s.Anywhere()
	if err != nil {
		return err
	}
	d := &testDomain{buf: make([]byte, multiDomainSize)}
	m.domains = append(m.domains, d)
	if d.domain, err = m.s.Fabric().OpenDomain(info); err != nil {
		return fail.Call("fi_domain", err)
	}
	if d.rxCntr, err = d.domain.OpenCounter(nil); err == nil {
		d.txCntr, err = d.domain.OpenCounter(nil)
	}
	if err != nil {
		return fail.Call("fi_cntr_open", err)
	}
	count := m.env.Opt.Own.(*multiDomainChoice).count
	if d.txCQ, err = d.domain.OpenCQ(&fi.CQAttr{Size: count}); err != nil {
		return fail.Call("fi_cq_open", err)
	}
	if d.av, err = d.domain.OpenAV(&fi.AVAttr{Type: info.Domain.AVType, Count: count}); err != nil {
		return fail.Call("fi_av_open", err)
	}
	if d.ep, err = d.domain.OpenEndpoint(info); err != nil {
		return fail.Call("fi_endpoint", err)
	}
	if err = errors.Join(d.ep.BindAV(d.av), d.ep.BindCounter(d.txCntr, fi.CountWrite), d.ep.BindCQ(d.txCQ, fi.BindTransmit|fi.BindRecv)); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	if err = d.ep.Enable(); err != nil {
		return fail.Call("fi_enable", err)
	}
	if d.mr, err = d.domain.RegisterMR(d.buf, fi.AccessWrite|fi.AccessRemoteWrite, &fi.MRAttr{Key: session.RegionKey, Flags: fi.MRRMAEvent}); err != nil {
		return fail.Call("fi_mr_reg", err)
	}
	if err = d.mr.BindCounter(d.rxCntr, fi.CountRemoteWrite); err == nil && info.Domain.MRMode&fi.MRModeEndpoint != 0 {
		err = d.mr.BindEndpoint(d.ep)
	}
	if err != nil {
		return fail.Call("fi_mr_bind", err)
	}
	if err = d.mr.Enable(); err != nil {
		return fail.Call("fi_mr_enable", err)
	}
	m.verbose("fi_mr_reg(size = %d, mr_key %d)", multiDomainSize, d.mr.Key())
	return nil
}

// introduce tells the peer of all endpoints and regions, and learns of its.
func (m *multiDomain) introduce() error {
	s := m.s
	for _, d := range m.domains {
		name, err := d.ep.Name()
		if err != nil {
			return fail.Call("fi_getname", err)
		}
		clear(s.Tx[:session.CtrlSize])
		copy(s.Tx, name)
		if err := s.Send(session.CtrlSize); err != nil {
			return err
		}
		if err := s.WaitRx(s.RxSeq); err != nil {
			return err
		}
		for _, at := range m.domains {
			var out [1]fi.Addr
			if _, err := at.av.Insert([][]byte{s.Rx[:session.CtrlSize]}, out[:], 0); err != nil {
				return fail.Call("fi_av_insert", err)
			}
			at.peers = append(at.peers, out[0])
		}
		if err := s.Repost(); err != nil {
			return err
		}
		remote, err := s.ExchangeKey(d.mr)
		if err != nil {
			return err
		}
		m.remote = append(m.remote, remote)
	}
	return nil
}

// write writes a share of the pattern from each domain to each of the peer's, and waits until it is there.
func (m *multiDomain) write() error {
	s, n := m.s, len(m.domains)
	pattern.Fill(s.Tx[:multiDomainSize])
	for i, d := range m.domains {
		from, to := multiDomainSize*i/n, multiDomainSize*(i+1)/n
		for k := range n {
			m.verbose("write to host's domain idx %d, memory region", k)
			err := s.Until(func() (bool, error) {
				err := d.ep.Write(s.Tx[from:to], d.peers[k], m.remote[k].At(uint64(from)), d)
				if err == fi.ErrAgain { //nolint:errorlint // a bare value
					return false, m.progress()
				}
				return true, fail.Call("fi_write", err)
			})
			if err != nil {
				return err
			}
		}
	}
	for i, d := range m.domains {
		if err := m.await(d.txCntr, n); err != nil {
			return err
		}
		if err := m.completions(d.txCQ, n); err != nil {
			return err
		}
		m.verbose("writes from domain idx %d completed", i)
	}
	return nil
}

// check waits for the peer's writes and looks at what they brought.
func (m *multiDomain) check() error {
	for i, d := range m.domains {
		m.verbose("check for writes to domain idx %d", i)
		if err := m.await(d.rxCntr, len(m.domains)); err != nil {
			return err
		}
		if err := pattern.Check(d.buf); err != nil {
			return fail.Call("ft_check_buf", err)
		}
		m.verbose("got all writes to domain idx %d", i)
	}
	return nil
}

// progress drives all domains.
func (m *multiDomain) progress() error {
	for _, d := range m.domains {
		if _, err := d.txCQ.Read(nil); err == fi.ErrAvail { //nolint:errorlint // a bare value
			_, err := m.s.TakeFrom(d.txCQ, make([]cq.Entry, 1))
			return err
		}
	}
	return nil
}

// await waits until a counter has counted n.
func (m *multiDomain) await(c *fabric.Counter, n int) error {
	return m.s.Until(func() (bool, error) {
		if c.ReadErr() > 0 {
			return false, fail.Call("fi_cntr_readerr", fi.ErrAvail)
		}
		return c.Read() >= uint64(n), m.progress()
	})
}

// completions takes n from a queue.
func (m *multiDomain) completions(q *fabric.CQ, n int) error {
	var e [1]cq.Entry
	for range n {
		if err := m.s.Until(func() (bool, error) { return m.s.TakeFrom(q, e[:]) }); err != nil {
			return err
		}
	}
	return nil
}

func (m *multiDomain) close() error {
	var errs []error
	for _, d := range m.domains {
		if d.ep != nil {
			errs = append(errs, d.ep.Close())
		}
		if d.mr != nil {
			errs = append(errs, d.mr.Close())
		}
		if d.av != nil {
			errs = append(errs, d.av.Close())
		}
		if d.txCQ != nil {
			errs = append(errs, d.txCQ.Close())
		}
		for _, c := range []*fabric.Counter{d.txCntr, d.rxCntr} {
			if c != nil {
				errs = append(errs, c.Close())
			}
		}
		if d.domain != nil {
			errs = append(errs, d.domain.Close())
		}
	}
	return fail.Call("fi_close", errors.Join(errs...))
}
