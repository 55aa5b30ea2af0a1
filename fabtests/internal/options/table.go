package options

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// Table gives the options of a scenario: the common ones, without the letters and names that its own take away, and then
// its own.
func (o *Options) Table(own []cli.Option) []cli.Option {
	var table []cli.Option
	for _, c := range o.common() {
		if !slices.ContainsFunc(own, func(x cli.Option) bool { return x.Long == c.Long }) {
			if slices.ContainsFunc(own, func(x cli.Option) bool { return x.Short != 0 && x.Short == c.Short }) {
				c.Short = 0
			}
			table = append(table, c)
		} else if c.Group != "" { // the heading stays
			table = append(table, cli.Option{Group: c.Group})
		}
	}
	table = slices.Concat(own, headings(table))
	for i := range table {
		name, set := table[i].Long, table[i].Set
		table[i].Set = func(v string) error {
			o.touched[name] = true
			err := set(v)
			if usage, ok := errors.AsType[*cli.UsageError](err); ok {
				usage.Text = "option '--" + name + "': " + usage.Text
			}
			return err
		}
	}
	return table
}

// headings moves the heading of an option that was taken away to the next one.
func headings(table []cli.Option) []cli.Option {
	var out []cli.Option
	group := ""
	for _, c := range table {
		if c.Group != "" {
			group = c.Group
		}
		if c.Long == "" {
			continue
		}
		c.Group, group = group, ""
		out = append(out, c)
	}
	return out
}

// common are the options of every scenario.
func (o *Options) common() []cli.Option {
	return slices.Concat(o.ours(), o.work(), o.addresses(), o.domain(), o.legacy())
}

func (o *Options) ours() []cli.Option {
	return []cli.Option{
		{Long: "local", Help: "run both sides on this machine, each pinned to a processor", Group: "Running", Set: On(&o.Local)},
		{Short: 'p', Long: "provider", Arg: "NAME", Help: "only this provider", Set: Text(&o.Provider)},
		{Long: "starts", Arg: "N", Help: "start the processes N times, print the best of each row (benchmarks: 3)",
			Text: "Where the pages of a process lie makes whole runs faster or slower, so repeating inside one start is not enough.",
			Set:  Number(&o.Starts, 1, 1000)},
		o.TimeoutOption(""),
		{Long: "pin-core", Arg: "LIST", Help: "bind this process to processors, as 0,2-4", Set: Cores(&o.PinCore)},
		{Long: "no-pin", Help: "with --local: do not bind the processes to processors", Set: On(&o.Unpinned)},
		{Short: 'm', Long: "machine", Help: "machine readable output", Group: "Output", Set: On(&o.Machine)},
		{Long: "json", Help: "one JSON object a row, with the facts of the machine", Set: On(&o.JSON)},
		{Long: "both", Help: "with --local: show what the server prints, too", Set: On(&o.Both)},
		{Short: 'V', Long: "verbose", Help: "say more", Set: On(&o.Verbose)},
	}
}

// TimeoutOption is --timeout, with what more a scenario has to say of it.
func (o *Options) TimeoutOption(more string) cli.Option {
	return cli.Option{Long: "timeout", Arg: "SECONDS", Help: "give up when nothing happens for so long (120; 0: never)" + more, Set: func(v string) error {
		s, err := strconv.ParseFloat(v, 64)
		if err != nil || s < 0 || s > 1e6 {
			return Bad(v, "seconds, 0 for ever")
		}
		o.Timeout = time.Duration(s * float64(time.Second))
		return nil
	}}
}

// PatientServer says what --timeout is to a server that waits as UntilClient does.
const PatientServer = "; without it a server waits for its client for ever"

// UntilClient is how long a server waits for its client that, as its program in C does, has time for ever: as long as
// --timeout says only where that was given.
func (o *Options) UntilClient() time.Duration {
	if o.Given("timeout") {
		return o.Timeout
	}
	return 0
}

