package stress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// mostSteps is how many steps a phase has at most, unless --steps says otherwise.
const mostSteps = 300

// job is a run as it was asked for.
type job struct {
	Seed     uint64 // rank 0's counts
	Round    int    // the only one; -1: one after another
	Time     time.Duration
	Patience time.Duration
	Ranks    int
	Ops      mask
	Steps    int // of a phase, at most
	Window   int // as choice has it
	Type     fi.EPType
	Provider string
	Road     string
	Shared   bool            // all ranks are in this process
	Opts     []fabric.Option // of GetInfo and Open
}

// result is what a run has done.
type result struct {
	Seed   uint64 `json:"seed"`
	Rounds int    `json:"rounds"`
	totals
	Seconds float64 `json:"seconds"`
}

// next is what rank 0 says after each round.
type next struct {
	Seed  uint64
	Stop  bool
	Total totals
}

// run runs one rank; links are those to the other ranks at rank 0, and the one to rank 0 elsewhere. All of them are closed
// when it returns. Only rank 0 returns results and faults.
func (j *job) run(ctx context.Context, index int, links []net.Conn) (*result, error) {
	mine := links[0]
	if index == 0 {
		here, there := net.Pipe()
		h := newHub(append([]net.Conn{there}, links...))
		defer h.close()
		mine = here
	}
	l := newLink(index, mine)
	defer l.close()
	res, err := j.rounds(ctx, index, l)
	if f, ok := faultOf(err); ok { // the ranks did not meet
		l.write(&note{Kind: "fail", Fail: f}) //nolint:errcheck // the hub has gone then, and the run is over
		err = errTold
	}
	if !errors.Is(err, errTold) {
		l.write(&note{Kind: "bye"}) //nolint:errcheck // nobody waits for it
		return res, err
	}
	if index > 0 { // rank 0 goes first: it has the report
		select {
		case <-l.ended:
		case <-time.After(2 * viewTime):
		}
		return nil, nil
	}
	select {
	case f := <-l.report:
		f.Again = j.again(f)
		return nil, &fail.Hint{Err: f, Next: f.Again}
	case <-time.After(2 * viewTime):
		return nil, l.reason
	}
}

// rounds runs one round after the other until rank 0 says stop.
func (j *job) rounds(ctx context.Context, index int, l *link) (*result, error) {
	began := time.Now()
	k := &rank{index: index, link: l, patience: j.Patience, opts: j.Opts, shared: j.Shared}
	c := choice{Seed: j.Seed, Ranks: j.Ranks, Ops: j.Ops, Steps: j.Steps, Window: j.Window, Type: j.Type, Provider: j.Provider}
	var err error
	if k.info, c.Limits, err = j.offer(ctx); err != nil {
		if index == 0 { // with a status and advice of its own; the others have the same, and go with it
			return nil, err
		}
		return nil, &fault{Rank: index, Step: -1, Text: err.Error()}
	}
	words, err := gather(ctx, l, j.Patience, "hello", next{Seed: j.Seed}, nil)
	if err != nil {
		return nil, err
	}
	c.Seed = words[0].Seed
	k.choice = c
	res := &result{Seed: c.Seed}
	for i := 0; ; i++ {
		number := i
		if j.Round >= 0 {
			number = j.Round
		}
		if err := k.round(ctx, number); err != nil {
			return nil, err
		}
		res.Rounds++
		if err := k.leaks(ctx); err != nil {
			if !errors.Is(err, errTold) {
				err = k.explain(&node{plan: newPlan(c, number)}, number, err)
			}
			return nil, err
		}
		stop := time.Since(began) >= j.Time && (i > 0 || j.Round < 0)
		words, err := gather(ctx, l, j.Patience, "next", next{Stop: stop, Total: k.total}, nil)
		if err != nil {
			return nil, err
		}
		if words[0].Stop {
			for _, w := range words {
				res.Operations += w.Total.Operations
				res.Bytes += w.Total.Bytes
			}
			res.Seconds = time.Since(began).Seconds()
			return res, nil
		}
	}
}

