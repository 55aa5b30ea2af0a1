package hostid

import "os"

// marks are the boot of the machine and the network namespace, in which names of sockets are found.
func marks() []string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") //nolint:errcheck // without it the name of the host has to do
	space, _ := os.Readlink("/proc/self/ns/net")              //nolint:errcheck // the same for all, then
	name, _ := os.Hostname()                                  //nolint:errcheck // the same for all, then
	return []string{string(boot), space, name}
}
