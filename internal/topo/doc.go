// Package topo reads what a machine is made of: the processors we may use and how they are grouped, memory nodes, huge
// pages, caches, the model and the limits that a fabric runs into.
//
// You need it to pin two processes of a benchmark to two cores, to print what a figure was measured on, and for the
// checklist of fi_info --doctor.
//
//	m := topo.New(os.DirFS("/"))
//	pair := m.Spread(2)        // two processors, on two cores where there are two
//	for _, f := range m.Check() {
//		fmt.Println(f.Name, f.OK, f.Value, f.Cure)
//	}
//
// Everything comes from files below /proc and /sys through an [io/fs.FS], so that tests describe machines as maps. A file
// that is missing or that does not parse counts as "not known": the answer is the zero value or what the runtime tells,
// never an error. On systems without /proc little is known, and Check finds nothing.
//
// A Machine keeps nothing; each call reads anew. All calls are safe for concurrent use. They are set-up code. The package
// reads no environment variables and changes nothing.
package topo
