package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// mrModes are the rules of registration that the suite can follow.
const mrModes = fi.MRModeLocal | fi.MRModeVirtAddr | fi.MRModeAllocated | fi.MRModeProvKey | fi.MRModeRMAEvent | fi.MRModeEndpoint

// cell is one way to open endpoints.
type cell struct {
	name     string
	standard bool    // the one in which everything runs
	listed   bool    // of the quick matrix; with -conformance.long everything runs in it
	mapping  bool    // peers map memory
	offered  fi.Caps // everything that the provider has in this cell
	longest  int     // message that is certain to be taken, in bytes
	set      settings
}

// settings are what a cell chooses; they go to the second process.
type settings struct {
	EP        fi.EPType
	Domain    string
	Threading fi.Threading
	Progress  fi.Progress
	AV        fi.AVType
	Wait      fi.WaitObj
	MRMode    fi.MRMode // beyond what the provider asks for
	Alloc     bool      // buffers and regions are memory of mr.Alloc, which peers may map
}

func (c *cell) threadSafe() bool { return c.set.Threading == fi.ThreadSafe }
func (c *cell) automatic() bool  { return c.set.Progress == fi.ProgressAuto }

// dims are the dimensions of the matrix; the first value of each is the standard.
var (
	threadings = []fi.Threading{fi.ThreadSafe, fi.ThreadCompletion, fi.ThreadDomain}
	progresses = []fi.Progress{fi.ProgressAuto, fi.ProgressManual}
	avTypes    = []fi.AVType{fi.AVUnspec, fi.AVTable, fi.AVMap}
	waits      = []fi.WaitObj{fi.WaitUnspec, fi.WaitNone, fi.WaitFD, fi.WaitYield}
	virtual    = []fi.MRMode{0, fi.MRModeVirtAddr | fi.MRModeProvKey | fi.MRModeAllocated}
	allocs     = []bool{false, true}
)

// matrix lists the cells of a provider, from its Infos.
func matrix(p driver.Provider) ([]*cell, error) {
	reg := fabric.NewRegistry(p)
	noEnv := fabric.WithEnv(func(string) (string, bool) { return "", false })
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Domain: &fi.DomainAttr{MRMode: mrModes}},
		fabric.WithRegistry(reg), noEnv)
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	offers, _ := p.Offers(context.Background(), &driver.Query{Hints: &fi.Hints{}})
	var cells []*cell
	seen := map[string]bool{}
	for _, info := range infos {
		if !slices.Contains([]fi.EPType{fi.EPRDM, fi.EPMsg, fi.EPDgram}, info.EP.Type) {
			continue
		}
		base := settings{EP: info.EP.Type, Domain: info.Domain.Name}
		prefix := epName(info.EP.Type)
		if seen[prefix] {
			prefix += ",domain=" + info.Domain.Name
		}
		if seen[prefix] {
			continue
		}
		seen[prefix] = true
		offered := info.Caps
		for _, o := range offers {
			if o.Domain.Name == info.Domain.Name && o.EP.Type == info.EP.Type {
				offered |= o.Caps
			}
		}
		for _, s := range variants(base) {
			if s.connected() && s.AV != base.standard().AV { // there is no vector
				continue
			}
			c := &cell{set: s, offered: offered, longest: int(min(info.EP.MaxMsgSize, 1<<30))}
			c.name = prefix + s.name()
			c.standard = s == base.standard()
			c.listed = slices.Contains(few(base), s)
			if c.possible(reg) {
				cells = append(cells, c)
			}
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("conformance: %s offers no endpoint that the suite can open", p.Name())
	}
	return cells, nil
}

func epName(t fi.EPType) string {
	return strings.ToLower(strings.TrimPrefix(t.String(), "FI_EP_"))
}

func (s settings) standard() settings {
	s.Threading, s.Progress, s.AV, s.Wait, s.MRMode, s.Alloc = threadings[0], progresses[0], avTypes[0], waits[0], virtual[0], allocs[0]
	return s
}

