package tcp_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/logbook"
)

// TestCallingAgain calls where nobody listens: the log has one line for all attempts, with the address and the reason.
func TestCallingAgain(t *testing.T) {
	b := logbook.New(slog.LevelInfo)
	all := openSides(t, 2, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "200"}, fi.DomainAttr{}, fabric.WithSlog(b))
	to, at := all[0].insert(t, all[1]), addrOf(t, all[1]).String()
	check(t, all[1].ep.Close())
	for n := 1; n < 3; n++ {
		check(t, all[0].ep.TSend(make([]byte, 8), to, 1, all[0].req))
		if bad := all[0].failure(t, patient); bad.Err != fi.ErrConnRefused {
			t.Fatal(bad)
		}
		b.Find(t, "calling again", n)
		lines := b.With("calling again")
		want := "INFO no connection yet, calling again peer=" + at + " reason=connection refused: nobody listens there yet for=200ms limit=FI_TCP_CONNECT_TIMEOUT"
		if len(lines) != n || lines[n-1] != want {
			t.Errorf("after %d messages:\n%s\nwant that number of\n%s", n, strings.Join(lines, "\n"), want)
		}
	}
}
