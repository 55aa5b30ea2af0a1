package main

import (
	"testing"

	"github.com/gofabric/gofabric/internal/testx/manpage"
)

func TestManualIsCurrent(t *testing.T) { manpage.Current(t, manual(), *update) }
