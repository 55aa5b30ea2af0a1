package device

import (
	"bytes"
	"strings"
	"testing"
)

func TestDistinct(t *testing.T) {
	names := bytes.Fields([]byte("one two three two"))
	if err := distinct("mem", names[:3]); err != nil {
		t.Error(err)
	}
	err := distinct("mem", names)
	if err == nil || !strings.Contains(err.Error(), "ranks 1 and 3 have the same address: the provider mem") {
		t.Errorf("two ranks with one address: %v", err)
	}
}
