// Package zlog is the one place of this module that logs. It is silent unless somebody asks.
//
// You need it where set-up code has something to tell: what was selected, which connection was made by which road, why
// something was refused.
//
//	log := sink.Logger("shm", zlog.EPCtrl) // sink: of the object that is opened; nil is a silent one
//	log.Info("connected", "peer", name, "road", road)
//
// Text goes where the user wants it: variables turn it on in any program ([FromEnv], [Env]), an application hands over
// its zap core ([FromCore]) or its slog handler ([FromSlog]), and [Tee] joins them. [Sink.Handler] is the way back, for
// code that is to see the standard library's logger only.
//
// # Levels
//
// They are libfabric's, and each includes those before it: warn, trace, info, debug. For zap and slog warn is their warn,
// trace and info are their info, debug is their debug. At info one exchange of messages tells a story of some five
// lines: who was asked, what was chosen, what was opened, who connected, how it ended.
//
// # Cost
//
// A call that is not enabled costs one comparison with a field of the handle. Its arguments are still evaluated and put
// into interfaces by the caller, so nothing logs on a fast path, and a place that is called often asks [Logger.On]
// first.
//
// # Concurrency and ownership
//
// Sinks and handles are immutable and safe for concurrent use; lines are written whole. A log file is opened once and
// stays open for the life of the process. Values handed to a call are formatted before it returns.
//
// # Variables
//
// FI_LOG_LEVEL, FI_LOG_PROV, FI_LOG_SUBSYS, FI_LOG_LOCATION.
//
// The package uses zapcore only, not zap itself: zap links net/http into every program.
package zlog
