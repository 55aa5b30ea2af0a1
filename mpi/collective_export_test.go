package mpi

// SetNeighbors stands for a topology.
func (c *Comm) SetNeighbors(sources, dests []int) {
	c.around = &neighborhood{sources: sources, dests: dests}
}
