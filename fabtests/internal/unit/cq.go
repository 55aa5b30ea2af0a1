package unit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

func runCQ(env *scenario.Env) error {
	return program(env, "CQs", func(x *objects) []test {
		return []test{
			{"cq_open_close_sizes", "Test open and close of CQ for various sizes", func() error { return cqSizes(x.domain) }},
			{"cq_open_close_simultaneous", "Test opening several CQs at a time", func() error {
				return cqMany(x.domain, min(x.info.Domain.CQCount, env.Opt.Window))
			}},
			{"cq_signal", "Test fi_cq_signal", func() error { return cqSignal(env.Ctx, x.domain) }},
		}
	})
}

// openCQ opens a queue with a wait object, or without one where there is none.
func openCQ(d *fabric.Domain, size int) (*fabric.CQ, error) {
	q, err := d.OpenCQ(&fi.CQAttr{Size: size, WaitObj: fi.WaitUnspec})
	if err != nil {
		q, err = d.OpenCQ(&fi.CQAttr{Size: size, WaitObj: fi.WaitNone})
	}
	return q, err
}

func cqSizes(d *fabric.Domain) error {
	for i := -1; i < 17; i++ {
		size := 0
		if i >= 0 {
			size = 1 << i
		}
		q, err := openCQ(d, size)
		if errors.Is(err, fi.ErrInvalid) && i > 0 {
			return nil // larger ones are not served
		}
		if err != nil {
			return fmt.Errorf("fi_cq_open with size %d: %w", size, err)
		}
		if err := q.Close(); err != nil {
			return fmt.Errorf("close(cq): %w", err)
		}
	}
	return nil
}

func cqMany(d *fabric.Domain, n int) error {
	var open []*fabric.CQ
	defer func() {
		for _, q := range open {
			q.Close() //nolint:errcheck // closed below when all went well
		}
	}()
	for range n {
		q, err := openCQ(d, 1)
		if err != nil {
			return fmt.Errorf("fi_cq_open failed after %d (cq_cnt: %d): %w", len(open), n, err)
		}
		open = append(open, q)
	}
	for _, q := range open {
		if err := q.Close(); err != nil {
			return fmt.Errorf("close(cq): %w", err)
		}
	}
	return nil
}

// cqSignal signals a queue on which a reader is blocked; one that nobody waits on takes no notice.
func cqSignal(ctx context.Context, d *fabric.Domain) error {
	q, err := d.OpenCQ(&fi.CQAttr{Size: 1, WaitObj: fi.WaitUnspec})
	if err != nil {
		return fmt.Errorf("fi_cq_open(1, FI_WAIT_UNSPEC): %w", err)
	}
	defer q.Close() //nolint:errcheck // closed below when all went well
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	read := make(chan error, 1)
	go func() {
		_, err := q.SRead(ctx, make([]cq.Entry, 1))
		read <- err
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for waiting := true; waiting; {
		if err := q.Signal(); err != nil {
			return fmt.Errorf("fi_cq_signal: %w", err)
		}
		select {
		case err = <-read:
			waiting = false
		case <-tick.C: // it was not blocked yet
		}
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("fi_cq_sread - signal ignored")
	case !errors.Is(err, fi.ErrAgain) && !errors.Is(err, fi.ErrCanceled):
		return fmt.Errorf("fi_cq_sread: %w", err)
	}
	return q.Close()
}
