package rank

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/gofabric/gofabric/pmi"
)

// mesh has each rank listen at its address on an interface, publish it, and exchange a byte with every other rank.
func mesh(ctx context.Context, job *pmi.Job, iface string) error {
	own, err := address(iface)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(own, "0"))
	if err != nil {
		return err
	}
	defer ln.Close()
	key := func(r int) string { return "mesh-" + strconv.Itoa(r) }
	if err := job.Put(key(job.Rank()), []byte(ln.Addr().String())); err != nil {
		return err
	}
	if err := job.Fence(ctx); err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- answer(ln, job.Rank()) }()
	for r := job.Rank() + 1; r < job.Size(); r++ { // those below dial us
		peer, err := job.Get(ctx, key(r))
		if err != nil {
			return err
		}
		if err := ask(string(peer), byte(r)); err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
	}
	if err := <-served; err != nil {
		return err
	}
	return job.Fence(ctx)
}

// answer echoes a byte to each of n callers.
func answer(ln net.Listener, n int) error {
	for range n {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		_, err = io.CopyN(conn, conn, 1)
		conn.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func ask(addr string, b byte) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	got := []byte{b}
	if _, err := conn.Write(got); err != nil {
		return err
	}
	if _, err := io.ReadFull(conn, got); err != nil {
		return err
	}
	if got[0] != b {
		return errors.New("another byte came back")
	}
	return nil
}

func address(iface string) (string, error) {
	i, err := net.InterfaceByName(iface)
	if err != nil {
		return "", err
	}
	addrs, err := i.Addrs()
	if err != nil {
		return "", err
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			return n.IP.String(), nil
		}
	}
	return "", errors.New(iface + " has no address")
}
