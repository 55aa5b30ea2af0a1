package ubertest

import (
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// managementPort is where libfabric's program waits.
const managementPort = "2710"

// choices are what the options say.
type choices struct {
	file        string
	port        string
	once        bool
	first, last int
}

// Scenarios lists the program.
func Scenarios() []scenario.Scenario {
	return []scenario.Scenario{{Name: "ubertest", Kind: scenario.Functional, Sides: scenario.Pair, OOB: true,
		Summary: "all tests that a configuration file makes of its values: calls, endpoints, completions, wait objects",
		Options: ownOptions, Settle: settle,
		Run: run}}
}

// ownOptions have fi_ubertest's letters.
func ownOptions(o *options.Options) []cli.Option {
	own := &choices{port: managementPort}
	o.Own, o.EPType = own, fi.EPUnspec // that of each test
	return []cli.Option{
		{Short: 'u', Long: "config", Arg: "FILE", Help: "client: the configuration file, or one of ours: quick, all, verify",
			Text: "Ours are those of the provider of `-p`, or of the one before a slash: `tcp/quick`. What `-p` says goes before prov_name in a file; a line says so.", Values: configNames, Set: options.Text(&own.file)},
		{Short: 'q', Long: "management-port", Arg: "PORT", Help: "port of the connection beside the fabric (2710)", Set: options.Text(&own.port)},
		{Short: 'x', Long: "exit", Help: "server: end after one client", Set: options.On(&own.once)},
		o.TimeoutOption(options.PatientServer + ", unless -x is given"),
		{Short: 'y', Long: "first", Arg: "N", Help: "client: the number of the first test", Set: options.Number(&own.first, 0, mostTests)},
		{Short: 'z', Long: "last", Arg: "N", Help: "client: the number of the last test", Set: options.Number(&own.last, 0, mostTests)},
		{Short: 'f', Long: "fork", Help: "accepted: every test opens everything anew, in the same process", Set: func(string) error { return nil }},
	}
}

// settle reads the file of a client, so that a bad one is known before anything starts, and takes the provider from it.
func settle(o *options.Options) error {
	own := o.Own.(*choices)
	if o.Server == "" && !o.Local {
		return nil
	}
	sets, err := own.load(o.Provider)
	if err != nil {
		return err
	}
	if o.Provider != "" {
		return nil
	}
	for _, s := range sets {
		name := s.texts["prov_name"]
		if o.Provider == "" {
			o.Provider = name
		}
		if o.Local && name != o.Provider {
			return &fail.Usage{Text: "ubertest: " + own.file + " has sets of several providers, or of none: --local runs those of one",
				Next: "fabtests ubertest --local -u " + own.file + " -p PROVIDER"}
		}
	}
	if !o.Local { // its sets say it themselves
		o.Provider = ""
	}
	return nil
}

// controlAt is where the connection beside the fabric is.
func controlAt(o *options.Options) (host, port string) {
	host, port = o.OOBHost, o.Own.(*choices).port
	if o.OOBSync && !o.Given("management-port") { // who starts both sides has chosen one
		port = o.OOBPort
	}
	switch {
	case host != "":
	case o.Server != "":
		host = o.Server
	default:
		host = o.SrcAddr
	}
	return host, port
}

func run(env *scenario.Env) error {
	if env.Client {
		return runClient(env)
	}
	return runServer(env)
}

// patient is how long a message of the other side is waited for: longer than the other side may take for a phase, so that
// it can say that it has given up.
func patient(o *options.Options) time.Duration { return 2 * o.Timeout }
