package report

import (
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// MachineFacts are the lines about a machine and the settings of the processes on it.
func MachineFacts(f perf.MachineFacts) []Fact {
	facts := []Fact{{Name: "System", Value: f.OS + "/" + f.Arch + " " + f.Kernel}, {Name: "Processor", Value: fmt.Sprintf("%s, %d CPUs", f.CPU, f.CPUs)},
		{Name: "Go", Value: fmt.Sprintf("%s, GOMAXPROCS=%d", f.Go, f.GOMAXPROCS)}}
	if f.Virtual {
		facts = append(facts, Fact{Name: "Virtual", Value: "yes: figures of a virtual machine move"})
	}
	for _, more := range []Fact{{"GODEBUG", f.GODEBUG}, {"Pinned to", f.Pinned}, {"Settings", f.Settings}} {
		if more.Value != "" {
			facts = append(facts, more)
		}
	}
	return facts
}
