package shm

import "sync"

// calls are the peers that an endpoint is calling, as its sockets' side needs to know: two endpoints that call each
// other at the same moment shall end with one connection, not two.
type calls struct {
	mu sync.Mutex
	to map[string]int // by name: the process that listens there; 0 while it was not reached
}

func (c *calls) set(name string, pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.to == nil {
		c.to = make(map[string]int)
	}
	c.to[name] = pid
}

func (c *calls) end(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.to, name)
}

// wins tells whether a peer that calls us has to wait for our call, which is on its way to the same process: of two
// calls that cross, the one of the greater incarnation counts.
func (c *calls) wins(mine uint64, h *hello, pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.to[h.name]
	return at != 0 && at == pid && mine > h.incarnation
}
