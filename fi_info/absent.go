package main

import (
	"io/fs"
	"runtime"
	"strings"
)

// later are providers that are on their way. --explain shows them always.
var later = []string{"verbs"}

// absentText says of providers that libfabric has what we have in their place.
var absentText = map[string]string{
	"ofi_rxm":   "not needed: providers here have FI_EP_RDM by themselves",
	"ofi_rxd":   "not needed: providers here have FI_EP_RDM by themselves",
	"net":       "libfabric's former name of tcp: -p tcp",
	"xnet":      "libfabric's former name of tcp: -p tcp",
	"sockets":   "libfabric's old provider, given up there too: -p tcp",
	"sm2":       "libfabric's second provider for shared memory; here it is shm",
	"ofi_mrail": "not here: several rails in one endpoint",
	"rstream":   "not here: given up by libfabric too",
	"efa":       "not here: needs the device and the driver of Amazon EC2",
	"cxi":       "not here: needs the device and the driver of HPE Slingshot",
	"opx":       "not here: needs the device and the driver of Cornelis Omni-Path",
	"psm":       "not here: needs the library of Intel True Scale",
	"psm2":      "not here: needs the library of Omni-Path",
	"psm3":      "not here: needs the library of Intel Ethernet",
	"ucx":       "not here: needs the library UCX; verbs comes with a later version",
	"mlx":       "not here: needs the library UCX; verbs comes with a later version",
	"usnic":     "not here: needs the device and the driver of Cisco",
	"gni":       "not here: needs the device and the driver of Cray Aries",
	"lpp":       "not here: needs the device and the driver of Lightelligence",
}

// absent says why a provider that libfabric has is not linked in here; false for names that are none.
func (w *world) absent(prov string) (string, bool) {
	switch {
	case prov == "verbs":
		return w.verbs(runtime.GOOS), true
	case prov == "shm":
		return "not on " + runtime.GOOS + ": needs Linux", true
	}
	text, known := absentText[prov]
	return text, known
}

// verbs looks for devices.
func (w *world) verbs(system string) string {
	const later = "the provider comes with a later version"
	if system != "linux" {
		return "not on " + system + ": needs Linux; " + later
	}
	var devices []string
	if list, err := fs.ReadDir(w.root, "sys/class/infiniband"); err == nil {
		for _, d := range list {
			devices = append(devices, d.Name())
		}
	}
	if len(devices) == 0 {
		return "no device in /sys/class/infiniband; load rdma_rxe for a software device: " +
			"rdma link add rxe0 type rxe netdev eth0; " + later
	}
	return "the machine has " + strings.Join(devices, ", ") + "; " + later
}
