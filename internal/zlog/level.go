package zlog

import (
	"fmt"
	"log/slog"

	"go.uber.org/zap/zapcore"
)

// Level says how much is told (enum fi_log_level, fi_provider(3)); each level includes those before it. The zero
// Level is silence.
type Level uint8

// Levels.
const (
	off   Level = iota
	Warn        // warn: something is wrong or degraded
	Trace       // trace: the steps of set-up
	Info        // info: what was chosen and why
	Debug       // debug: everything, for developers
)

var levelNames = [...]string{"off", "warn", "trace", "info", "debug"}

// String gives the word that FI_LOG_LEVEL takes.
func (l Level) String() string {
	if int(l) >= len(levelNames) {
		return fmt.Sprintf("Level(%d)", uint8(l))
	}
	return levelNames[l]
}

// zap gives the level that zap calls it.
func (l Level) zap() zapcore.Level {
	switch l {
	case Warn:
		return zapcore.WarnLevel
	case Trace, Info:
		return zapcore.InfoLevel
	}
	return zapcore.DebugLevel
}

// fromSlog gives the level of a record of the standard library's logger.
func fromSlog(l slog.Level) Level {
	switch {
	case l >= slog.LevelWarn:
		return Warn
	case l >= slog.LevelInfo:
		return Info
	}
	return Debug
}

// Subsys is the part of the library that speaks (enum fi_log_subsys, fi_provider(3)).
type Subsys uint8

// Subsystems.
const (
	Core    Subsys = iota // core: discovery and variables
	Fabric                // fabric: fabrics
	Domain                // domain: domains
	EPCtrl                // ep_ctrl: endpoints, connections
	EPData                // ep_data: transfers
	AV                    // av: address vectors
	CQ                    // cq: completion queues
	EQ                    // eq: event queues
	MR                    // mr: memory regions
	Counter               // cntr: counters
)

var subsysNames = [...]string{"core", "fabric", "domain", "ep_ctrl", "ep_data", "av", "cq", "eq", "mr", "cntr"}

// String gives the word that FI_LOG_SUBSYS takes.
func (s Subsys) String() string {
	if int(s) >= len(subsysNames) {
		return fmt.Sprintf("Subsys(%d)", uint8(s))
	}
	return subsysNames[s]
}
