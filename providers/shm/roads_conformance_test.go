package shm_test

import (
	"regexp"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/shm"
)

// roadCases are those in which long messages travel.
var roadCases = regexp.MustCompile(`^rdm/(msg/(sizes|truncation|order|both|unexpected)|tagged/(sizes|vectors|many)|multi-recv/|peek/(large|discard)|cancel/(send|race)|` +
	`rma/(sizes|parts|vectors|write-data)|concurrent/mixed|oracle/(messages|memory)|fault/killed-(sends|while))|` +
	`^msg/(msg/(sizes|both)|tagged/sizes|rma/(sizes|write-data)|shutdown/)`)

// TestRoads runs the suite with each road for long messages forced.
func TestRoads(t *testing.T) {
	t.Setenv("FI_SHM_CONNECT_TIMEOUT", "500") // some cases kill a peer and call it again
	for name, env := range map[string][2]string{
		"map": {"FI_SHM_ROAD", "map"}, "cma": {"FI_SHM_ROAD", "cma"}, "bulk": {"FI_SHM_ROAD", "bulk"}, "no-cma": {"FI_SHM_DISABLE_CMA", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(env[0], env[1])
			conformance.Run(t, conformance.Harness{Provider: shm.New(), Pair: conformance.TwoProcess, Only: roadCases.MatchString})
		})
	}
}
