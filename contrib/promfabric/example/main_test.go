package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestRun starts the program, and scrapes it until messages show.
func TestRun(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, "127.0.0.1:0", "", w)
		w.Close()
	}()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err, <-done)
	}
	moved := regexp.MustCompile(`(?m)^gofabric_operations_total\{.*op="trecv".*\} [1-9]`)
	for text := ""; !moved.MatchString(text); {
		resp, err := http.Get(strings.TrimSpace(url))
		if err != nil || ctx.Err() != nil {
			t.Fatalf("%v; the last scrape:\n%s", err, text)
		}
		all, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if text = string(all); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
