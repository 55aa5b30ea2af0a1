package shmem

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	children["listen"] = func() {
		if _, err := Listen(Addr{os.Getenv("SHMEM_ARG")}); err != nil {
			said("%v", err)
			return
		}
		said("listening")
	}
}

func TestListenAbstract(t *testing.T) {
	noLeak(t)
	a := name()
	if _, err := Connect(a); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connected with nobody: %v", err)
	}
	l, err := Listen(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Accept(); err != ErrAgain {
		t.Errorf("accepted nobody: %v", err)
	}
	if _, err := Listen(a); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second owner: %v", err)
	}
	c, err := Connect(a)
	if err != nil {
		t.Fatal(err)
	}
	d, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := c.Send([]byte("lives on")); err != nil {
		t.Error(err)
	}
	var m Message
	if err := d.Recv(&m); err != nil || string(m.Bytes()) != "lives on" {
		t.Error(err)
	}
	c.Close()
	d.Close()
	l, err = Listen(a) // the name is free
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, a := range []Addr{{}, Abstract(""), Path("")} {
		if _, err := Listen(a); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%q: %v", a, err)
		}
		if _, err := Connect(a); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%q: %v", a, err)
		}
	}
}

// A full queue of a listener makes a connecting process come again and does not hold it.
func TestConnectAgain(t *testing.T) {
	noLeak(t)
	a := name()
	l := listen(t, a)
	if err := unix.Listen(l.fd, 1); err != nil { // a short queue
		t.Fatal(err)
	}
	var conns []*Conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range 10 {
		c, err := Connect(a)
		if err == ErrAgain {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	t.Error("the queue never filled")
}

func TestListenPath(t *testing.T) {
	noLeak(t)
	dir := t.TempDir()
	a := Path(filepath.Join(dir, "s"))
	if _, err := Connect(a); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("connected with nobody: %v", err)
	}
	l, err := Listen(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(a); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second owner: %v", err)
	}
	c, err := Connect(a)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	l.Close()
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
	if _, err := Listen(Path(filepath.Join(dir, "none", "s"))); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("in no folder: %v", err)
	}
}

// The file of a killed owner is replaced, that of a living one is not, and neither is anything that is no socket.
func TestStaleFile(t *testing.T) {
	noLeak(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	cmd, line := child(t, "listen", path)
	if line != "listening" {
		t.Fatal(line)
	}
	if _, err := Listen(Path(path)); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("took a living owner's file: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := os.Lstat(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Connect(Path(path)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connected with a dead one: %v", err)
	}
	l, err := Listen(Path(path))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(Path(path))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	os.Rename(path, path+".moved")
	m := listen(t, Path(path)) // somebody else took the name meanwhile
	l.Close()
	if c, err = Connect(Path(path)); err != nil {
		t.Errorf("Close removed the file of another one: %v", err)
	} else {
		c.Close()
	}
	m.Close()

	file := filepath.Join(dir, "file")
	os.WriteFile(file, []byte("precious"), 0600)
	os.Symlink(file, path)
	for _, p := range []string{file, path, dir} {
		if _, err := Listen(Path(p)); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if b, _ := os.ReadFile(file); string(b) != "precious" {
		t.Error("the file is gone")
	}
}

// Of several that find a stale file at the same time one becomes its owner, and stays it.
func TestStaleFileRace(t *testing.T) {
	noLeak(t)
	a := Path(filepath.Join(t.TempDir(), "s"))
	for range 20 {
		fd, err := unix.Socket(unix.AF_UNIX, sockType, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Bind(fd, &unix.SockaddrUnix{Name: a.name}); err != nil {
			t.Fatal(err)
		}
		unix.Close(fd) // stale now
		var mu sync.Mutex
		var won []*Listener
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				l, err := Listen(a)
				if err == nil {
					mu.Lock()
					won = append(won, l)
					mu.Unlock()
				} else if !errors.Is(err, syscall.EADDRINUSE) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Errorf("%d owners", len(won))
		}
		for _, l := range won {
			c, err := Connect(a)
			if err != nil {
				t.Error(err)
			} else {
				c.Close()
			}
			l.Close()
		}
		os.Remove(a.name)
	}
}

// An abstract name vanishes with its killed owner.
func TestAbstractAfterKill(t *testing.T) {
	noLeak(t)
	a := name()
	cmd, line := child(t, "listen", a.name)
	if line != "listening" {
		t.Fatal(line)
	}
	if _, err := Listen(a); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("took a living owner's name: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	l, err := Listen(a)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