// offer asks what the provider has: all that it has is used.
func (j *job) offer(ctx context.Context) (*fi.Info, limits, error) {
	h := &fi.Hints{EP: &fi.EPAttr{Type: j.Type}, Fabric: &fi.FabricAttr{ProvName: j.Provider},
		Domain: &fi.DomainAttr{ResourceMgmt: fi.RMEnabled}}
	infos, err := fabric.GetInfo(ctx, h, j.Opts...)
	if err != nil {
		return nil, limits{}, err
	}
	const wanted = fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapAtomic | fi.CapMultiRecv | fi.CapDirectedRecv | fi.CapTaggedDirectedRecv | fi.CapSource | fi.CapRMAEvent
	h.Caps = infos[0].Caps & wanted
	order := infos[0].Tx.MsgOrder & fi.OrderSAS
	h.Tx, h.Rx = &fi.TxAttr{MsgOrder: order}, &fi.RxAttr{MsgOrder: order}
	opts := j.Opts
	if f := infos[0].AddrFormat; f == fi.AddrFormatSockaddr || f == fi.AddrFormatSockaddrIn || f == fi.AddrFormatSockaddr6 {
		opts = append(append([]fabric.Option{}, opts...), fabric.WithNode("127.0.0.1", ""), fabric.WithFlags(fi.InfoSource))
	}
	if infos, err = fabric.GetInfo(ctx, h, opts...); err != nil {
		return nil, limits{}, err
	}
	i := infos[0]
	l := limits{Caps: h.Caps, Inject: i.Tx.InjectSize, TxIov: i.Tx.IovLimit, RxIov: i.Rx.IovLimit, RMAIov: i.Tx.RMAIovLimit, Data: i.Domain.CQDataSize, MaxMsg: i.EP.MaxMsgSize}
	if order == 0 || h.Caps&fi.CapSource == 0 && j.Type != fi.EPMsg {
		l.Caps &^= fi.CapMsg // nothing tells then which untagged message has come
	}
	allowed := func(t fi.Threading, p fi.Progress) bool {
		h.Domain.Threading, h.Domain.Progress = t, p
		_, err := fabric.GetInfo(ctx, h, opts...)
		return err == nil
	}
	l.Auto, l.Manual = allowed(fi.ThreadSafe, fi.ProgressAuto), allowed(fi.ThreadSafe, fi.ProgressManual)
	l.OneThread = allowed(fi.ThreadDomain, fi.ProgressUnspec) && allowed(fi.ThreadCompletion, fi.ProgressUnspec)
	l.Atomics, err = j.atomics(i, l.Caps)
	return i, l, err
}

// atomics asks a domain which operations it has.
func (j *job) atomics(i *fi.Info, caps fi.Caps) (bits int, err error) {
	if caps&fi.CapAtomic == 0 {
		return 0, nil
	}
	f, err := fabric.Open(i, j.Opts...)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // it was opened to ask
	d, err := f.OpenDomain(i)
	if err != nil {
		return 0, err
	}
	defer d.Close() //nolint:errcheck // as above
	for k := range slotKinds {
		if a, err := d.QueryAtomic(slotKinds[k].kind, slotKinds[k].dt, slotKinds[k].op); err == nil && a.Count > 0 {
			bits |= 1 << k
		}
	}
	return bits, nil
}

// again is the command that replays the round of a fault.
func (j *job) again(f *fault) string {
	words := []string{"fabtests", "stress", "--local", "-p", j.Provider}
	if j.Type != fi.EPRDM {
		words = append(words, "-e", strings.ToLower(strings.TrimPrefix(j.Type.String(), "FI_EP_")))
	}
	words = append(words, "--procs", fmt.Sprint(j.Ranks), "--seed", fmt.Sprint(f.Seed), "--round", fmt.Sprint(f.Round))
	if j.Ops != opAll {
		words = append(words, "--ops", j.Ops.String())
	}
	if j.Steps != mostSteps {
		words = append(words, "--steps", fmt.Sprint(j.Steps))
	}
	if j.Road != "" {
		words = append(words, "--road", j.Road)
	}
	return fail.CommandLine(words)
}