func (o *Options) work() []cli.Option {
	return []cli.Option{
		{Short: 'I', Long: "iterations", Arg: "N", Help: "number of iterations, or l:a,b,c for each of -S l: (chosen by size)", Group: "What is measured",
			Set: o.setIterations},
		{Short: 'w', Long: "warmup", Arg: "N", Help: "iterations before the clock starts (10)", Set: Number(&o.Warmup, 0, math.MaxInt32)},
		{Short: 'S', Long: "size", Arg: "SIZE", Help: "bytes, r:start,inc,end, l:a,b,c or all (64 256 1k 4k 64k 1m)", Set: func(v string) error {
			list, err := ParseSizes(v)
			if err != nil {
				return &cli.UsageError{Text: err.Error()}
			}
			o.Sizes = list
			return nil
		}},
		{Short: 'W', Long: "window", Arg: "N", Help: "messages in flight in bandwidth tests (64)", Set: Number(&o.Window, 1, 1<<20)},
		{Short: 'j', Long: "inject-size", Arg: "BYTES", Help: "inject messages up to this size (what the endpoint offers)",
			Set: Size(&o.InjectSize)},
		{Short: 't', Long: "completion", Arg: "TYPE", Help: "queue or counter", Values: []string{"queue", "counter"}, Set: func(v string) error {
			return choose(v, map[string]func(){"queue": func() { o.Counters = false }, "counter": func() { o.Counters = true }})
		}},
		{Short: 'c', Long: "wait", Arg: "METHOD", Help: "spin, sread, fd or yield", Values: []string{"spin", "sread", "fd", "yield"}, Set: func(v string) error {
			return choose(v, map[string]func(){"spin": func() { o.Wait = WaitSpin }, "sread": func() { o.Wait = WaitSRead },
				"fd": func() { o.Wait = WaitFD }, "yield": func() { o.Wait = WaitYield }})
		}},
		{Short: 'o', Long: "op", Arg: "OP", Help: "operation, of scenarios that have several: write, read, writedata; senddata; msg, tagged; an atomic",
			Values: []string{"read", "write", "writedata", "senddata", "msg", "tagged"}, Set: Text(&o.Op)},
		{Short: 'U', Long: "delivery-complete", Help: "transmit with FI_DELIVERY_COMPLETE", Set: On(&o.Delivery)},
		{Short: 'v', Long: "verify", Help: "check the data", Set: On(&o.Verify)},
		{Short: 'r', Long: "no-prepost", Help: "ping-pong: post each receive after the send", Set: On(&o.NoPrepost)},
		{Short: 'l', Long: "align", Help: "align buffers to pages", Set: On(&o.Align)},
		{Long: "use-fi-more", Help: "bandwidth: post with FI_MORE", Set: On(&o.UseMore)},
		{Long: "touch", Help: "write each buffer before its send and read it after its receive, as programs do", Set: On(&o.Touch)},
		{Long: "pause", Arg: "DURATION", Help: "ping-pong: wait so long before each answer, as 1ms", Set: func(v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d < 0 || d > time.Minute {
				return Bad(v, "a duration up to 1m, as 1ms")
			}
			o.Pause = d
			return nil
		}},
		{Long: "percentiles", Help: "benchmarks: print p50, p99 and p99.9 in microseconds, too",
			Text: "The clock is read for each message, in streams for each window, so the mean is worse than without. A ping-pong's time is half a round trip, a stream's the share of a message in its window. A percentile is left out where fewer than ten messages are beyond it.",
			Set:  On(&o.Percentiles)},
		{Long: "alloc", Help: "buffers in memory of mr.Alloc instead of ordinary memory", Set: On(&o.Alloc)},
		{Long: "road", Arg: "ROAD", Help: "how shm moves large messages: auto, map, cma or bulk (FI_SHM_ROAD)",
			Values: []string{"auto", "map", "cma", "bulk"}, Set: func(v string) error {
				set := func() { o.Road = strings.ToLower(v) }
				return choose(v, map[string]func(){"auto": set, "map": set, "cma": set, "bulk": set})
			}},
		{Long: "one-way", Help: "rma_bw: only the client reads or writes", Set: On(&o.OneWay)},
	}
}

func (o *Options) addresses() []cli.Option {
	return []cli.Option{
		{Short: 'B', Long: "src-port", Arg: "PORT", Help: "our port or service (9228)", Group: "Addresses", Set: Text(&o.SrcPort)},
		{Short: 'P', Long: "dst-port", Arg: "PORT", Help: "the server's port or service (9228)", Set: Text(&o.DstPort)},
		{Short: 's', Long: "source", Arg: "ADDRESS", Help: "our address", Set: Text(&o.SrcAddr)},
		{Short: 'b', Long: "oob", Arg: "PORT", Help: "exchange addresses and synchronise over TCP (-b alone: port 3000)", Set: func(v string) error {
			o.OOBSync, o.OOBAddr, o.OOBPort = true, true, v
			return nil
		}},
		{Short: 'E', Long: "oob-address", Arg: "PORT", Help: "exchange addresses over TCP (-E alone: port 3000)", Set: func(v string) error {
			o.OOBAddr, o.OOBPort = true, v
			return nil
		}},
		{Short: 'O', Long: "oob-host", Arg: "ADDRESS", Help: "address for that TCP connection", Set: Text(&o.OOBHost)},
		{Short: 'C', Long: "connections", Arg: "N", Help: "server: serve N clients, one after another", Set: Number(&o.Connections, 1, 1<<20)},
		{Short: 'F', Long: "addr-format", Arg: "FORMAT", Help: "fi_addr_str, fi_sockaddr, fi_sockaddr_in, fi_sockaddr_in6",
			Values: []string{"fi_addr_str", "fi_sockaddr", "fi_sockaddr_in", "fi_sockaddr_in6", "fi_sockaddr_ib"}, Set: Word(&o.AddrFormat)},
		{Short: 'a', Long: "av-name", Arg: "NAME", Help: "name of a shared address vector", Set: Text(&o.AVName)},
	}
}

