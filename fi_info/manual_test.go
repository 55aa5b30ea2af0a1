package main

import (
	"testing"

	"github.com/gofabric/gofabric/internal/testx/manpage"
)

func TestManualIsCurrent(t *testing.T)        { manpage.Current(t, newCommand(&config{}), *update) }
func TestManualNamesEveryOption(t *testing.T) { manpage.NamesOptions(t, newCommand(&config{})) }
func TestManualReadsWell(t *testing.T)        { manpage.ReadsWell(t, newCommand(&config{})) }
