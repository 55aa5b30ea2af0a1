package tcp

import (
	"errors"
	"syscall"

	"github.com/gofabric/gofabric/fabric/driver"
)

// checkCongestion warns of a wish that connections will not get: each socket goes on without it.
func (c *config) checkCongestion(log driver.Logger) {
	name := c.congestion
	if name == "" || name == "system" || !log.On(driver.LevelWarn) {
		return
	}
	const msg = "connections keep the system's congestion control"
	knob := knobCongestion.Name()
	if c.kind != rawSockets {
		log.Warn(msg, "variable", knob, "value", name, "reason", "sockets of package net, as for TLS, do not take another one")
		return
	}
	there, err := rawCongestion(name)
	switch {
	case err == nil:
	case errors.Is(err, syscall.EPERM):
		log.Warn(msg, "variable", knob, "value", name, "reason", "this user may not choose it", "cure", "the sysctl net.ipv4.tcp_allowed_congestion_control")
	default:
		why := reason(err)
		if errors.Is(err, syscall.ENOENT) {
			why = "the system has no such one"
		}
		log.Warn(msg, "variable", knob, "value", name, "reason", why, "available", there)
	}
}
