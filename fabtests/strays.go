package main

import (
	"fmt"
	"os"

	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/zlog"
)

// warnStrays warns of variables of the environment that look misspelled, once for all processes of a run. Where
// FI_LOG_LEVEL is set the library does so in its log.
func (p *program) warnStrays() {
	if child, err := local.ChildOf(); child.On || err != nil || zlog.Env().Logger("core", zlog.Core).On(zlog.Warn) {
		return
	}
	for _, s := range envknob.Unknown(os.Environ()) {
		if s.Nearest != "" {
			fmt.Fprintln(p.err, "warning:", s)
		}
	}
}
