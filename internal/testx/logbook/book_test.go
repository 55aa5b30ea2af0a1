package logbook

import (
	"log/slog"
	"testing"
)

// TestBook keeps lines from its level on, in order, and finds those that come later.
func TestBook(t *testing.T) {
	b := New(slog.LevelInfo)
	log := slog.New(b).With("ignored", 1)
	log.Debug("nothing")
	log.Info("first", "prov", "p", "subsys", "s", "peer", "a")
	go log.Warn("second", "n", 2)
	if got, want := b.Find(t, "second", 1), "WARN second n=2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if l := b.With(""); len(l) != 2 || l[0] != "INFO first peer=a" {
		t.Errorf("%q", l)
	}
}

// TestOnLine is called once a line.
func TestOnLine(t *testing.T) {
	b := New(slog.LevelWarn)
	calls := 0
	b.OnLine(func() { calls++ })
	log := slog.New(b)
	log.Info("not kept")
	log.Warn("kept")
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}
