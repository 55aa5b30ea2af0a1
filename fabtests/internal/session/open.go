package session

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// InProcess is the provider that reaches its own process only: two processes do not meet over it.
const InProcess = "mem"

// Open opens and enables one side and finds the other: by a connection where endpoints are connected ones (-e msg).
func Open(env *scenario.Env, need Need) (*Session, error) {
	need.pair = true
	s, err := resume(env)
	if s == nil {
		switch s, err = Prepare(env, need); {
		case err != nil:
		case s.Connected():
			err = s.meetConnected()
		default:
			if err = s.OpenActive(s.Info); err == nil {
				err = s.meet()
			}
		}
	}
	return s.orClose(err)
}

// orClose closes a session that could not be opened; the first error is the one to see.
func (s *Session) orClose(err error) (*Session, error) {
	if err == nil {
		return s, nil
	}
	if s != nil {
		s.Close() //nolint:errcheck // see above
	}
	return nil, err
}

// Alone opens and enables an endpoint that talks to nobody but, at most, itself.
func Alone(env *scenario.Env, need Need) (*Session, error) {
	need.NoAddress, need.NoRecv = true, true
	s, err := Prepare(env, need)
	if err == nil {
		err = s.OpenActive(s.Info)
	}
	return s.orClose(err)
}

// Prepare begins to open one side: what getinfo says, the fabric and, for connected endpoints, the event queue. What was
// opened is there to close in case of an error, too.
func Prepare(env *scenario.Env, need Need) (*Session, error) {
	s := &Session{Opt: env.Opt, Client: env.Client, env: env, owner: env, need: need, Peer: fi.AddrUnspec, From: fi.AddrUnspec}
	if need.pair && !need.ManyPeers && env.Opt.Connections == 1 && !s.Connected() { // else the end of a client is not the end of the server
		s.listen(env)
	}
	steps := []func() error{s.openOOB, s.getInfo, s.openFabric}
	for _, step := range steps {
		if err := step(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Connected tells whether endpoints are connected ones.
func (s *Session) Connected() bool { return s.Opt.EPType == fi.EPMsg }

// Datagrams tells whether messages may be lost.
func (s *Session) Datagrams() bool { return s.Opt.EPType == fi.EPDgram }

// OpenActive opens all that sends and receives: with the info of getinfo, or with that of a connection request.
func (s *Session) OpenActive(info *fi.Info) error {
	s.active = info
	s.tagged = info.Caps&fi.CapTagged != 0 && info.Caps&fi.CapMsg == 0
	steps := []func() error{s.openDomain, s.openQueues, s.allocate, s.openEndpoints, s.register}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if s.need.Before != nil {
		if err := s.need.Before(s); err != nil {
			return err
		}
	}
	if s.Opt.Fork {
		return startChild(s.env.Ctx)
	}
	return nil
}

// CloseActive closes what OpenActive opened.
func (s *Session) CloseActive() error {
	var errs []error
	try := func(close func() error) {
		if err := close(); err != nil {
			errs = append(errs, err)
		}
	}
	s.EP = nil
	try(s.closeEndpoints)
	if s.need.Undo != nil {
		try(s.need.Undo)
	}
	if s.SRX != nil {
		try(s.SRX.Close)
	}
	if s.STX != nil {
		try(s.STX.Close)
	}
	for _, q := range []*fabric.CQ{s.TxCQ, s.RxCQ} { // closing one twice does nothing
		if q != nil {
			try(q.Close)
		}
	}
	for _, c := range []*fabric.Counter{s.TxCntr, s.RxCntr, s.RMA} {
		if c != nil {
			try(c.Close)
		}
	}
	if s.AV != nil {
		try(s.AV.Close)
	}
	if s.Domain != nil {
		try(s.Domain.Close)
	}
	try(s.memory.free)
	s.SRX, s.STX, s.TxCQ, s.RxCQ, s.TxCntr, s.RxCntr, s.RMA, s.AV, s.Domain, s.memory = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	s.TxSeq, s.RxSeq, s.TxDone, s.RxDone = 0, 0, 0, 0
	return errors.Join(errs...)
}

// closeEndpoints closes them and the region that is bound to them.
func (s *Session) closeEndpoints() error {
	var errs []error
	for _, ep := range s.EPs {
		errs = append(errs, ep.Close())
	}
	if s.MR != nil {
		errs = append(errs, s.MR.Close())
	}
	s.EPs, s.MR = nil, nil
	return errors.Join(errs...)
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
	h.Tx.Size, h.Rx.Size = need.TxSize, need.RxSize
	if need.SharedRx {
		h.EP.RxCtxCount = fi.SharedContext
	}
	if need.SharedTx {
		h.EP.TxCtxCount = fi.SharedContext
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
	exchanged := s.exchangesOOB() && !s.Connected()
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
	if s.need.Source != nil {
		s.Info.SrcAddr = s.need.Source
	}
	if o.Prefix && s.Info.EP.MsgPrefixSize == 0 {
		return NotOffered(fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.Info.Fabric.ProvName, Err: fi.ErrNoData,
			Hint: "no provider here uses FI_MSG_PREFIX"}), o)
	}
	if s.Connected() && !s.need.Connects {
		return &fail.Hint{Err: fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.Info.Fabric.ProvName, Err: fi.ErrNoData,
			Hint: "this scenario's endpoints find peers in an address vector, which FI_EP_MSG has not"}), Next: "the same with -e rdm"}
	}
	return nil
}

