package faults

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTUN makes a network device "cable" in a namespace whose packets are read and written here.
func (n *namespace) openTUN(t *testing.T) *os.File {
	t.Helper()
	var f *os.File
	err := n.inside(func() (err error) {
		f, err = tun()
		return err
	})
	if err != nil {
		t.Skipf("known: no TUN device can be made here: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func tun() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	req, err := unix.NewIfreq("cable")
	if err == nil {
		req.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, req)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "tun"), nil
}
