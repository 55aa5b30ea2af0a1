package rank

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
	"time"

	"github.com/gofabric/gofabric/internal/topo"
	"github.com/gofabric/gofabric/pmi"
)

// Perform is for the TestMain of a program that is also the program of its jobs: with ROLE in the environment it plays that and
// exits, else it returns.
func Perform() {
	role := os.Getenv("ROLE")
	if role == "" {
		return
	}
	if err := Play(role); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Play does what a role says, word by word. Words of one rank only have it in front: "join 2:kill=9 fence leave".
//
//	join, fence, leave, trade=BYTES, who, abort=CODE   what pmi offers
//	mesh=INTERFACE                                     ranks talk over TCP, each from its address there
//	exit=CODE, kill=SIGNAL, hang, deaf                 ends, or none
//	say=WORD, err=WORD, lines=N, echo, env=NAME        output
//	cpus, dir, pid                                     more of it
//	child                                              leaves a process behind in the process group
func Play(role string) error {
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
			if job, err = pmi.Join(ctx); err == nil {
				rank = strconv.Itoa(job.Rank()) // with a port, the environment does not say it
			}
		case "trade":
			err = trade(ctx, job, n)
		case "mesh":
			err = mesh(ctx, job, arg)
		case "fence":
			err = job.Fence(ctx)
		case "leave":
			err = job.Close()
		case "abort":
			err = job.Abort(n, "as told")
			forever()
		case "exit":
			os.Exit(n)
		case "kill":
			err = kill(n)
			forever()
		case "hang":
			fmt.Println("hanging")
			forever()
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
		case "lines":
			err = lines(rank, n)
		case "dir":
			arg, err = os.Getwd()
			fmt.Println(arg)
		case "err":
			fmt.Fprintln(os.Stderr, arg, rank)
		case "pid":
			fmt.Println("pid", os.Getpid(), os.Getppid())
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

// lines writes n lines in small pieces, which a launcher must not mix with those of others.
func lines(rank string, n int) error {
	for i := range n {
		for _, piece := range []string{"rank ", rank, " line ", strconv.Itoa(i), " abcdefgh", "\n"} {
			if _, err := os.Stdout.WriteString(piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// forever does not return. A select without cases ends a program without cgo, in which nothing else goes on.
func forever() {
	for {
		time.Sleep(time.Hour) // sleep: it is what the test wants
	}
}
