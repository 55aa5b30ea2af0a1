package fabnet_test

import (
	"bufio"
	"fmt"
	"io"
	"net"

	"github.com/gofabric/gofabric/fabnet"
)

// A server listens, a client dials; what both have are ordinary net.Conns. The provider mem stands for "shm" or "tcp" here.
func Example() {
	l, err := fabnet.Listen("mem", "")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		line, _ := bufio.NewReader(c).ReadString('\n')
		fmt.Fprintf(c, "you said %s", line)
	}()

	c, err := fabnet.Dial(l.Addr().Network(), l.Addr().String())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	fmt.Fprintln(c, "hello")
	answer, err := io.ReadAll(c)
	fmt.Printf("%s%v\n", answer, err)
	// Output:
	// you said hello
	// <nil>
}

// CloseWrite says that nothing follows; the answer can still be read.
func ExampleStream_CloseWrite() {
	l, err := fabnet.Listen("mem", "")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		all, _ := io.ReadAll(c)
		fmt.Fprintf(c, "%d bytes", len(all))
	}()

	c, err := fabnet.Dial("mem", l.Addr().String())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	c.Write(make([]byte, 12345))
	c.(interface{ CloseWrite() error }).CloseWrite()
	answer, _ := io.ReadAll(c)
	fmt.Printf("%s\n", answer)
	// Output: 12345 bytes
}

// Errors are those of package net.
func ExampleDial() {
	_, err := fabnet.Dial("mem", "fi_mem://nobody")
	op, ok := err.(*net.OpError)
	fmt.Println(ok, op.Op, op.Net, op.Addr)
	fmt.Println(op.Err)
	// Output:
	// true dial mem fi_mem://nobody
	// FI_ECONNREFUSED: connection refused: nobody listens at fi_mem://nobody: call Listen first
}