func (o *Options) domain() []cli.Option {
	return []cli.Option{
		{Short: 'f', Long: "fabric", Arg: "NAME", Help: "only this fabric", Group: "Endpoint", Set: Text(&o.Fabric)},
		{Short: 'd', Long: "domain", Arg: "NAME", Help: "only this domain", Set: Text(&o.Domain)},
		{Short: 'e', Long: "ep-type", Arg: "TYPE", Help: "endpoint type: rdm, msg or dgram (rdm)", Values: []string{"rdm", "msg", "dgram"}, Set: Word(&o.EPType)},
		{Long: "threading", Arg: "MODEL", Help: "safe, completion or domain (domain)", Values: []string{"safe", "completion", "domain"}, Set: func(v string) error {
			return choose(v, map[string]func(){"safe": func() { o.Threading = fi.ThreadSafe },
				"completion": func() { o.Threading = fi.ThreadCompletion }, "domain": func() { o.Threading = fi.ThreadDomain }})
		}},
		{Long: "data-progress", Arg: "MODEL", Help: "manual or auto", Values: []string{"manual", "auto"}, Set: progress(&o.DataProgress)},
		{Long: "control-progress", Arg: "MODEL", Help: "manual, auto or unified", Values: []string{"manual", "auto", "unified"},
			Set: progress(&o.ControlProgress)},
		{Long: "max-msg-size", Arg: "BYTES", Help: "lower the largest message", Set: Size(&o.MaxMsgSize)},
		{Long: "sync-comp", Arg: "LEVEL", Help: "completion of messages that synchronise: transmit, delivery or commit (delivery)",
			Values: []string{"transmit", "delivery", "commit"}, Set: func(v string) error {
				level := func(f fi.OpFlags) func() { return func() { o.SyncComp = f } }
				return choose(strings.TrimSuffix(strings.ToLower(v), "_complete"), map[string]func(){"transmit": level(fi.OpTransmitComplete),
					"delivery": level(fi.OpDeliveryComplete), "commit": level(fi.OpCommitComplete)})
			}},
		{Long: "peer-version", Arg: "VERSION", Help: "the other side is a program of libfabric VERSION (1.22, 2.6)",
			Text: "Programs of different versions do not send quite the same; what a message cannot tell has to be said.", Set: o.PeerVersion.set},
		{Short: 'M', Long: "mode", Arg: "BIT", Help: "mr_local: do not offer FI_MR_LOCAL", Values: []string{"mr_local"}, Set: func(v string) error {
			return choose(v, map[string]func(){"mr_local": func() { o.NoMRLocal = true }})
		}},
	}
}

// devices are the kinds of memory that -D knows.
var devices = []string{"system", "cuda", "rocr", "ze", "neuron", "synapseai"}

func (o *Options) legacy() []cli.Option {
	return []cli.Option{
		{Short: 'K', Long: "fork", Help: "start a child process after the endpoint", Group: "Rarely needed", Set: On(&o.Fork)},
		{Short: 'Q', Long: "domain-eq", Help: "accepted; datagram endpoints have no event queue", Set: func(string) error { return nil }},
		{Short: 'k', Long: "prefix", Help: "insist on FI_MSG_PREFIX", Set: On(&o.Prefix)},
		{Short: 'H', Long: "hmem", Help: "insist on FI_HMEM", Set: On(&o.HMEM)},
		{Short: 'D', Long: "device", Arg: "KIND", Help: "device memory: cuda, rocr, ze, neuron, synapseai",
			Values: devices, Set: func(v string) error {
				words := map[string]func(){}
				for _, d := range devices {
					words[d] = func() { o.HMEM = d != "system" }
				}
				if err := choose(v, words); err != nil {
					return err
				}
				return Word(&o.HMEMIface)("hmem_" + v)
			}},
		{Short: 'i', Long: "device-id", Arg: "N", Help: "which device", Set: func(string) error { return nil }},
		{Short: 'R', Long: "dmabuf", Help: "register device memory by dmabuf", Set: On(&o.HMEM)},
		{Long: "no-rx-cq-data", Help: "do not offer FI_RX_CQ_DATA", Set: On(&o.NoRxCQData)},
		{Long: "expect-error", Arg: "ERROR", Help: "succeed when the run ends in this error, FI_ENODATA or 61", Set: func(v string) error {
			n, err := fi.ParseErrno(v)
			if err != nil {
				return Bad(v, "an error name or number")
			}
			o.ExpectErr = n
			return nil
		}},
		{Long: "debug-assert", Help: "stop for a debugger instead of exiting with an error", Set: On(&o.Debug)},
	}
}

// FillOptional gives -b and -E, whose value is optional, their default value, since a table of options has no such kind.
func FillOptional(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		switch a {
		case "--":
			return out
		case "-b", "-E", "--oob", "--oob-address":
			out[i] = a + "=" + DefaultOOBPort
		}
	}
	return out
}

// Bad is the error for a value that an option does not take.
func Bad(got, want string) error {
	return &cli.UsageError{Text: fmt.Sprintf("%q is not %s", got, want)}
}
