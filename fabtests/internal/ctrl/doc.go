// Package ctrl is the control channel of programs whose two sides talk over a TCP connection besides the fabric.
//
//	conn, err := ctrl.Dial(ctx, host, port, "", wait) // the server: ctrl.Accept
//	c := ctrl.New(ctx, conn, wait)
//	defer c.Close()
//	err = c.Send(hello)
//	answer, err := c.Recv(4, nil)
//
// What comes is read at any time, and the end of the other side ends [Conn.Ctx], so that whoever waits for the fabric
// hears of it. A channel belongs to one goroutine; Ctx and its end may be used by all.
package ctrl
