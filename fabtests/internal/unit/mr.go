package unit

import (
	"bytes"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

func runMR(env *scenario.Env) error {
	h := hints(env.Opt)
	h.Caps = fi.CapMsg | fi.CapRMA
	x, err := openDomain(env, h)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "Testing MR on fabric %s\n", x.info.Fabric.Name)
	err = summary(env, runTests(env, []test{
		{"mr_reg", "Test fi_mr_reg across different access combinations", func() error { return mrAccess(x.domain) }},
		{"mr_regv", "Test fi_mr_regv across various buffer sizes", func() error { return mrVector(x, registerV) }},
		{"mr_regattr", "Test fi_mr_regattr across various buffer sizes", func() error { return mrVector(x, registerAttr) }},
		{"mr_reg_free_then_alloc", "Test fi_mr_reg on buff that was freed and allocated", func() error { return mrAgain(x.domain) }},
	}))
	if closed := x.close(); err == nil {
		err = closed
	}
	return err
}

var rights = []fi.Access{fi.AccessSend, fi.AccessRecv, fi.AccessRead, fi.AccessWrite, fi.AccessRemoteRead, fi.AccessRemoteWrite}

// mrAccess registers a buffer of each size with every combination of rights.
func mrAccess(d *fabric.Domain) error {
	buf := make([]byte, 1<<20)
	for set := range 1 << len(rights) {
		access := fi.Access(0)
		for i, r := range rights {
			if set>>i&1 != 0 {
				access |= r
			}
		}
		for _, n := range []int{1, 64, 4096, len(buf)} {
			m, err := d.RegisterMR(buf[:n], access, &fi.MRAttr{Key: session.RegionKey})
			if err != nil {
				return fmt.Errorf("fi_mr_reg %d bytes with %v: %w", n, access, err)
			}
			if err := m.Close(); err != nil {
				return fmt.Errorf("fi_close(mr): %w", err)
			}
		}
	}
	return nil
}

func registerV(d *fabric.Domain, iov [][]byte) (*fabric.MR, error) {
	return d.RegisterMRV(iov, fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: session.RegionKey})
}

func registerAttr(d *fabric.Domain, iov [][]byte) (*fabric.MR, error) {
	return d.RegisterMRAttr(&fi.MRAttr{Iov: iov, Access: fi.AccessRemoteRead | fi.AccessRemoteWrite, Key: session.RegionKey})
}

// mrVector registers a buffer of each size cut into 1 to mr_iov_limit parts.
func mrVector(x *objects, register func(*fabric.Domain, [][]byte) (*fabric.MR, error)) error {
	limit := x.info.Domain.MRIovLimit
	if limit == 0 {
		return unsupported("mr_iov_limit is 0")
	}
	for _, size := range options.AllSizes() {
		if size > 1<<20 {
			break
		}
		buf := make([]byte, size)
		for parts := 1; parts <= min(limit, size); parts++ {
			var iov [][]byte
			for i := range parts {
				iov = append(iov, buf[size*i/parts:size*(i+1)/parts])
			}
			m, err := register(x.domain, iov)
			if err != nil {
				return fmt.Errorf("%d bytes in %d parts: %w", size, parts, err)
			}
			if m.Len() != uint64(size) {
				return fmt.Errorf("region of %d bytes, expected %d", m.Len(), size)
			}
			if err := m.Close(); err != nil {
				return fmt.Errorf("fi_close(mr): %w", err)
			}
		}
	}
	return nil
}

// mrAgain registers memory of the same size again and again; each registration sees its own memory.
func mrAgain(d *fabric.Domain) error {
	for i := range 64 {
		buf := bytes.Repeat([]byte{byte(i)}, 64<<10)
		m, err := d.RegisterMR(buf, fi.AccessRemoteRead, &fi.MRAttr{Key: session.RegionKey})
		if err != nil {
			return fmt.Errorf("fi_mr_reg: %w", err)
		}
		if got := m.Bytes(); len(got) != len(buf) || got[0] != byte(i) {
			return fmt.Errorf("the region holds other memory than buffer %d", i)
		}
		if err := m.Close(); err != nil {
			return fmt.Errorf("fi_close(mr): %w", err)
		}
	}
	return nil
}
