package fail

import "testing"

func TestCommandLine(t *testing.T) {
	if got := CommandLine([]string{"fabtests", "rdm", "-S", "l:8,64", "-d", "a b", "", "it's"}); got != `fabtests rdm -S l:8,64 -d 'a b' '' 'it'\''s'` {
		t.Error(got)
	}
	if got := CommandLine([]string{"A=", "FI_B=two words", "fabtests", "rdm", "-E", "FI_C=a b"}); got != `A= FI_B='two words' fabtests rdm -E 'FI_C=a b'` {
		t.Error(got)
	}
}