// NotOffered adds to a failed getinfo what to look at: the same question, as far as options ask it.
func NotOffered(err error, o *options.Options) error {
	if !errors.Is(err, fi.ErrNoData) {
		return err
	}
	words := []string{"fi_info", "--explain"}
	if o.Prefix { // no hint asks for it
		words[1] = "-v"
	}
	add := func(option, value string) {
		if value != "" {
			words = append(words, option, value)
		}
	}
	add("-p", o.Provider)
	if o.EPType != fi.EPUnspec {
		add("-t", strings.ToLower(strings.TrimPrefix(o.EPType.String(), "FI_EP_")))
	}
	if o.AddrFormat != fi.AddrFormatUnspec {
		add("-a", o.AddrFormat.String())
	}
	if o.HMEM {
		add("-c", "hmem")
	}
	add("-d", o.Domain)
	add("-f", o.Fabric)
	switch {
	case o.Server != "" && !o.Child.On:
		add("-n", o.Server)
		if o.DstPort != options.DefaultPort {
			add("-P", o.DstPort)
		}
	default:
		add("-s", o.SrcAddr)
		if o.SrcPort != options.DefaultPort && (!o.Child.On || o.Server != "") { // else the parent has chosen it
			if o.SrcAddr == "" {
				add("-s", "localhost")
			}
			add("-P", o.SrcPort)
		}
	}
	next := fail.CommandLine(words)
	if o.Prefix {
		next += " | grep msg_prefix_size"
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

// Fabric is what the session's domain is opened in.
func (s *Session) Fabric() *fabric.Fabric { return s.fabric }

func (s *Session) openFabric() (err error) {
	if s.fabric, err = fabric.Open(s.Info, s.logTo()...); err != nil {
		return fail.Call("fi_fabric", err)
	}
	if s.Connected() || s.need.Events || s.need.Caps&fi.CapCollective != 0 {
		s.EQ, err = s.fabric.OpenEQ(nil)
	}
	return fail.Call("fi_eq_open", err)
}

func (s *Session) openDomain() (err error) {
	if s.Domain, err = s.fabric.OpenDomain(s.active); err != nil {
		return fail.Call("fi_domain", err)
	}
	if s.need.SharedRx {
		if s.SRX, err = s.Domain.OpenSharedRx(s.active); err != nil {
			return fail.Call("fi_srx_context", err)
		}
	}
	if s.need.SharedTx {
		if s.STX, err = s.Domain.OpenSharedTx(s.active); err != nil {
			return fail.Call("fi_stx_context", err)
		}
	}
	if s.Connected() {
		return nil
	}
	attr := &fi.AVAttr{Type: s.Info.Domain.AVType, Count: 1, Name: s.Opt.AVName}
	switch {
	case s.need.ReadAV:
		attr.Flags = fi.AVRead
	case s.Client && attr.Name != "": // both sides may be on one host
		attr.Name += ".client"
	}
	s.AV, err = s.Domain.OpenAV(attr)
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
	switch {
	case s.counters():
		attr := &fi.CounterAttr{WaitObj: wait}
		if s.TxCntr, err = s.Domain.OpenCounter(attr); err != nil {
			return fail.Call("fi_cntr_open", err)
		}
		if s.RxCntr, err = s.Domain.OpenCounter(attr); err != nil {
			return fail.Call("fi_cntr_open", err)
		}
	default:
		attr := &fi.CQAttr{Size: max(s.Info.Tx.Size, s.window()+8), WaitObj: wait, Format: fi.CQFormatTagged}
		attr.Size = min(attr.Size, max(1<<14, s.window()+8))
		rx := *attr
		if n := s.need.TxCQSize; n > 0 {
			attr.Size = n
		}
		if n := s.need.RxCQSize; n > 0 {
			rx.Size = n
		}
		if s.TxCQ, err = s.Domain.OpenCQ(attr); err != nil {
			return fail.Call("fi_cq_open", err)
		}
		s.RxCQ, s.oneCQ = s.TxCQ, s.need.OneCQ
		if s.oneCQ {
			break
		}
		if s.RxCQ, err = s.Domain.OpenCQ(&rx); err != nil {
			return fail.Call("fi_cq_open", err)
		}
	}
	if s.need.RMAEvents {
		s.RMA, err = s.Domain.OpenCounter(&fi.CounterAttr{WaitObj: wait})
	}
	return fail.Call("fi_cntr_open", err)
}
