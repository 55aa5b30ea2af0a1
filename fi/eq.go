package fi

// EQEvent says what an entry of an event queue is about (FI_CONNREQ and the like, fi_eq(3)).
type EQEvent uint32

// Events.
const (
	EventNotify       EQEvent = 0 // FI_NOTIFY: something changed; what an application writes may be this
	EventConnReq      EQEvent = 1 // FI_CONNREQ: a peer wants to connect; to be accepted or rejected
	EventConnected    EQEvent = 2 // FI_CONNECTED: the connection is there, on either side
	EventShutdown     EQEvent = 3 // FI_SHUTDOWN: the connection has ended
	EventMRComplete   EQEvent = 4 // FI_MR_COMPLETE (deprecated): registrations here end when their call returns
	EventAVComplete   EQEvent = 5 // FI_AV_COMPLETE (deprecated): insertions here end when their call returns
	EventJoinComplete EQEvent = 6 // FI_JOIN_COMPLETE: the group was joined, of multicast or of collectives
)

// EQFlags modify an event queue (fi_eq_open) or a read of it (fi_eq_read, fi_eq(3)).
type EQFlags uint64

// Event queue flags.
const (
	EQWrite    EQFlags = 1 << 9  // FI_WRITE: the application may insert events with EQ.Write
	EQPeek     EQFlags = 1 << 19 // FI_PEEK: a read leaves the event where it is
	EQAffinity EQFlags = 1 << 29 // FI_AFFINITY
)

// EQAttr describes an event queue (struct fi_eq_attr, fi_eq(3)).
type EQAttr struct {
	Size    int     // events that EQ.Write may leave unread; 0: the default, 256. Those of connections never lack room
	Flags   EQFlags // EQWrite
	WaitObj WaitObj
}

// EQEntry is one event (struct fi_eq_entry and struct fi_eq_cm_entry, fi_eq(3)).
type EQEntry struct {
	Event   EQEvent
	FID     any    // what it happened to: a *fabric.PassiveEndpoint for EventConnReq, a *fabric.MC for EventJoinComplete, else a *fabric.Endpoint
	Info    *Info  // EventConnReq: what to open the endpoint with that answers; its Handle names the request
	CMData  []byte // the peer's private data; the reader's own
	Context any    // of what an application wrote, and of Join
	Data    uint64 // of what an application wrote
}

// EQErrEntry is an event in error (struct fi_eq_err_entry, fi_eq(3)).
type EQErrEntry struct {
	FID     any // what it happened to: a *fabric.Endpoint
	Context any
	Data    uint64
	Err     Errno  // the cause: ErrConnRefused for a connection that the peer rejected
	ProvErr int    // the provider's own number; 0 when it has none
	ErrData []byte // the private data of the peer's rejection; the reader's own
	Text    string // the cause in words (fi_eq_strerror); may be empty
}

// Error makes the entry usable as an error; errors.Is sees Err through it.
func (e *EQErrEntry) Error() string {
	if e.Text != "" {
		return e.Err.Error() + ": " + e.Text
	}
	return e.Err.Error()
}

// Unwrap gives Err.
func (e *EQErrEntry) Unwrap() error { return e.Err }

// Handle ties an Info to an object (the handle of struct fi_info, an fid_t): the connection request that it came with, or
// the passive endpoint whose address an endpoint shall have.
type Handle interface {
	// Class is the object's class: ClassConnReq or ClassPEP.
	Class() Class
}

// Class is the class of an object that a Handle may be (FI_CLASS_CONNREQ and the like, fi_control(3)).
type Class uint32

// Classes.
const (
	ClassPEP     Class = 9  // FI_CLASS_PEP: a passive endpoint
	ClassConnReq Class = 18 // FI_CLASS_CONNREQ: a connection request
)
