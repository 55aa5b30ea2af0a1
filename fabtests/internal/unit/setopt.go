package unit

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// runSetOpt checks the options of endpoints: that of libfabric's program, which is about device memory, and those that
// are not.
func runSetOpt(env *scenario.Env) error {
	return summary(env, runTests(env, []test{
		{"test_setopt_cuda_api_permmitted", "Test FI_OPT_CUDA_API_PERMITTED", func() error { return setCUDA(env) }},
		{"test_setopt_min_multi_recv", "Test FI_OPT_MIN_MULTI_RECV", func() error { return withEndpoint(env, fi.CapMsg|fi.CapMultiRecv, setMinMultiRecv) }},
		{"test_setopt_max_msg_size", "Test FI_OPT_MAX_MSG_SIZE and its kin", func() error {
			return withEndpoint(env, fi.CapMsg, func(ep *fabric.Endpoint) error { return setSizes(ep.MaxSizes, ep.SetMaxSizes) })
		}},
		{"test_setopt_inject_size", "Test FI_OPT_INJECT_MSG_SIZE and its kin", func() error {
			return withEndpoint(env, fi.CapMsg, func(ep *fabric.Endpoint) error { return setSizes(ep.InjectSizes, ep.SetInjectSizes) })
		}},
		{"test_getopt_cm_data_size", "Test FI_OPT_CM_DATA_SIZE", func() error { return withEndpoint(env, fi.CapMsg, getCMDataSize) }},
	}))
}

// withEndpoint opens an endpoint, which is not enabled, for a test.
func withEndpoint(env *scenario.Env, caps fi.Caps, run func(*fabric.Endpoint) error) error {
	h := hints(env.Opt)
	h.Caps = caps
	x, err := openDomain(env, h)
	if errors.Is(err, fi.ErrNoData) {
		return unsupported("no provider offers %v", caps)
	}
	if err != nil {
		return err
	}
	ep, err := x.domain.OpenEndpoint(x.info)
	if err == nil {
		err = run(ep)
		if closed := ep.Close(); err == nil {
			err = closed
		}
	}
	if closed := x.close(); err == nil {
		err = closed
	}
	return err
}

// setCUDA would set the option at an endpoint for device memory, which no provider here has.
func setCUDA(env *scenario.Env) error {
	err := withEndpoint(env, fi.CapMsg|fi.CapHMEM, func(*fabric.Endpoint) error { return errors.New("FI_OPT_CUDA_API_PERMITTED was not implemented") })
	if n, ok := errors.AsType[*notRun](err); ok && n.how == unsupportedFeature {
		return skip("no HMEM support")
	}
	return err
}

func setMinMultiRecv(ep *fabric.Endpoint) error {
	for _, n := range []int{1, 64, 4096, 0} {
		if err := ep.SetMinMultiRecv(n); err != nil {
			return fmt.Errorf("fi_setopt %d: %w", n, err)
		}
		got, err := ep.MinMultiRecv()
		if err != nil || got != n {
			return fmt.Errorf("fi_getopt: %d, %w, expected %d", got, err, n)
		}
	}
	if err := ep.SetMinMultiRecv(-1); !errors.Is(err, fi.ErrInvalid) {
		return fmt.Errorf("fi_setopt -1: %v, expected %w", err, fi.ErrInvalid)
	}
	return nil
}

// setSizes lowers each limit by one, and finds that no limit can be raised.
func setSizes(get func() fabric.Sizes, set func(fabric.Sizes) error) error {
	have := get()
	if have.Msg == 0 {
		return unsupported("the limit is 0")
	}
	lower := func(n uint64) uint64 { return max(n, 1) - 1 }
	want := fabric.Sizes{Msg: lower(have.Msg), Tagged: have.Tagged, RMA: have.RMA, Atomic: have.Atomic}
	if err := set(fabric.Sizes{Msg: want.Msg}); err != nil {
		return fmt.Errorf("fi_setopt %d: %w", want.Msg, err)
	}
	if got := get(); got != want {
		return fmt.Errorf("fi_getopt: %+v, expected %+v", got, want)
	}
	if err := set(fabric.Sizes{Msg: have.Msg + 1}); !errors.Is(err, fi.ErrInvalid) {
		return fmt.Errorf("fi_setopt %d: %v, expected %w", have.Msg+1, err, fi.ErrInvalid)
	}
	if got := get(); got != want {
		return fmt.Errorf("fi_getopt: %+v after a call that failed, expected %+v", got, want)
	}
	return nil
}

// getCMDataSize is for connected endpoints; others say that they have no such option.
func getCMDataSize(ep *fabric.Endpoint) error {
	n, err := ep.CMDataSize()
	switch connected := ep.Info().EP.Type == fi.EPMsg; {
	case connected && (err != nil || n <= 0):
		return fmt.Errorf("fi_getopt: %d, %v, expected the room for data of a connection", n, err)
	case !connected && !errors.Is(err, fi.ErrNoProtoOpt):
		return fmt.Errorf("fi_getopt: %v, expected %w", err, fi.ErrNoProtoOpt)
	}
	return nil
}
