package functional

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// sharedAVVar tells a process that it is the second one of its side, and what the side's peer is called in the vector that
// it shares.
const sharedAVVar = "FABTESTS_SHARED_AV"

// runSharedAV has each side share its address vector with a second process, which sends a greeting to the side's peer under
// the name that the first has for it.
func runSharedAV(env *scenario.Env) error {
	if v := os.Getenv(sharedAVVar); v != "" {
		peer, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			return &fail.Usage{Text: sharedAVVar + " is for processes that fabtests starts itself", Next: "unset " + sharedAVVar}
		}
		return greetFromShared(env, fi.Addr(peer))
	}
	opt := *env.Opt
	if opt.AVName == "" {
		opt.AVName = fmt.Sprintf("fabtests %d", os.Getpid())
	}
	mine := *env
	mine.Opt = &opt
	s, err := session.Open(&mine, session.Need{Caps: fi.CapMsg | fi.CapSharedAV, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Leave has closed it when all went well
	first, second := takeGreeting, sendGreeting
	if env.Client {
		first, second = sendGreeting, takeGreeting
	}
	if err := first(&mine, s); err != nil {
		return err
	}
	if err := second(&mine, s); err != nil {
		return err
	}
	return s.Leave()
}

// takeGreeting waits for what the second process of the other side sends.
func takeGreeting(env *scenario.Env, s *session.Session) error {
	fmt.Fprintln(env.Out, "Waiting for message from client...")
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	if err := checkGreeting(env, s.Rx); err != nil {
		return err
	}
	return s.Repost()
}

// sendGreeting starts the second process of our side and waits for it.
func sendGreeting(env *scenario.Env, s *session.Session) error {
	if s.Info.Fabric.ProvName == session.InProcess { // other processes cannot be reached: the second one is in this
		second, opt := *env, *env.Opt
		if env.Client { // as the session calls it
			opt.AVName += ".client"
		}
		second.Opt, second.Client = &opt, false
		return greetFromShared(&second, s.Peer)
	}
	self, err := os.Executable()
	if err != nil {
		return fail.Call("fork", err)
	}
	o, name := env.Opt, env.Opt.AVName
	if env.Client { // as the session calls it
		name += ".client"
	}
	args := []string{"rdm_shared_av", "-p", s.Info.Fabric.ProvName, "-d", s.Info.Domain.Name, "-f", s.Info.Fabric.Name, "-a", name,
		"--timeout", strconv.Itoa(max(1, int(o.Timeout.Seconds())))}
	if o.AddrFormat != fi.AddrFormatUnspec {
		args = append(args, "-F", strings.ToLower(o.AddrFormat.String()))
	}
	cmd := exec.CommandContext(env.Ctx, self, args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FABTESTS_") }),
		fmt.Sprintf("%s=%d", sharedAVVar, uint64(s.Peer)))
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = env.Out, &stderr
	if err := cmd.Run(); err != nil {
		env.Err.Write(stderr.Bytes()) //nolint:errcheck // the error that follows is what counts
		return fail.Call("fork", fmt.Errorf("the process that reads the address vector: %w", errors.Join(err, fi.ErrOther)))
	}
	return nil
}

// greetFromShared is the second process: its endpoint has the vector of the first, and nothing is inserted.
func greetFromShared(env *scenario.Env, peer fi.Addr) error {
	s, err := session.Alone(env, session.Need{Caps: fi.CapMsg | fi.CapSharedAV, Size: session.CtrlSize, ReadAV: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	s.Peer = peer
	fmt.Fprintln(env.Out, "Sending message...")
	copy(s.Tx, greeting)
	if err := s.PostTx(s.Tx[:len(greeting)], s.Context(0)); err != nil {
		return err
	}
	if err := s.WaitTx(s.TxSeq); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "Send completion received")
	return s.Close()
}
