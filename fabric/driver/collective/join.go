package collective

// earlyMost is how many joins of others wait for ours.
const earlyMost = 1 << 16

// ask tells every other member our number for the group, and looks who has told us theirs.
func (g *group) ask() {
	e := g.e
	g.heard[g.self], g.ids[g.self] = true, g.id
	g.absent = len(g.members) - 1
	if g.absent == 0 {
		g.joined(0, "")
		return
	}
	e.joining++
	for i := 1; i < len(g.members); i++ { // not all to the same one first
		g.tell((g.self+i)%len(g.members), kindJoin, 0)
	}
	for i := 0; i < len(e.early) && g.state != groupFailed; {
		if m := e.early[i]; g.hears(&m) {
			e.early = append(e.early[:i], e.early[i+1:]...)
		} else {
			i++
		}
	}
	if g.state == groupJoining {
		e.watch.begin()
	}
}

// welcome gives a join, or what takes one back, to the oldest group that waits for it.
func (e *Endpoint) welcome(m *message) bool {
	var oldest *group
	for _, g := range e.groups {
		if g.awaits(m) && (oldest == nil || g.age() > oldest.age()) {
			oldest = g
		}
	}
	return oldest != nil && oldest.hears(m)
}

// age is how many numbers were given since the group got its own.
func (g *group) age() uint32 { return (g.e.last - g.id) % keyed }

func (g *group) awaits(m *message) bool {
	return g.state != groupFailed && g.id&keyed == 0 && g.hash == m.hash && len(g.members) == m.members && m.to == g.self &&
		g.heard[m.from] == (m.kind == kindAbort) && g.names[m.from] == m.name
}

// hears notes a member's number, or that it has given up before it knew ours. False: the message is of another group.
func (g *group) hears(m *message) bool {
	if !g.awaits(m) {
		return false
	}
	if m.kind == kindAbort {
		g.aborted(m)
		return true
	}
	g.heard[m.from], g.ids[m.from] = true, m.id
	if g.absent--; g.absent == 0 {
		g.e.joining--
		g.joined(0, "")
	}
	return true
}
