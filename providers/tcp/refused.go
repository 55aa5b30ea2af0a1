package tcp

import (
	"bytes"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// refusals are the callers that a listener has turned away, as the log has them: the first one, and then, however many
// knock, one in a while with the number of the others.
type refusals struct {
	mu   sync.Mutex
	next time.Time // when there may be a line again; guarded by mu
	more int       // without a line since the last one; guarded by mu
}

// refusalPause is between two lines.
const refusalPause = 10 * time.Second

// line gives what to write of a caller, a pair of words for each thing that there is to say beside why; nil for nothing.
func (r *refusals) line(now time.Time, from netip.AddrPort, why string, beside ...any) func(log driver.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Before(r.next) {
		r.more++
		return nil
	}
	fields := append([]any{"peer", from.String(), "reason", why}, beside...)
	if r.more > 0 {
		fields = append(fields, "others before", r.more)
	}
	r.next, r.more = now.Add(refusalPause), 0
	return func(log driver.Logger) { log.Warn("a caller was refused", fields...) }
}

// refused tells of a caller that an endpoint has turned away.
func (l *listener) refused(from netip.AddrPort, why string, beside ...any) {
	s := l.e.d.src
	if !s.notes.Log.On(driver.LevelWarn) {
		return
	}
	if write := l.refusals.line(time.Now(), from, why, beside...); write != nil {
		s.note(write)
	}
}

// refusedTLS tells of one with which there is no agreement on encryption.
func (l *listener) refusedTLS(from netip.AddrPort, err error) {
	l.refused(from, err.Error(), "cure", cureTLS)
}

// refused tells of a caller that a passive endpoint has turned away. Its goroutine writes it.
func (p *passive) refused(from netip.AddrPort, why string, beside ...any) {
	if !p.notes.Log.On(driver.LevelWarn) {
		return
	}
	if write := p.refusals.line(time.Now(), from, why, beside...); write != nil {
		p.notes.Add(write)
	}
}

// refusedTLS is called by the goroutines of pumps, which may write.
func (p *passive) refusedTLS(from netip.AddrPort, err error) {
	p.refused(from, err.Error(), "cure", cureTLS)
	p.notes.Flush()
}

const cureTLS = "both sides need WithTLS, with certificates that the other one trusts"

// foreignError says that what answers a request of ours is no endpoint: another attempt would end alike.
type foreignError struct{ said string }

func (e *foreignError) Error() string { return "no libfabric endpoint: " + e.said }

// foreign ends a handshake with what does not speak our protocol.
func (c *conn) foreign(err error) {
	said := spoken(c.greeting.buf, c.ours, err)
	if c.ours {
		c.dropDial(&foreignError{said})
		return
	}
	if l := c.owner.lis; l != nil {
		l.refused(c.from, "no libfabric endpoint: "+said)
	}
	c.fail(fi.ErrProto, err.Error())
}

// spoken says, for people, what somebody speaks who does not speak our protocol: b is what has come.
func spoken(b []byte, answer bool, err error) string {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	switch {
	case len(b) > 2 && b[0] == helloRecord && b[1] == 3:
		return "it speaks TLS, and none was configured here"
	case answer && len(b) > 1 && b[0] == wire.Version && wire.ControlType(b[1]) == wire.ConnRequest:
		return "it sends back what it gets"
	case len(line) > 3 && bytes.IndexFunc(line, notText) < 0:
		return "it says " + strconv.Quote(string(line[:min(len(line), spokenMost)]))
	}
	return err.Error()
}

// spokenMost is how much of it is shown.
const spokenMost = 32

// helloRecord begins what a client of TLS says first.
const helloRecord = 0x16

func notText(r rune) bool { return r < ' ' || r > '~' }
