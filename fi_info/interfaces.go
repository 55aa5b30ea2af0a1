package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/internal/topo"
)

// link is a network interface with the rank that it has as a way to other hosts: 0 is best.
type link struct {
	name string
	rank int
	why  string
}

// Ranks of links.
const (
	rankDevice  = iota // of a real or virtual machine
	rankWifi           // slower, and it comes and goes
	rankVirtual        // a tunnel, a bridge, an end of a pair: who is behind it is not sure
	rankLocal          // loopback: this host only
	rankDown
)

// checkInterfaces ranks the interfaces and says why.
func (w *world) checkInterfaces(list []net.Interface) topo.Finding {
	var links []link
	for _, i := range list {
		links = append(links, w.link(&i))
	}
	slices.SortStableFunc(links, func(a, b link) int { return cmp.Compare(a.rank, b.rank) })
	var texts []string
	usable := false
	for _, l := range links {
		usable = usable || l.rank < rankLocal
		texts = append(texts, l.name+" ("+l.why+")")
	}
	f := topo.Finding{Name: "interfaces", OK: usable, Value: strings.Join(texts, ", "),
		Need: "one that is up, to reach other hosts; shm needs none", Cure: "ip link set NAME up, and give it an address"}
	if f.Value == "" {
		f.Value = "none"
	}
	if usable {
		f.Cure = ""
	}
	return f
}

// link finds out what kind of interface it is.
func (w *world) link(i *net.Interface) link {
	has := func(file string) bool {
		_, err := fs.Stat(w.root, "sys/class/net/"+i.Name+"/"+file)
		return err == nil
	}
	l := link{name: i.Name}
	switch {
	case i.Flags&net.FlagUp == 0:
		l.rank, l.why = rankDown, "down"
	case i.Flags&net.FlagLoopback != 0:
		l.rank, l.why = rankLocal, "loopback: this host only"
	case has("bridge"):
		l.rank, l.why = rankVirtual, "bridge: containers or virtual machines of this host"
	case has("tun_flags"), i.Flags&net.FlagPointToPoint != 0:
		l.rank, l.why = rankVirtual, "tunnel"
	case has("wireless"):
		l.rank, l.why = rankWifi, "wireless"
	case has("device"):
		l.rank, l.why = rankDevice, "device"
	case strings.HasPrefix(i.Name, "veth"):
		l.rank, l.why = rankVirtual, "end of a pair: one container of this host"
	default: // in a container the end of a pair is all there is
		l.rank, l.why = rankDevice, "virtual"
	}
	if l.rank < rankLocal {
		l.why += w.speed(i.Name) + fmt.Sprintf(", mtu %d", i.MTU)
	}
	return l
}

// speed is what the kernel knows of the interface's speed, in Mb/s there.
func (w *world) speed(name string) string {
	data, err := fs.ReadFile(w.root, "sys/class/net/"+name+"/speed")
	n, err2 := strconv.Atoi(strings.TrimSpace(string(data)))
	switch {
	case err != nil || err2 != nil || n <= 0:
		return ""
	case n%1000 == 0:
		return fmt.Sprintf(", %d Gb/s", n/1000)
	}
	return fmt.Sprintf(", %d Mb/s", n)
}
