// Echo is a program as they are written for sockets: a server, and clients that talk to it.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"time"
)

func serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		go func(c net.Conn) {
			defer c.Close()
			io.Copy(c, c)
		}(c)
	}
}

func talk(network string, to net.Addr, name string) (string, error) {
	c, err := net.DialTimeout(network, to.String(), 10*time.Second)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "hello %s\n", name); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return "", err
	}
	c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err = c.Read(make([]byte, 1))
	var slow net.Error
	if !errors.As(err, &slow) || !slow.Timeout() {
		return "", fmt.Errorf("no timeout: %w", err)
	}
	return line, nil
}

func main() {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", "0"))
	if err != nil {
		log.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- serve(l) }()
	answers := make([]string, 3)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			var err error
			if answers[i], err = talk(l.Addr().Network(), l.Addr(), fmt.Sprint("gopher ", i)); err != nil {
				log.Fatal(err)
			}
		})
	}
	all.Wait()
	for _, a := range answers {
		fmt.Print(a)
	}
	_, err = net.Dial("nosuch", "127.0.0.1:1")
	var op *net.OpError
	fmt.Println(errors.As(err, &op), op.Op)
	l.Close()
	fmt.Println(<-done)
}
