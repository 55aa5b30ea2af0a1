package monfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// envBase is where the folder is, under libfabric's name.
var envBase = envknob.String("FI_OFI_HOOK_MONITOR_BASEPATH", "ofi_hook_monitor",
	"the folder of the monitor's files, of mode 01700; not set: ofi_monitor_UID in /dev/shm, or in the folder for temporary files", "")

// Dir is the folder.
type Dir string

// Path is where the folder is, whether or not it is there.
func Path(env envknob.Lookup) Dir {
	if base, _ := envBase.Get(env); base != "" {
		return Dir(base)
	}
	root := os.TempDir()
	if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() {
		root = "/dev/shm"
	}
	return Dir(filepath.Join(root, "ofi_monitor_"+strconv.Itoa(max(os.Getuid(), 0))))
}

// Make gives the folder and makes it when it is not there. Errors: those of the system; fi.ErrPerm when it is somebody
// else's, or open to others.
func Make(env envknob.Lookup) (Dir, error) {
	d := Path(env)
	if err := os.Mkdir(string(d), 0o700); err == nil {
		err = os.Chmod(string(d), 0o700|os.ModeSticky)
		return d, err
	} else if !errors.Is(err, os.ErrExist) {
		return d, err
	}
	return d, d.check()
}

// check sees that nobody else can put files there.
func (d Dir) check() error {
	st, err := os.Lstat(string(d))
	if err != nil {
		return err
	}
	why := ""
	switch {
	case !st.IsDir():
		why = "it is no folder"
	case !own(st):
		why = "it is another user's"
	case open(st):
		why = fmt.Sprintf("others may use it (mode %#o)", st.Mode().Perm())
	}
	if why == "" {
		return nil
	}
	return &fi.Error{Op: "monitor", Object: string(d), Err: fi.ErrPerm,
		Hint: why + ": set " + envBase.Name() + " to a folder of your own with mode 0700, or remove this one"}
}
