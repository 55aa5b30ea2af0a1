package wrap

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Place is where in the program a call was made. The zero Place is nowhere.
type Place struct {
	pcs [16]uintptr
	n   int
}

// Here is the place of the call that is being made. Cheap enough for every operation: names are looked up by String.
func Here() (p Place) {
	p.n = runtime.Callers(3, p.pcs[:])
	return p
}

// inside are the packages whose callers are meant, not they.
var inside = []string{
	"github.com/gofabric/gofabric/fabric.", "github.com/gofabric/gofabric/fabric/driver.",
	"github.com/gofabric/gofabric/providers/",
}

// String gives "main.go:31", relative to the working directory where the file lies below it. It is the innermost place
// outside package fabric and the providers.
func (p Place) String() string {
	frames := runtime.CallersFrames(p.pcs[:p.n])
	for more := p.n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if !internal(&f) {
			return fmt.Sprintf("%s:%d", relative(f.File), f.Line)
		}
	}
	return "an unknown place"
}

func internal(f *runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") { // tests of those packages are programs
		return false
	}
	for _, prefix := range inside {
		if strings.HasPrefix(f.Function, prefix) {
			return true
		}
	}
	return false
}

// relative is a file as people in the working directory call it.
func relative(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if r, err := filepath.Rel(wd, file); err == nil && filepath.IsLocal(r) {
			return r
		}
	}
	return file
}