// variants are the cells of an endpoint type: a few, or with -conformance.long all.
func variants(base settings) []settings {
	if *long {
		std := base.standard()
		var out []settings
		for _, th := range threadings {
			for _, pr := range progresses {
				for _, av := range avTypes {
					for _, w := range waits {
						for _, m := range virtual {
							for _, a := range allocs {
								s := std
								s.Threading, s.Progress, s.AV, s.Wait, s.MRMode, s.Alloc = th, pr, av, w, m, a
								out = append(out, s)
							}
						}
					}
				}
			}
		}
		return out
	}
	return few(base)
}

// few are each dimension alone, and some pairs.
func few(base settings) []settings {
	std := base.standard()
	out := []settings{std}
	change := func(f func(*settings)) {
		s := std
		f(&s)
		out = append(out, s)
	}
	change(func(s *settings) { s.Alloc = true })
	change(func(s *settings) { s.Progress = fi.ProgressManual })
	change(func(s *settings) { s.Threading, s.Wait = fi.ThreadDomain, fi.WaitNone })
	change(func(s *settings) { s.Threading, s.Progress = fi.ThreadDomain, fi.ProgressManual })
	change(func(s *settings) { s.Threading, s.Wait = fi.ThreadCompletion, fi.WaitYield })
	change(func(s *settings) { s.Progress, s.AV, s.Wait = fi.ProgressManual, fi.AVTable, fi.WaitFD })
	change(func(s *settings) { s.AV, s.Wait = fi.AVTable, fi.WaitFD })
	change(func(s *settings) { s.MRMode = virtual[1] })
	change(func(s *settings) {
		s.Threading, s.Progress, s.MRMode, s.Alloc = fi.ThreadDomain, fi.ProgressManual, virtual[1], true
	})
	return out
}

// name tells what differs from the standard: ",threading=domain,progress=manual".
func (s settings) name() string {
	std := s.standard()
	var out string
	add := func(differs bool, what string, v fmt.Stringer, prefix string) {
		if differs {
			out += "," + what + "=" + strings.ToLower(strings.TrimPrefix(v.String(), prefix))
		}
	}
	add(s.Threading != std.Threading, "threading", s.Threading, "FI_THREAD_")
	add(s.Progress != std.Progress, "progress", s.Progress, "FI_PROGRESS_")
	add(s.AV != std.AV, "av", s.AV, "FI_AV_")
	add(s.Wait != std.Wait, "wait", s.Wait, "FI_WAIT_")
	if s.MRMode != std.MRMode {
		out += ",mr=virtual"
	}
	if s.Alloc {
		out += ",memory=alloc"
	}
	return out
}

// hints ask for the cell with some capabilities.
func (s settings) hints(caps fi.Caps) *fi.Hints {
	return &fi.Hints{
		Caps: caps,
		EP:   &fi.EPAttr{Type: s.EP},
		Domain: &fi.DomainAttr{Name: s.Domain, Threading: s.Threading, Progress: s.Progress, AVType: s.AV,
			MRMode: mrModes | s.MRMode},
		Tx: &fi.TxAttr{}, Rx: &fi.RxAttr{},
	}
}

// possible tells whether the cell can be opened at all: what GetInfo and the opening calls refuse in words is no cell.
func (c *cell) possible(reg *fabric.Registry) bool {
	n := &node{}
	o := openOpts{Set: c.set, Caps: c.offered & (msg | tagged | rma | atom), Bare: true}
	err := n.open(reg, &o)
	c.mapping = err == nil && c.set.Alloc && n.maps()
	for range 2 {
		n.close()
	}
	if c.set.MRMode != 0 && err == nil {
		return n.info.Domain.MRMode&c.set.MRMode == c.set.MRMode
	}
	return err == nil
}

// maps tells whether the provider gives load and store access to memory of peers.
func (n *node) maps() bool {
	ep, err := n.dom.OpenEndpoint(n.info)
	if err != nil {
		return false
	}
	_, _, err = ep.Map(context.Background(), 0, mr.Remote{}, 1)
	return ep.Close() == nil && !errors.Is(err, fi.ErrOpNotSupp) && !errors.Is(err, fi.ErrNoSys)
}
