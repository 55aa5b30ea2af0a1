// Package docs holds the written documents of the module and the tests that keep them true: programs in the README and
// in the guide are compiled and run, and what they print is compared; commands name packages that exist; links between
// documents lead somewhere; every design page is in the list of design pages.
//
// There is nothing to import here.
package docs

//go:generate go run ./rosetta .. rosetta.md
