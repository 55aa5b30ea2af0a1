package cfabtests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// Programs is a folder of them.
type Programs struct {
	Dir          string
	Major, Minor int // of libfabric
}

var versionLine = regexp.MustCompile(`libfabric: (\d+)\.(\d+)`)

// Find asks the fi_info of the folder for the version, or that of the system where there is none.
func Find(ctx context.Context, dir string) (*Programs, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if found, err := filepath.Glob(filepath.Join(dir, "fi_*")); err != nil || len(found) == 0 {
		return nil, fmt.Errorf("no programs fi_* in %s", dir)
	}
	info := filepath.Join(dir, "fi_info")
	if _, err := os.Stat(info); err != nil {
		info = "fi_info"
	}
	out, err := exec.CommandContext(ctx, info, "--version").CombinedOutput()
	m := versionLine.FindSubmatch(out)
	if m == nil {
		if err == nil {
			err = fmt.Errorf("it says %q", out)
		}
		return nil, fmt.Errorf("which libfabric do the programs in %s belong to? %s --version: %w", dir, info, err)
	}
	p := &Programs{Dir: dir}
	p.Major, _ = strconv.Atoi(string(m[1])) // digits, and few
	p.Minor, _ = strconv.Atoi(string(m[2]))
	return p, nil
}

// String is the version, "1.22".
func (p *Programs) String() string { return strconv.Itoa(p.Major) + "." + strconv.Itoa(p.Minor) }

// Since tells whether they are of that version or a later one.
func (p *Programs) Since(major, minor int) bool {
	return p.Major > major || p.Major == major && p.Minor >= minor
}

// RDM is the name of the provider with RDM endpoints over TCP sockets.
func (p *Programs) RDM() string {
	if p.Since(1, 18) {
		return "tcp"
	}
	return "net"
}

// Path is that of a program, by its name without fi_; false when there is none.
func (p *Programs) Path(name string) (string, bool) {
	path := filepath.Join(p.Dir, "fi_"+name)
	_, err := os.Stat(path)
	return path, err == nil
}

// fixedPort is where programs without an option for it wait for a connection besides.
const fixedPort = "3000"

// SidePort is the port at which a server of that name waits for a connection beside the fabric, whatever its options say:
// it listens for the fabric's only after that. It is empty for most programs.
func (p *Programs) SidePort(name string) string {
	switch name {
	case "av_xfer", "dgram_pingpong", "multi_ep", "multi_recv", "rdm_bw_mt", "rdm_rma_trigger", "unexpected_msg", "unmap_mem":
		return fixedPort
	case "rdm_tagged_peek":
		if p.Since(1, 19) {
			return fixedPort
		}
	}
	return ""
}
