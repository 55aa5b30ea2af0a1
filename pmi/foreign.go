package pmi

import (
	"context"
	"errors"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/pmi/internal/foreign"
)

// joinForeign joins by what package pmi/pmix has left.
func joinForeign(ctx context.Context) (*Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	m, err := foreign.Join()
	if err != nil {
		return nil, fail("join", errors.Join(fi.ErrConnRefused, err), "the launcher's PMIx does not work: try "+rendezvousKnob.Name()+"=HOST:PORT")
	}
	j := newJob(m.Rank(), m.Size(), &guest{m: m})
	j.id, j.appnum = tidy(m.ID()), m.AppNum()
	return j, nil
}

// guest is a link over calls that know no context: what a context leaves goes on in its goroutine.
type guest struct {
	m       foreign.Member
	entered chan error // of the fence that was entered; nil outside
}

func (g *guest) put(_ context.Context, kvs []pair) error {
	for _, kv := range kvs {
		if err := g.m.Put(kv.key, kv.value); err != nil {
			return fail("put", errors.Join(fi.ErrRemoteIO, err), "the launcher's PMIx did not take the value")
		}
	}
	return nil
}

func (g *guest) fence(ctx context.Context) error {
	if g.entered == nil {
		end := make(chan error, 1)
		g.entered = end
		go func() { end <- g.m.Fence() }()
	}
	select {
	case err := <-g.entered:
		g.entered = nil
		if err != nil {
			return lost("fence", err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *guest) get(ctx context.Context, keys []string) ([]string, error) {
	values := make([]string, len(keys))
	for i, key := range keys {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		v, err := g.m.Get(key)
		switch {
		case errors.Is(err, foreign.ErrNoKey):
			return nil, notThere(key)
		case err != nil:
			return nil, lost("get", err)
		}
		values[i] = v
	}
	return values, nil
}

func (g *guest) abort(code int, msg string) error {
	if err := g.m.Abort(code, msg); err != nil {
		return lost("abort", err)
	}
	return nil
}

func (g *guest) close() error {
	if err := g.m.Close(); err != nil {
		return lost("finalize", err)
	}
	return nil
}
