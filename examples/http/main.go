package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"

	net "github.com/gofabric/gofabric/fabnet"
)

func main() {
	network, addr := flag.String("net", "shm", "provider"), flag.String("addr", "localhost:7471", "where to listen")
	flag.Parse()
	l, err := net.Listen(*network, *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("serving at", l.Addr())
	log.Fatal(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello %s, over %s\n", r.URL.Path[1:], l.Addr().Network())
	})))
}
