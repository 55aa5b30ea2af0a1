package value

import (
	"bytes"
	"errors"
	"fmt"
)

// MismatchError says that a message carries another type than the receiver expects (MPI_ERR_TYPE, MPI 4.1, 9.4).
type MismatchError struct {
	Sent, Want string // names of types as Go prints them
	Bytes      int    // of the value
}

// Error names both types.
func (e *MismatchError) Error() string {
	if e.Sent == e.Want {
		return fmt.Sprintf("a value of type %s has %d bytes, which is not the size that it has here: run the same program on both sides",
			e.Sent, e.Bytes)
	}
	return fmt.Sprintf("a value of type %s was sent and %s is expected: name the same type on both sides", e.Sent, e.Want)
}

// head is what a message says of itself.
type head struct {
	form form
	hash uint16
	name []byte // none for strings; part of the message
}

var errCut = errors.New("the message is no value: it ends within its head; receive it as it was sent, with a Value form")

// split separates head and value.
func split(raw []byte) (h head, body []byte, err error) {
	if len(raw) == 0 {
		return h, nil, errCut
	}
	h.form, raw = form(raw[0]), raw[1:]
	if h.form == formNone || h.form >= numForms {
		return h, nil, fmt.Errorf("the message is no value (it starts with %d): receive it as it was sent, with a Value form", h.form)
	}
	if h.form == formString {
		return h, raw, nil
	}
	if h.form == formRaw || h.form == formSlice || h.form == formNil {
		if len(raw) < 2 {
			return h, nil, errCut
		}
		h.hash, raw = uint16(raw[0])|uint16(raw[1])<<8, raw[2:]
	}
	if len(raw) < 1 || len(raw) < 1+int(raw[0]) {
		return h, nil, errCut
	}
	n := 1 + int(raw[0])
	h.name, raw = raw[1:n], raw[n:]
	return h, raw, nil
}

// match tells whether the type can take a message with that head.
func (c *codec) match(h head) error {
	ok := h.form == c.form
	switch h.form {
	case formRaw:
		ok = ok && h.hash == c.elem.Hash
	case formSlice, formNil:
		ok = c.form == formSlice && h.hash == c.elem.Hash
	case formGobNil:
		ok = c.nilable && bytes.Equal(h.name, c.head[2:])
	case formMarshal:
		ok = ok && bytes.Equal(h.name, c.head[2:])
	}
	if ok {
		return nil
	}
	return c.mismatch(h, 0)
}

func (c *codec) mismatch(h head, n int) error {
	name := string(h.name)
	if h.form == formString {
		name = "string"
	}
	return &MismatchError{Sent: name, Want: c.typ.String(), Bytes: n}
}
