package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/gofabric/gofabric/providers/all" // what there is to test
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := &program{ctx: ctx, out: os.Stdout, err: os.Stderr}
	code := p.main(os.Args[1:])
	stop()
	os.Exit(code)
}
