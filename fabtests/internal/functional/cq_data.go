package functional

import (
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

const cqDataSize = 1000 // bytes of the message that carries the data

// cqDataCaps are those of messages, and of writes where these carry the data.
func cqDataCaps(o *options.Options) fi.Caps {
	if o.Op == "writedata" {
		return fi.CapMsg | fi.CapRMA
	}
	return fi.CapMsg
}

// remoteDataSize is how much of the data a provider must carry at least, in bytes.
const remoteDataSize = 4

// cqDataHints ask for that.
func cqDataHints(_ *options.Options, h *fi.Hints) { h.Domain.CQDataSize = remoteDataSize }

// runCQData checks that remote CQ data arrives, with a message or with a write.
func runCQData(env *scenario.Env) error {
	op := env.Opt.Op
	if op == "" {
		op = "senddata"
	}
	s, err := session.Open(env, session.Need{Caps: cqDataCaps(env.Opt), CQDataSize: remoteDataSize, Size: session.CtrlSize, Connects: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	if op == "writedata" {
		if err := s.ExchangeKeys(); err != nil {
			return err
		}
	}
	if s.Client {
		err = sendCQData(s, env, op)
	} else {
		err = receiveCQData(s, env, op)
	}
	if err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Close()
}

func sendCQData(s *session.Session, env *scenario.Env, op string) error {
	var err error
	if op == "writedata" {
		fmt.Fprintf(env.Out, "Posting write with CQ data: %#x\n", s.RemoteCQData())
		err = s.PostWriteData(s.Tx[:cqDataSize], s.Context(0))
	} else {
		fmt.Fprintf(env.Out, "Posting send with CQ data: %#x\n", s.RemoteCQData())
		err = s.PostTxData(s.Tx[:cqDataSize], s.RemoteCQData(), s.Context(0))
	}
	if err == nil {
		err = s.WaitTx(s.TxSeq)
	}
	if err == nil {
		fmt.Fprintln(env.Out, "Done")
	}
	return err
}

func receiveCQData(s *session.Session, env *scenario.Env, op string) error {
	fmt.Fprintln(env.Out, "Waiting for CQ data from client")
	e, err := s.Next(s.RxCQ)
	if err != nil {
		return err
	}
	want := fi.CompMsg | fi.CompRecv
	if op == "writedata" {
		want = fi.CompRMA | fi.CompRemoteWrite
	}
	switch {
	case e.Flags != want|fi.CompRemoteCQData:
		return fail.Call("fi_cq_read", fmt.Errorf("incorrect CQ flags %v, expected %v: %w", e.Flags, want|fi.CompRemoteCQData, fi.ErrBadFlags))
	case e.Data != s.RemoteCQData():
		return fail.Call("fi_cq_read", fmt.Errorf("expected data %#x, received data %#x: %w", s.RemoteCQData(), e.Data, fi.ErrIO))
	case e.Len != cqDataSize:
		return fail.Call("fi_cq_read", fmt.Errorf("expected len %d, received len %d: %w", cqDataSize, e.Len, fi.ErrIO))
	}
	fmt.Fprintln(env.Out, "remote_cq_data: success")
	fmt.Fprintln(env.Out, "fi_cq_data_entry verification: success")
	return nil
}
