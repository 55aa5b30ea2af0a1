package poll

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// TestReadable waits for a pipe both ways, before and after something is in it.
func TestReadable(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // a pipe
	defer w.Close() //nolint:errcheck // a pipe
	e, err := NewEpoll(r.Fd())
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := Readable(r.Fd(), time.Millisecond); ok || err != nil {
		t.Errorf("empty: %v %v", ok, err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	end(cause)
	if err := e.Wait(ctx); !errors.Is(err, cause) {
		t.Errorf("empty: %v", err)
	}
	if _, err := w.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if ok, err := Readable(r.Fd(), time.Minute); !ok || err != nil {
		t.Errorf("a byte: %v %v", ok, err)
	}
	if err := errors.Join(e.Wait(context.Background()), e.Close()); err != nil {
		t.Error(err)
	}
	if _, err := NewEpoll(1 << 30); err == nil {
		t.Error("no such descriptor")
	}
}
