package driver

import "github.com/gofabric/gofabric/internal/zlog"

// Log is where messages go: what the application gave to package fabric, and what FI_LOG_LEVEL asked for. A nil Log is
// silent. Its method Logger makes the handle with which a part of a provider speaks; its method Handler makes one of the
// standard library's log/slog. It is safe for concurrent use.
//
// Fast paths never log, and nobody logs with a domain's lock held: where lines go is somebody else's code.
type Log = zlog.Sink

// Logger is the handle of one part of a provider, with a method for each level (enum fi_log_level): Warn, Trace, Info,
// Debug. The zero Logger is silent.
type Logger = zlog.Logger

// Subsys is the part of a provider that speaks (enum fi_log_subsys); FI_LOG_SUBSYS selects by it.
type Subsys = zlog.Subsys

// Level says how much is told (enum fi_log_level); each includes those before it.
type Level = zlog.Level

// Levels.
const (
	LevelWarn  = zlog.Warn  // something is wrong or degraded
	LevelTrace = zlog.Trace // the steps of set-up
	LevelInfo  = zlog.Info  // what was chosen and why
	LevelDebug = zlog.Debug // everything, for developers
)

// Parts of a provider.
const (
	LogFabric = zlog.Fabric // fabric: networks
	LogDomain = zlog.Domain // domain: devices
	LogEPCtrl = zlog.EPCtrl // ep_ctrl: endpoints and connections
	LogEPData = zlog.EPData // ep_data: transfers
	LogAV     = zlog.AV     // av: address vectors
	LogMR     = zlog.MR     // mr: memory regions
)

// LogSetter is a [Fabric] that has something to tell. Package fabric calls SetLog once, before anything is opened in it.
type LogSetter interface {
	SetLog(log *Log)
}
