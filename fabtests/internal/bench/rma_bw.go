package bench

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

func runRMABandwidth(env *scenario.Env) error {
	op := env.Opt.Op
	if op == "" {
		op = "write"
	}
	if op == "writedata" && env.Opt.Counters {
		return &fail.Usage{Text: "rma_bw: -o writedata has completions to wait for, not counts", Next: "fabtests rma_bw -o writedata -t queue"}
	}
	if env.Opt.OneWay && env.Opt.Verify && op != "writedata" {
		return &fail.Usage{Text: "rma_bw: data is checked by both sides at a time: -v does not go with --one-way", Next: "fabtests rma_bw -v"}
	}
	need := session.Need{Caps: fi.CapMsg | fi.CapRMA, Windows: true, Connects: true, Remote: true}
	if env.Opt.Verify && op != "writedata" {
		need.TxFlags = fi.OpDeliveryComplete
	}
	s, err := session.Open(env, need)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	if err := s.ExchangeKeys(); err != nil {
		return err
	}
	b := &rmaStream{s: s, op: op}
	for _, size := range s.Sizes() {
		n := s.Opt.StreamCount(size)
		if err := b.run(size, n); err != nil {
			return err
		}
		env.Report.Row(s.Row(size, n, 1))
	}
	return s.Finish()
}

// rmaStream measures reads or writes. Both sides initiate reads and writes, unless --one-way says that only the client
// does; writes with data go from client to server.
type rmaStream struct {
	s      *session.Session
	op     string
	size   int
	filled int // bytes of the transmit buffer that hold the pattern
}

func (b *rmaStream) run(size, n int) error {
	s := b.s
	b.size = size
	if err := s.Sync(); err != nil {
		return err
	}
	if s.Opt.OneWay && !s.Client && b.op != "writedata" {
		s.Start()
		err := s.Sync() // the client's, when it is done
		s.Stop()
		return err
	}
	post, begin := b.poster(), b.begin()
	places := s.Slots
	if !s.Since(session.RMAWindow) {
		places = 1
	}
	j, slot, off := 0, 0, begin
	for i := range n + s.Opt.Warmup {
		if i == s.Opt.Warmup {
			if s.Since(session.RMAWarmup) {
				if err := b.window(j); err != nil {
					return err
				}
				j, slot, off = 0, 0, begin
			}
			s.Start()
		}
		if j == 0 && s.Opt.Verify {
			if err := b.fill(); err != nil {
				return err
			}
		}
		if i < s.Opt.Warmup {
			if err := b.warmUp(j); err != nil {
				return err
			}
		}
		if err := post(off, j); err != nil {
			return err
		}
		off += size
		if slot++; slot == places {
			slot, off = 0, begin
		}
		if j++; j == s.Opt.Window {
			if err := b.window(j); err != nil {
				return err
			}
			j, slot, off = 0, 0, begin
		}
	}
	if err := b.window(j); err != nil {
		return err
	}
	s.Stop()
	if s.Opt.OneWay && s.Client && b.op != "writedata" {
		return s.Sync()
	}
	return nil
}

// begin is where the data lies in the buffers.
func (b *rmaStream) begin() int {
	if !b.s.Since(session.RMAWindow) {
		return 0
	}
	return b.s.RMAStart()
}

// warmUp is what goes with a write with data while nothing is measured yet: the server sends a message for each.
func (b *rmaStream) warmUp(j int) error {
	s := b.s
	switch {
	case b.op != "writedata" || !s.Since(session.RMAWarmup):
		return nil
	case s.Client:
		return s.PostRx(s.Rx[:session.AckSize], s.Context(j))
	}
	return s.PostTx(s.Tx[:session.AckSize], s.Context(j))
}

// poster gives the function that starts one operation at an offset of the buffers.
func (b *rmaStream) poster() func(off, j int) error {
	s, size := b.s, b.size
	inject := size <= s.RMAInject()
	begin := b.begin()
	touched := func(off int) []byte {
		buf := s.Tx[off:][:size]
		switch {
		case s.Opt.Touch && s.Opt.Verify: // a window is checked as one pattern
			pattern.FillAt(buf, off-begin)
		case s.Opt.Touch:
			s.Prepare(buf)
		}
		return buf
	}
	switch {
	case b.op == "read":
		return func(off, j int) error { return s.PostRead(s.Rx[off:][:size], s.Context(j)) }
	case b.op == "writedata" && !s.Client:
		return func(_, _ int) error { // what arrives has a completion of its own, and needs a receive where the provider says so
			if s.Info.Mode&fi.ModeRxCQData != 0 {
				return s.PostRx(s.Rx[:session.CtrlSize], s.Context(0))
			}
			s.RxSeq++
			return nil
		}
	case b.op == "writedata" && inject:
		return func(off, _ int) error { return s.InjectWriteData(touched(off)) }
	case b.op == "writedata":
		return func(off, j int) error { return s.PostWriteData(touched(off), s.Context(j)) }
	case inject:
		return func(off, _ int) error { return s.InjectWrite(touched(off)) }
	case s.Opt.UseMore:
		return func(off, j int) error {
			fl := fi.OpMore
			if j == s.Opt.Window-1 {
				fl = 0
			}
			return s.PostWriteMore(touched(off), s.Context(j), fl)
		}
	}
	return func(off, j int) error { return s.PostWrite(touched(off), s.Context(j)) }
}

// fill writes the pattern where the data comes from and something else where it goes to, on both sides. What a peer reads
// is written once only: it may not be done with the last window.
func (b *rmaStream) fill() error {
	s := b.s
	if !s.Since(session.RMAWindow) { // nobody waits, and the places are one
		pattern.Fill(s.Tx[:b.size])
		return nil
	}
	n := b.size * s.Slots
	if n > 0 {
		if n > b.filled {
			pattern.Fill(s.Tx[s.RMAStart():][:n])
			b.filled = n
		}
		pattern.Fill(s.Rx[s.RMAStart()+1:][:n-1])
	}
	return s.Sync()
}

// window waits for n operations and checks what they brought.
func (b *rmaStream) window(n int) error {
	s := b.s
	var err error
	switch {
	case b.op != "writedata":
		err = s.WaitTx(s.TxSeq)
	case s.Client:
		err = sent(s)
	default:
		if err = s.WaitRx(s.RxSeq - 1); err == nil {
			err = confirm(s)
		}
	}
	if err == nil {
		s.Lap(n)
	}
	if err != nil || !s.Opt.Verify || !s.Since(session.RMAWindow) {
		return err
	}
	if b.op == "write" {
		if err := s.Sync(); err != nil {
			return err
		}
	}
	if b.op == "writedata" && s.Client {
		return nil
	}
	return fail.Call("ft_check_buf", pattern.Check(s.Rx[s.RMAStart():][:n*b.size]))
}
