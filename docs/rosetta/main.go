package main

import (
	"embed"
	"fmt"
	"os"
)

// The lists: calls with their reasons, constants and types, the reasons of those, and the fields of structures.
//
//go:embed names.txt headers.txt reasons.txt fields.txt
var lists embed.FS

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: rosetta MODULE-FOLDER OUTPUT-FILE")
		os.Exit(2)
	}
	text, err := page(os.DirFS(os.Args[1]), lists)
	if err == nil {
		err = os.WriteFile(os.Args[2], []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rosetta:", err)
		os.Exit(1)
	}
}
