// Package foreign is where a package that knows another way into a job, pmi/pmix, leaves it for package pmi. So pmi does not
// import it, and a program without it stays static.
//
// [Join] is written by an init function and only read from then on.
package foreign
