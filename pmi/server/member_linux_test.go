package server_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/internal/topo"
	"github.com/gofabric/gofabric/pmi"
)

// TestMain is also the program of the jobs: what it does stands in ROLE.
func TestMain(m *testing.M) {
	if role := os.Getenv("ROLE"); role != "" {
		if err := play(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// play does what a role says, word by word.
func play(role string) error {
	rank := os.Getenv("PMI_RANK")
	var job *pmi.Job
	var err error
	ctx := context.Background()
	for word := range strings.FieldsSeq(role) {
		if only, what, ok := strings.Cut(word, ":"); ok { // "2:kill", for one rank
			if only != rank {
				continue
			}
			word = what
		}
		name, arg, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(arg)
		switch name {
		case "join":
			job, err = pmi.Join(ctx)
		case "trade":
			err = trade(ctx, job, n)
		case "fence":
			err = job.Fence(ctx)
		case "leave":
			err = job.Close()
		case "abort":
			err = job.Abort(n, "as told")
			select {}
		case "exit":
			os.Exit(n)
		case "kill":
			err = syscall.Kill(os.Getpid(), syscall.Signal(n))
			select {}
		case "hang":
			fmt.Println("hanging")
			select {}
		case "deaf":
			signal.Ignore(syscall.SIGTERM)
		case "child": // leaves a process in the group that holds the output
			cmd := exec.Command("sleep", "1000")
			cmd.Stdout = os.Stdout
			if err = cmd.Start(); err == nil {
				fmt.Println("child", cmd.Process.Pid)
			}
		case "say":
			fmt.Println(arg, rank)
		case "echo":
			_, err = io.Copy(os.Stdout, os.Stdin)
		case "env":
			fmt.Println(os.Getenv(arg))
		case "cpus":
			fmt.Println(topo.New(os.DirFS("/")).Allowed())
		case "who":
			fmt.Println(job.Rank(), job.Size(), job.ID(), job.AppNum(), job.UniverseSize(), job.Nodes())
		default:
			err = fmt.Errorf("no such word %q", word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// trade publishes a value of n bytes and reads those of all.
func trade(ctx context.Context, job *pmi.Job, n int) error {
	value := func(rank int) string { return strings.Repeat(string(rune('a'+rank%26)), n) }
	key := func(rank int) string { return "k-" + strconv.Itoa(rank) }
	if err := job.Put(key(job.Rank()), []byte(value(job.Rank()))); err != nil {
		return err
	}
	if err := job.Fence(ctx); err != nil {
		return err
	}
	var keys []string
	for r := range job.Size() {
		keys = append(keys, key(r))
	}
	all, err := job.GetAll(ctx, keys...)
	if err != nil {
		return err
	}
	for r, v := range all {
		if string(v) != value(r) {
			return fmt.Errorf("rank %d published %d bytes, %.20q", r, len(v), v)
		}
	}
	return nil
}

// gone waits until a process that was killed has ended, as a zombie at least.
func gone(pid string) bool {
	for range 1000 {
		b, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(b), ") Z ") {
			return true
		}
		time.Sleep(5 * time.Millisecond) // sleep: nobody tells of the end of a process that is not a child
	}
	return false
}
