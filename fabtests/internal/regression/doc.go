// Package regression holds the fabtests programs that check for the return of a fault, a file each. They print what
// libfabric's programs print.
package regression
