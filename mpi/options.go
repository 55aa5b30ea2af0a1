package mpi

import (
	"os"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/pmi"
	_ "github.com/gofabric/gofabric/providers/all" // what a job may run over
)

type options struct {
	member   *pmi.Job
	provider string
	host     string // stands for the name of this host, if not empty
	check    bool
	fabric   []fabric.Option
	watchdog time.Duration
	report   func(string)
}

// Option changes what Init does.
type Option func(*options)

// WithProvider chooses the provider, instead of FI_PROVIDER and of lnx, which reaches all ranks.
func WithProvider(name string) Option { return func(o *options) { o.provider = name } }

// WithJob joins a job by other means than the environment. The job belongs to the communicator from then on.
func WithJob(member *pmi.Job) Option { return func(o *options) { o.member = member } }

// WithTypeCheck makes receives fail with ErrType when the elements of a message are not of the type that is received into.
func WithTypeCheck() Option { return func(o *options) { o.check = true } }

// WithFabric hands options to package fabric, for logging say.
func WithFabric(opts ...fabric.Option) Option {
	return func(o *options) { o.fabric = append(o.fabric, opts...) }
}

// provider says which one to use: what was asked for, else lnx, which takes shared memory to ranks of the same host and tcp
// to others.
func provider(o *options) string {
	switch {
	case o.provider != "":
		return o.provider
	case os.Getenv("FI_PROVIDER") != "":
		return "" // package fabric reads it
	}
	return "lnx"
}
