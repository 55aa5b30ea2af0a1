package fi

import (
	"errors"
	"syscall"
	"testing"
)

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*Error{
		"shm: mr_reg: FI_ENOMEM: cannot allocate memory": {Op: "mr_reg", Provider: "shm", Err: ErrNoMem},
		"shm: close: domain x: FI_EBUSY: device or resource busy (2 endpoints are open)": {Op: "close", Provider: "shm",
			Object: "domain x", Err: ErrBusy, Hint: "2 endpoints are open"},
		"FI_EINVAL: invalid argument: second": {Err: errors.Join(ErrInvalid, errors.New("second"))},
		"op":                                  {Op: "op"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	err := error(&Error{Op: "op", Err: errors.Join(ErrAccess, syscall.EINTR)})
	if !errors.Is(err, ErrAccess) || !errors.Is(err, syscall.EINTR) {
		t.Error("what is wrapped is not found")
	}
}

func TestRejectionText(t *testing.T) {
	for want, r := range map[string]Rejection{
		"shm: not supported on this system":             {Provider: "shm", Have: "not supported on this system"},
		"shm (d): caps: wanted FI_HMEM, offered FI_MSG": {Provider: "shm", Domain: "d", Attr: "caps", Want: "FI_HMEM", Have: "FI_MSG"},
		"tcp: domain_attr.name: no interface x; see -l": {Provider: "tcp", Attr: "domain_attr.name", Have: "no interface x", Fix: "see -l"},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
