package hook

import (
	"fmt"
	"os"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/providers/hook/check"
	"github.com/gofabric/gofabric/providers/hook/monitor"
	"github.com/gofabric/gofabric/providers/hook/profile"
	"github.com/gofabric/gofabric/providers/hook/trace"
)

func init() {
	fabric.RegisterHook(trace.Name, func(p driver.Provider) driver.Provider { return trace.New(p, nil) })
	fabric.RegisterHook(profile.Name, func(p driver.Provider) driver.Provider { return profile.New(p, os.Stderr) })
	fabric.RegisterHook(monitor.Name, func(p driver.Provider) driver.Provider { return monitor.New(p, os.LookupEnv) })
	fabric.RegisterHook(check.Name, func(p driver.Provider) driver.Provider {
		return check.New(p, func(r check.Report) { fmt.Fprintln(os.Stderr, "check:", r) }) //nolint:errcheck // nobody to tell
	})
}
