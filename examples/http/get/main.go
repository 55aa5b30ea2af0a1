package main

import (
	"context"
	"flag"
	"io"
	"log"
	"net/http"
	"os"

	net "github.com/gofabric/gofabric/fabnet"
)

func main() {
	network := flag.String("net", "shm", "provider")
	flag.Parse()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
		return net.DialContext(ctx, *network, addr)
	}}}
	for _, url := range flag.Args() {
		answer, err := client.Get(url)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
			log.Fatal(err)
		}
		answer.Body.Close()
	}
}
