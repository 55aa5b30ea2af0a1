package rdm

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestTruncationAdvisesWhatThereIs wants peeks to be advised for tagged messages only: others have none.
func TestTruncationAdvisesWhatThereIs(t *testing.T) {
	for kind, peeks := range map[fi.CompFlags]bool{fi.CompRecv | fi.CompMsg: false, fi.CompRecv | fi.CompTagged: true} {
		text := explain(fi.ErrTruncated, kind, 8, 92)
		if !strings.Contains(text, "has 100 bytes, the buffer takes 8") || strings.Contains(text, "fi.OpPeek") != peeks {
			t.Errorf("%v: %s", kind, text)
		}
	}
}
