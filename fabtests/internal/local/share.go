package local

import (
	"os"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/internal/shmem"
)

// SharedFD is the descriptor of the memory that the sides of a scenario share, when it asks for some.
const SharedFD = 3

// sharedMemory is a memory file that children inherit.
type sharedMemory struct {
	mem  *shmem.File
	file *os.File
}

// share makes the memory that the scenario wants; none is fine.
func (j *Job) share() (*sharedMemory, error) {
	if j.Scenario.Shared == 0 {
		return nil, nil
	}
	m, err := shmem.Create("fabtests", j.Scenario.Shared, shmem.Populate)
	if err != nil {
		return nil, &fail.Hint{Err: fail.Call("memfd_create", err), Next: "fabtests demo, which needs no shared memory"}
	}
	return &sharedMemory{mem: m, file: os.NewFile(uintptr(m.FD()), "shared")}, nil
}

func (s *sharedMemory) files() []*os.File {
	if s == nil {
		return nil
	}
	return []*os.File{s.file}
}

func (s *sharedMemory) close() {
	if s != nil {
		s.file.Close() //nolint:errcheck // the children have it
		s.mem.Unmap()  //nolint:errcheck // so is this
	}
}
