package main

import (
	"fmt"
	"net"
	"strings"

	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/topo"
)

// doctor prints the checklist of the machine. It ends with status 0 whatever it finds: it gave its answer.
func (w *world) doctor(c *config) int {
	found := w.findings()
	if c.json {
		d := document{Findings: []findingJSON{}}
		for _, f := range found {
			d.Findings = append(d.Findings, findingJSON(f))
		}
		return w.writeJSON(d)
	}
	width, bad := 0, 0
	for _, f := range found {
		width = max(width, len(f.Name))
	}
	for _, f := range found {
		mark := w.mark(f)
		fmt.Fprintf(w.stdout, "%s %-*s  %s\n", mark, width, f.Name, f.Value)
		if f.OK {
			continue
		}
		bad++
		pad := strings.Repeat(" ", width+len("[ok] ")+2)
		if w.style.Unicode {
			pad = strings.Repeat(" ", width+len("x ")+2)
		}
		fmt.Fprintf(w.stdout, "%sneeds: %s\n%scure:  %s\n", pad, f.Need, pad, f.Cure)
	}
	switch bad {
	case 0:
		fmt.Fprintln(w.stdout, "all is well")
	case 1:
		fmt.Fprintln(w.stdout, "1 thing to mend")
	default:
		fmt.Fprintf(w.stdout, "%d things to mend\n", bad)
	}
	return exitOK
}

// mark starts the line of a finding.
func (w *world) mark(f topo.Finding) string {
	good, bad := "[ok]", "[no]"
	if w.style.Unicode {
		good, bad = "✓", "✗"
	}
	if f.OK {
		return w.style.Paint(cli.Green, good)
	}
	return w.style.Paint(cli.Red, bad)
}

// findings collects what the machine, its interfaces and the environment tell.
func (w *world) findings() []topo.Finding {
	machine := topo.New(w.root)
	found := machine.Check()
	if list, err := net.Interfaces(); err == nil {
		found = append(found, w.checkInterfaces(list))
	}
	rdma := topo.Finding{Name: "rdma", OK: true, Value: "no device"}
	if devices := machine.RDMADevices(); len(devices) > 0 {
		rdma.Value = strings.Join(devices, ", ")
	}
	found = append(found, rdma)
	found = append(found, w.checkValues()...)
	return append(found, checkVariables(envknob.Unknown(w.environ)))
}

// checkVariables looks for variables that nothing reads.
func checkVariables(strays []envknob.Stray) topo.Finding {
	f := topo.Finding{Name: "variables", OK: len(strays) == 0, Value: "every FI_ variable that is set is known",
		Need: "names that this library reads; fi_info -e lists them"}
	if f.OK {
		return f
	}
	var texts, cures []string
	for _, s := range strays {
		texts = append(texts, s.Name)
		if s.Nearest != "" {
			cures = append(cures, "export "+s.Nearest+" in place of "+s.Name)
		} else {
			cures = append(cures, "unset "+s.Name)
		}
	}
	f.Value, f.Cure = "not known: "+strings.Join(texts, ", "), strings.Join(cures, "; ")
	return f
}
