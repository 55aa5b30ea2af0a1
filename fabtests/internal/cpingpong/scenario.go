package cpingpong

import (
	"net"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// port is where fi_pingpong's server waits.
const port = "47592"

// Scenarios lists the program.
func Scenarios() []scenario.Scenario {
	return []scenario.Scenario{{Name: "pingpong", Kind: scenario.Functional, Sides: scenario.Pair, OOB: true,
		Summary: "the ping-pong of fi_pingpong, whose other side it can be: -m msg or tagged, -c checks data",
		Caps:    caps, Options: ownOptions, Run: run}}
}

func caps(o *options.Options) fi.Caps {
	if o.Op == "tagged" {
		return fi.CapTagged
	}
	return fi.CapMsg
}

// ownOptions have fi_pingpong's letters.
func ownOptions(o *options.Options) []cli.Option {
	o.SrcPort, o.DstPort, o.Op = port, port, "msg"
	return []cli.Option{
		{Short: 'm', Long: "transmit-mode", Arg: "MODE", Help: "msg or tagged (msg)", Values: []string{"msg", "tagged"}, Set: func(v string) error {
			v = strings.ToLower(v)
			if v != "msg" && v != "tagged" {
				return options.Bad(v, "msg or tagged")
			}
			o.Op = v
			return nil
		}},
		{Short: 'c', Long: "check", Help: "check the data", Set: options.On(&o.Verify)},
		{Short: 'I', Long: "iterations", Arg: "N", Help: "number of iterations (10)", Set: options.Number(&o.Iterations, 1, 1<<30)},
		{Short: 'S', Long: "size", Arg: "SIZE", Help: "bytes, or all: 0 to 6m (64 256 1k 4k 64k 1m)", Set: func(v string) error {
			if strings.EqualFold(v, "all") {
				o.Sizes = all()
				return nil
			}
			list, err := options.ParseSizes(v)
			if err != nil {
				return &cli.UsageError{Text: err.Error()}
			}
			o.Sizes = list
			return nil
		}},
		{Short: 'B', Long: "src-port", Arg: "PORT", Help: "port of our control channel (47592; client: any)", Set: options.Text(&o.SrcPort)},
		{Short: 'P', Long: "dst-port", Arg: "PORT", Help: "port of the server's control channel (47592)", Set: options.Text(&o.DstPort)},
		o.TimeoutOption(options.PatientServer),
		{Short: '6', Long: "ipv6", Help: "IPv6 addresses", Set: func(string) error {
			o.AddrFormat = fi.AddrFormatSockaddr6
			return nil
		}},
	}
}

// all are the sizes of -S all: nothing, the powers of two and the numbers halfway between them, up to 6 MiB.
func all() []int {
	list := append([]int{0}, options.AllSizes()...)
	return list[:len(list)-1]
}

func run(env *scenario.Env) error {
	conn, err := meet(env)
	if err != nil {
		return err
	}
	p := &pingPong{env: env, opt: env.Opt, tagged: env.Opt.Op == "tagged", ctl: control{ctrl.New(env.Ctx, conn, env.Opt.Timeout)}}
	defer p.ctl.Close()
	err = p.open()
	if err == nil {
		err = p.run()
	}
	if bad := p.close(); err == nil {
		err = bad
	}
	return err
}

// meet makes the control channel.
func meet(env *scenario.Env) (net.Conn, error) {
	o := env.Opt
	if env.Link != nil {
		if !env.Client {
			env.Ready()
		}
		return env.Link, nil
	}
	if env.Client {
		from := ""
		if o.Given("src-port") && !o.Child.On {
			from = o.SrcPort
		}
		return ctrl.Dial(env.Ctx, o.Server, o.DstPort, from, o.Timeout)
	}
	l, err := ctrl.Listen(env.Ctx, o.SrcAddr, o.SrcPort, "another port with -B, and the same with -P at the client")
	if err != nil {
		return nil, err
	}
	defer l.Close() //nolint:errcheck // one connection is all
	env.Ready()
	return ctrl.Accept(env.Ctx, l, o.UntilClient())
}
