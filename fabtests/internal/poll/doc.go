// Package poll waits in the operating system for descriptors of queues, as programs do that wait for other things, too.
package poll
