package faults

import (
	"flag"
	"os"
	"testing"
)

// agentVariable makes the test binary an agent.
const agentVariable = "GOFABRIC_TCP_AGENT"

func TestMain(m *testing.M) {
	switch os.Getenv(agentVariable) {
	case "peer":
		serveAgent()
	case "namespace": // one that keeps a namespace, until the test lets go of it or has ended
		os.Stdout.Write([]byte{'\n'})  //nolint:errcheck // the test hears it or is gone
		os.Stdin.Read(make([]byte, 1)) //nolint:errcheck // it ends, however
	default:
		os.Exit(m.Run())
	}
}

var faults = flag.Bool("faults", false, "run the tests of networks and peers that fail, which wait a lot")

// wanted skips a test that was not asked for.
func wanted(t *testing.T) {
	t.Helper()
	if !*faults {
		t.Skip("known: it waits for limits to pass: go test ./providers/tcp/faults -faults")
	}
}
