package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// InProcess is the provider that reaches its own process only: two processes do not meet over it.
const InProcess = "mem"

// Open opens and enables one side and finds the other.
func Open(env *scenario.Env, need Need) (*Session, error) {
	need.pair = true
	s, err := resume(env)
	if s == nil {
		if s, err = open(env, need); err == nil {
			err = s.meet()
		}
	}
	if err != nil {
		if s != nil {
			s.Close() //nolint:errcheck // the first error is the one to see
		}
		return nil, err
	}
	return s, nil
}

// Alone opens and enables an endpoint that talks to nobody but, at most, itself.
func Alone(env *scenario.Env, need Need) (*Session, error) {
	need.NoAddress, need.NoRecv = true, true
	s, err := open(env, need)
	if err != nil && s != nil {
		s.Close() //nolint:errcheck // the first error is the one to see
		return nil, err
	}
	return s, err
}

func open(env *scenario.Env, need Need) (*Session, error) {
	s := &Session{Opt: env.Opt, Client: env.Client, env: env, owner: env, need: need, Peer: fi.AddrUnspec, From: fi.AddrUnspec}
	if need.pair && env.Opt.Connections == 1 { // else the end of a client is not the end of the server
		s.listen(env)
	}
	if err := s.openOOB(); err != nil {
		return s, err
	}
	if err := s.getInfo(); err != nil {
		return s, err
	}
	s.tagged = s.Info.Caps&fi.CapTagged != 0 && s.Info.Caps&fi.CapMsg == 0
	steps := []func() error{s.openDomain, s.openQueues, s.allocate, s.openEndpoint, s.register}
	for _, step := range steps {
		if err := step(); err != nil {
			return s, err
		}
	}
	if need.Before != nil {
		if err := need.Before(s); err != nil {
			return s, err
		}
	}
	if env.Opt.Fork {
		if err := startChild(env.Ctx); err != nil {
			return s, err
		}
	}
	return s, nil
}

// startChild runs a process that does nothing, which copies this one's memory on the way (-K).
func startChild(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return fail.Call("fork", err)
	}
	return fail.Call("fork", exec.CommandContext(ctx, self, "version").Run())
}

// Hints are what fabtests ask of getinfo.
func Hints(o *options.Options, need Need) *fi.Hints {
	h := &fi.Hints{
		Caps: need.Caps, Mode: fi.ModeContext | fi.ModeContext2, AddrFormat: o.AddrFormat,
		EP:     &fi.EPAttr{Type: o.EPType},
		Domain: &fi.DomainAttr{Name: o.Domain, Threading: o.Threading, Progress: o.DataProgress, MRMode: o.MRMode(), ResourceMgmt: fi.RMEnabled, AVType: fi.AVTable, CQDataSize: need.CQDataSize},
		Fabric: &fi.FabricAttr{Name: o.Fabric, ProvName: o.Provider},
		Tx:     &fi.TxAttr{OpFlags: need.TxFlags, MsgOrder: need.Order},
		Rx:     &fi.RxAttr{OpFlags: need.RxFlags, MsgOrder: need.Order},
	}
	if h.Domain.Progress == fi.ProgressUnspec {
		h.Domain.Progress = o.ControlProgress
	}
	if !o.NoRxCQData {
		h.Mode |= fi.ModeRxCQData
	}
	if o.Prefix {
		h.Mode |= fi.ModeMsgPrefix
	}
	if o.HMEM {
		h.Caps |= fi.CapHMEM
	}
	if o.Delivery {
		h.Tx.OpFlags |= fi.OpDeliveryComplete
	}
	if o.InjectSize > 0 {
		h.Tx.InjectSize = o.InjectSize
	}
	return h
}

// getInfo asks for an endpoint at our address or, as client, one that reaches the server.
func (s *Session) getInfo() error {
	o := s.Opt
	h := Hints(o, s.need)
	if s.need.pair && o.Provider == "" { // --local has chosen already
		h.Fabric.ProvName = "^" + InProcess
	}
	var opts []fabric.Option
	exchanged := s.exchangesOOB()
	switch {
	case s.env.Client && !exchanged && !s.need.NoAddress:
		if o.SrcAddr != "" || o.Given("src-port") {
			raw, err := sourceAddress(s.env.Ctx, h, o)
			if err != nil {
				return err
			}
			h.SrcAddr = raw
		}
		opts = append(opts, fabric.WithNode(o.Server, o.DstPort))
	case !s.env.Client && !exchanged && !s.need.NoAddress:
		opts = append(opts, fabric.WithNode(o.SrcAddr, o.SrcPort), fabric.WithFlags(fi.InfoSource))
	case o.SrcAddr != "" || o.SrcPort != "" && o.Given("src-port"):
		opts = append(opts, fabric.WithNode(o.SrcAddr, o.SrcPort), fabric.WithFlags(fi.InfoSource))
	}
	infos, err := fabric.GetInfo(s.env.Ctx, h, opts...)
	if err != nil {
		return NotOffered(fail.Call("fi_getinfo", err), o)
	}
	s.Info = infos[0]
	if o.Prefix && s.Info.EP.MsgPrefixSize == 0 {
		return NotOffered(fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.Info.Fabric.ProvName, Err: fi.ErrNoData,
			Hint: "no provider here uses FI_MSG_PREFIX"}), o)
	}
	if s.Info.EP.Type == fi.EPMsg {
		return &fail.Hint{Err: fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.Info.Fabric.ProvName, Err: fi.ErrNoData,
			Hint: "this scenario's endpoints find peers in an address vector, which FI_EP_MSG has not"}), Next: "the same with -e rdm"}
	}
	return nil
}

