package perf

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/gofabric/gofabric/internal/topo"
)

// MachineFacts are what a reader of a figure wants to know of the machine and of the settings of the processes.
type MachineFacts struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Kernel     string `json:"kernel,omitempty"`
	CPU        string `json:"cpu,omitempty"`
	CPUs       int    `json:"cpus"`
	Virtual    bool   `json:"virtual,omitempty"`
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	GODEBUG    string `json:"godebug,omitempty"`
	Pinned     string `json:"pinned,omitempty"` // "0 1": the processors of server and client; empty: not pinned
	Settings   string `json:"settings,omitempty"`
}

// Facts reads those of this machine and process.
func Facts() MachineFacts {
	m := topo.New(os.DirFS("/")).Facts()
	return MachineFacts{OS: m.OS, Arch: m.Arch, Kernel: m.Kernel, CPU: m.Model, CPUs: m.CPUs, Virtual: m.Virtual,
		Go: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0), GODEBUG: os.Getenv("GODEBUG")}
}

// String is one line.
func (f MachineFacts) String() string {
	parts := []string{strings.TrimSpace(f.OS + "/" + f.Arch + " " + f.Kernel)}
	cpu := fmt.Sprintf("%d CPUs", f.CPUs)
	if f.CPU != "" {
		cpu += " " + f.CPU
	}
	if f.Virtual {
		cpu += " (virtual)"
	}
	parts = append(parts, cpu, f.Go, fmt.Sprintf("GOMAXPROCS=%d", f.GOMAXPROCS))
	if f.GODEBUG != "" {
		parts = append(parts, "GODEBUG="+f.GODEBUG)
	}
	pinned := "not pinned"
	if f.Pinned != "" {
		pinned = "pinned to " + f.Pinned
	}
	parts = append(parts, pinned)
	if f.Settings != "" {
		parts = append(parts, f.Settings)
	}
	return strings.Join(parts, ", ")
}
