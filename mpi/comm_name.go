package mpi

// SetName gives the communicator a name, for people (MPI_Comm_set_name; MPI 4.1, 7.8). Local: members may give different ones.
func (c *Comm) SetName(name string) { c.name.Store(&name) }

// Name is the name that SetName gave (MPI_Comm_get_name): "world" and "self" for these two, else empty.
func (c *Comm) Name() string {
	if p := c.name.Load(); p != nil {
		return *p
	}
	switch c {
	case c.job.world:
		return "world"
	case c.job.self:
		return "self"
	}
	return ""
}
