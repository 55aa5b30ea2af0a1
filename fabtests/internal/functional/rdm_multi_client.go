package functional

import (
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// multiClientChoice is what the options of rdm_multi_client say.
type multiClientChoice struct {
	clients int
	reuse   bool
}

func multiClientOptions(o *options.Options) []cli.Option {
	own := &multiClientChoice{clients: 1}
	o.Own = own
	return []cli.Option{
		{Short: 'C', Long: "connections", Arg: "N", Help: "number of clients, one after the other (1)", Set: options.Number(&own.clients, 1, 1<<20)},
		{Short: 'R', Long: "reuse-address", Help: "client: all at the address of the first", Set: options.On(&own.reuse)},
	}
}

// runMultiClient has a server with one endpoint serve clients that come and go. The client's side is all of them: each
// opens everything and closes it without a word.
func runMultiClient(env *scenario.Env) error {
	own := env.Opt.Own.(*multiClientChoice)
	side, opt := *env, *env.Opt
	side.Opt = &opt
	opt.Connections = own.clients
	var first []byte
	for i := range own.clients {
		if env.Client {
			fmt.Fprintf(env.Out, "Starting client: %d\n", i)
		}
		need := session.Need{Caps: fi.CapMsg, Size: oneSize(env.Opt, session.CtrlSize)}
		if own.reuse {
			need.Source = first
		}
		name, err := serveOne(&side, need)
		if err != nil {
			return err
		}
		if i == 0 && env.Client {
			first = name
		}
	}
	if s, ok := side.Kept.(*session.Session); ok {
		return s.Discard()
	}
	return nil
}

// serveOne is the part of one client, or the server's of it, and gives the endpoint's name.
func serveOne(env *scenario.Env, need session.Need) ([]byte, error) {
	s, err := session.Open(env, need)
	if err != nil {
		return nil, err
	}
	defer s.Close() //nolint:errcheck // Leave has closed it when all went well
	name, err := s.EP.Name()
	if err != nil {
		return nil, fail.Call("fi_getname", err)
	}
	n := s.Opt.Iterations
	if n == 0 {
		n = 1000
	}
	fmt.Fprintln(env.Out, "Start ping-pong.")
	if err := s.PingPong(need.Size, n, 0, s.Send, s.Receive); err != nil {
		return nil, err
	}
	fmt.Fprintln(env.Out, "Ping-pong succeeds.")
	return name, s.Leave()
}
