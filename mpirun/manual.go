package main

import "github.com/gofabric/gofabric/internal/cli"

var examples = []cli.Example{
	{Line: "mpirun -n 4 ./prog", Text: "four processes on this host"},
}

var manual = []cli.Part{}
