// Man writes the manual pages of this folder, as man(1) wants them and as Markdown.
//
//	go generate ./docs/man
//
// Pages of section 7 are written in text/*.md, as templates: {{variables "shm"}} lists the environment variables of a
// provider, {{attr "shm" "inject_size"}} is a value of its entry in fi_info -v. So limits and defaults in them are those
// of the code. Pages of section 1 come from the commands, whose option tables hold everything: they are asked by
// "go run ./fi_info man" and "go run ./fabtests man". It runs on Linux, where all providers are.
package main

//go:generate go run .
