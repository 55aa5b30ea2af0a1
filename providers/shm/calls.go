package shm

import "sync"

// calls are the peers that an endpoint is calling, and those that are calling it, as both its callers and its sockets'
// side need to know: two endpoints that call each other at the same moment shall end with one connection, not two.
type calls struct {
	mu   sync.Mutex
	to   map[string]int // by pair.id: the process that listens there; 0 while it was not reached, or dialing
	from map[string]int // by pair.id: hellos that were heard and are not pairs yet
}

// dialing stands for a process that is just being reached.
const dialing = -1

// start says that we are about to call; false when the peer has just called us: its connection comes in a moment.
func (c *calls) start(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.to == nil {
		c.to, c.from = make(map[string]int), make(map[string]int)
	}
	c.to[id] = 0
	if c.from[id] > 0 {
		return false
	}
	c.to[id] = dialing
	return true
}

// reached says which process listens there; 0 for nobody.
func (c *calls) reached(id string, pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.to[id] = pid
}

// end says that the call has led to a connection, or to nothing.
func (c *calls) end(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.to, id)
}

// hear says that a peer calls us. False when it has to wait for our call, which is on its way to the same process: of two
// calls that cross, the one of the greater incarnation counts. When true, heard must follow.
func (c *calls) hear(id string, mine, its uint64, pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.to[id]; at != 0 && (at == pid || at == dialing) && mine > its {
		return false
	}
	if c.from == nil {
		c.to, c.from = make(map[string]int), make(map[string]int)
	}
	c.from[id]++
	return true
}

// heard says that what hear announced has become a pair, or nothing.
func (c *calls) heard(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.from[id]--; c.from[id] <= 0 {
		delete(c.from, id)
	}
}