// NotOffered adds to a failed getinfo what to look at.
func NotOffered(err error, o *options.Options) error {
	if !errors.Is(err, fi.ErrNoData) {
		return err
	}
	next := "fi_info --explain"
	if o.Provider != "" {
		next += " -p " + o.Provider
	}
	if o.Server != "" && !o.Child.On {
		next += " -n " + o.Server
	}
	return &fail.Hint{Err: err, Next: next}
}

// sourceAddress resolves -s and -B for a client.
func sourceAddress(ctx context.Context, h *fi.Hints, o *options.Options) ([]byte, error) {
	infos, err := fabric.GetInfo(ctx, h, fabric.WithNode(o.SrcAddr, o.SrcPort), fabric.WithFlags(fi.InfoSource))
	if err != nil {
		return nil, NotOffered(fail.Call("fi_getinfo", err), o)
	}
	return infos[0].SrcAddr, nil
}

func (s *Session) openDomain() (err error) {
	if s.fabric, err = fabric.Open(s.Info, s.logTo()...); err != nil {
		return fail.Call("fi_fabric", err)
	}
	if s.Domain, err = s.fabric.OpenDomain(s.Info); err != nil {
		return fail.Call("fi_domain", err)
	}
	s.AV, err = s.Domain.OpenAV(&fi.AVAttr{Type: s.Info.Domain.AVType, Count: 1, Name: s.Opt.AVName})
	return fail.Call("fi_av_open", err)
}

// waitObj is the wait object for -c.
func (s *Session) waitObj() fi.WaitObj {
	switch s.Opt.Wait {
	case options.WaitSRead:
		return fi.WaitUnspec
	case options.WaitFD:
		return fi.WaitFD
	case options.WaitYield:
		return fi.WaitYield
	}
	return fi.WaitNone
}

func (s *Session) counters() bool { return s.Opt.Counters || s.need.Counters }

func (s *Session) openQueues() (err error) {
	wait := s.waitObj()
	if s.counters() {
		attr := &fi.CounterAttr{WaitObj: wait}
		if s.TxCntr, err = s.Domain.OpenCounter(attr); err != nil {
			return fail.Call("fi_cntr_open", err)
		}
		if s.RxCntr, err = s.Domain.OpenCounter(attr); err != nil {
			return fail.Call("fi_cntr_open", err)
		}
	} else {
		attr := &fi.CQAttr{Size: max(s.Info.Tx.Size, s.window()+8), WaitObj: wait, Format: fi.CQFormatTagged}
		attr.Size = min(attr.Size, max(1<<14, s.window()+8))
		if s.TxCQ, err = s.Domain.OpenCQ(attr); err != nil {
			return fail.Call("fi_cq_open", err)
		}
		if s.RxCQ, err = s.Domain.OpenCQ(attr); err != nil {
			return fail.Call("fi_cq_open", err)
		}
	}
	if s.need.RMAEvents {
		s.RMA, err = s.Domain.OpenCounter(&fi.CounterAttr{WaitObj: wait})
	}
	return fail.Call("fi_cntr_open", err)
}

func (s *Session) openEndpoint() (err error) {
	if s.EP, err = s.Domain.OpenEndpoint(s.Info); err != nil {
		return fail.Call("fi_endpoint", err)
	}
	if err = s.EP.BindAV(s.AV); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	if s.TxCQ != nil {
		if err = s.EP.BindCQ(s.TxCQ, fi.BindTransmit); err != nil {
			return fail.Call("fi_ep_bind", err)
		}
		if err = s.EP.BindCQ(s.RxCQ, fi.BindRecv); err != nil {
			return fail.Call("fi_ep_bind", err)
		}
	} else {
		if err = s.EP.BindCounter(s.TxCntr, fi.CountSend|fi.CountRead|fi.CountWrite); err != nil {
			return fail.Call("fi_ep_bind", err)
		}
		if err = s.EP.BindCounter(s.RxCntr, fi.CountRecv); err != nil {
			return fail.Call("fi_ep_bind", err)
		}
	}
	if s.RMA != nil {
		if err = s.EP.BindCounter(s.RMA, fi.CountRemoteRead|fi.CountRemoteWrite); err != nil {
			return fail.Call("fi_ep_bind", err)
		}
	}
	if n := s.Opt.MaxMsgSize; n > 0 {
		if err = s.EP.SetMaxSizes(fabric.Sizes{Msg: uint64(n)}); err != nil {
			return fail.Call("fi_setopt", err)
		}
	}
	if err = s.EP.Enable(); err != nil {
		err = fail.Call("fi_enable", err)
		if errors.Is(err, fi.ErrAddrInUse) {
			err = &fail.Hint{Err: err, Next: fmt.Sprintf("another -B than %s, and the same with -P at the client", s.Opt.SrcPort)}
		}
		return err
	}
	sizes := s.EP.InjectSizes()
	offered := sizes.Msg
	if s.tagged {
		offered = sizes.Tagged
	}
	s.inject = s.limitInject(offered)
	return nil
}

func (s *Session) limitInject(offered uint64) int {
	n := int(min(offered, 1<<30))
	if s.Opt.InjectSize >= 0 {
		n = min(n, s.Opt.InjectSize)
	}
	return n
}
