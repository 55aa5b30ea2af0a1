package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/gofabric/gofabric/fabtests/internal/runner"
	_ "github.com/gofabric/gofabric/providers/all" // what there is to test
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, supervised := runner.Supervised(ctx)
	p := &program{ctx: ctx, out: os.Stdout, err: os.Stderr, supervised: supervised}
	code := p.main(os.Args[1:])
	stop()
	os.Exit(code)
}
