package main

import "strings"

// providerWords are what a shell may complete behind run: the providers that somewhere are.
var providerWords = []string{"shm", "tcp", "mem"}

// runText is the chapter of the manual about fabtests run; the options follow.
const runText = `*fabtests run* is libfabric's script runfabtests.sh: it runs sets of scenarios over providers and prints a table with the
script's words, which is YAML, so that results of both stand side by side. Without a provider it takes tcp and udp, as far
as they are here, like the script. Without hosts both sides are processes on this machine (of mem, one process), at ports
that nobody uses, so that several tests run at a time; with two hosts behind the providers the server runs on the first
and the client on the second, by ssh.

The sets: *unit* (one process, and three that must fail with 61 because their host does not exist), *functional*, *short*
(benchmarks with five iterations), *standard* (benchmarks as long as they are), *threaded*, *multinode*, *regression*,
*complex* and *verify* (ubertest); *quick* is unit, functional and short, *all* is everything but short and verify.

*complex* runs ubertest with the configuration all of the provider when it is the only set, or in all, else with quick;
*verify* with that of the name; *-u* names another one for both. Its verdict has counts: *Pass [passed/all]* or *Fail
[failed/all]*, of the tests that make sense. One that did not take its options or configuration (status 1) is *Notrun*; a
provider without a configuration of ours is left out.

The verdicts: *Pass*; *Fail*, with the reason and a command line that runs the test again, with the options of the run; *Notrun* for what the provider does
not offer; *Excluded* by -e or -f. Notrun is checked both ways against what fi_info says: a test that ends with
FI_ENODATA or FI_ENOSYS although the provider offers what it needs is a failure, and so is one that works although the
provider does not offer it. On other hosts, whose providers cannot be asked from here, the status alone counts. Scenarios
that cannot be run here are listed under the table and are in no count; a set of nothing else is refused.

A test that is not done when its time is over (-T) fails and is ended; shortly before, each of its waits ends with words
that say what it waited for. Ctrl-C ends what runs, prints the table so far and exits with 130. No process stays behind,
also when fabtests is killed; on other hosts ours end with the connection.

With *--peer c* one side of each test is the program of C fabtests of the same name, in both roles: of those programs that
can be the other side of ours (C PROGRAMS), over tcp, and over udp where endpoints are those of datagrams. What cannot, or not
in one of the roles, is listed under the table with the reason, which mostly is a fault that two programs of C have as well.
Benchmarks then have one size, 4096 bytes, or 1024 for datagrams, unless -L and -C say more.

The options of *run*, with the letters of the script:

`

// runOptions lists the options of run.
func runOptions() string {
	var b strings.Builder
	for _, o := range newSets(nil).command().Options {
		term := "`--" + o.Long + "`"
		if o.Short != 0 {
			term = "`-" + string(rune(o.Short)) + "`, " + term
		}
		if o.Arg != "" {
			term += " *" + o.Arg + "*"
		}
		b.WriteString("- " + term + ": " + o.Help + ".\n")
	}
	return b.String()
}
