package cpingpong

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// What is said on the control channel.
const (
	sayReady = "q\x00"
	sayGo    = "a\x00"
	sayCount = "cnt ok\x00"
	countLen = 10
	mostAddr = 1 << 10 // no address is longer
)

// control is the control channel.
type control struct{ *ctrl.Conn }

// expect reads a fixed text.
func (c *control) expect(text string) error {
	b, err := c.Recv(len(text), nil)
	if err == nil && string(b) != text {
		err = fail.Call("ctrl_recv", fmt.Errorf("the other side says %q, not %q: %w", b, text, fi.ErrProto))
	}
	return err
}

// sendName tells an address.
func (c *control) sendName(raw []byte, format fi.AddrFormat) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(raw)))
	b = binary.NativeEndian.AppendUint32(b, uint32(format))
	return c.Send(append(b, raw...))
}

// recvName hears one.
func (c *control) recvName() ([]byte, fi.AddrFormat, error) {
	b, err := c.Recv(8, nil)
	if err != nil {
		return nil, 0, err
	}
	n := binary.BigEndian.Uint32(b)
	if n == 0 || n > mostAddr {
		return nil, 0, fail.Call("ctrl_recv", fmt.Errorf("an address of %d bytes: %w", n, fi.ErrProto))
	}
	raw, err := c.Recv(int(n), nil)
	return raw, fi.AddrFormat(binary.NativeEndian.Uint32(b[4:])), err
}

// sync is the barrier before each size.
func (c *control) sync(client bool) error {
	if client {
		if err := c.Send([]byte(sayReady)); err != nil {
			return err
		}
		return c.expect(sayGo)
	}
	if err := c.expect(sayReady); err != nil {
		return err
	}
	return c.Send([]byte(sayGo))
}

// count compares how many messages the sides have seen.
func (c *control) count(client bool, n int) error {
	if client {
		b := make([]byte, countLen)
		copy(b, strconv.Itoa(n))
		if err := c.Send(b); err != nil {
			return err
		}
		return c.expect(sayCount)
	}
	b, err := c.Recv(countLen, nil)
	if err != nil {
		return err
	}
	text, _, _ := strings.Cut(string(b), "\x00")
	if got, err := strconv.Atoi(text); err != nil || got != n {
		return fail.Call("ctrl_recv", fmt.Errorf("the client counts %q messages, we %d: %w", text, n, fi.ErrIO))
	}
	return c.Send([]byte(sayCount))
}
