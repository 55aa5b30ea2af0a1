package shm

import (
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestAddressOfAnother has an address of another provider: the error says where addresses come from.
func TestAddressOfAnother(t *testing.T) {
	_, err := checkAddr([]byte{2, 0, 29, 47, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	if !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), "they come from Endpoint.Name") {
		t.Error(err)
	}
}
