package runner

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cfabtests"
)

// withC runs a test of which one side is C's program.
func (r *Runner) withC(ctx context.Context, t *Test, serverArgs, clientArgs []string, port ports) ([]Ended, error) {
	listens := []place{{"tcp", port.fabric}}
	switch side := r.Peer.SidePort(t.Name); {
	case t.Name == "cm_data":
		listens = append(listens, place{"tcp", port.oob})
	case side != "": // the other one only after this
		listens = []place{{"tcp", side}}
	case t.opt.EPType == fi.EPDgram && t.Name != "pingpong": // whose control channel is at that port
		listens = []place{{"udp", port.fabric}}
	}
	version := []string{"--peer-version", r.Peer.String()}
	env := quietEnv()
	if t.CServes {
		return pair(ctx, r.theirs("server", t, serverArgs, env), r.side(&r.Client, "client", t.Name, append(version, clientArgs...), env),
			listening(listens)), nil
	}
	return pair(ctx, r.side(&r.Server, "server", t.Name, append(version, serverArgs...), env), r.theirs("client", t, clientArgs, env), saysReady), nil
}

// theirs is a process of C's program. Of the options it knows neither --timeout as ours nor --pin-core of one processor.
func (r *Runner) theirs(who string, t *Test, args, env []string) *program {
	path, _ := r.Peer.Path(t.Name) // the plan has looked
	provider := t.Provider
	if t.Provider == "tcp" && t.opt.EPType.String() == "FI_EP_RDM" {
		provider = r.Peer.RDM()
	}
	own := []string{path, "-p", provider}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-p", "--timeout":
			i++
		case "--fork":
			own = append(own, "-K")
		default:
			own = append(own, args[i])
		}
	}
	return &program{who: who, argv: own, env: append(append([]string{}, r.Env...), env...), foreign: true}
}

// quietEnv keeps both sides to the loopback, unless the user has chosen.
func quietEnv() []string {
	if os.Getenv("FI_TCP_IFACE") != "" {
		return nil
	}
	return []string{"FI_TCP_IFACE=lo"}
}

// How often it is looked whether a server can be reached, and how long it is waited where nobody can look: as long as
// libfabric's script does.
const (
	lookEvery = 5 * time.Millisecond
	blindWait = time.Second
)

// peerSize is the message size of benchmarks with C's programs: those clear a gigabyte first when they are given none. That of
// datagrams is one that a packet of an Ethernet has room for.
const (
	peerSize     = "4096"
	peerDatagram = "1024"
)

// place is where a server can be reached.
type place struct{ network, port string }

// listening waits until somebody listens at all of the places; false when the server ended before.
func listening(list []place) func(context.Context, *running) bool {
	return func(ctx context.Context, s *running) bool {
		wait := func(d time.Duration) bool {
			select {
			case <-s.done:
			case <-ctx.Done():
			case <-time.After(d):
				return true
			}
			return false
		}
		for _, at := range list {
			n, err := strconv.Atoi(at.port)
			for there := false; err == nil && !there; {
				there, err = cfabtests.Listening(at.network, n)
				if errors.Is(err, errors.ErrUnsupported) {
					return wait(blindWait)
				}
				if err == nil && !there && !wait(lookEvery) {
					return false
				}
			}
		}
		return true
	}
}
