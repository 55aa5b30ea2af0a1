package value

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"fmt"
	"reflect"

	"github.com/gofabric/gofabric/mpi/internal/element"
)

// MaxNested is how many bytes gob may make of a value whose type can hold itself (a list, a tree, an interface): one level of
// depth takes a byte or two of the message and some hundred bytes of the stack, which has an end that no program survives.
const MaxNested = 1 << (17 + (^uint(0)>>63)*2)

// Append appends the message that carries v to dst and returns it. v is used during the call only.
//
// Errors: a type that gob does not carry (a channel, a function, a struct without exported fields), an interface's type that is
// not registered, what the methods of the type return, a nested value of more than [MaxNested] bytes. dst is as before then.
func Append[T any](dst []byte, v T) ([]byte, error) {
	c := codecOf(reflect.TypeFor[T]())
	switch c.form {
	case formRaw:
		one := [1]T{v}
		return append(append(dst, c.head...), element.Bytes(one[:])...), nil
	case formSlice:
		at := len(dst)
		dst = append(dst, c.head...)
		mem := sliceMemory(&v, c.elem.Size)
		if mem == nil {
			dst[at] = byte(formNil)
		}
		return append(dst, mem...), nil
	case formString:
		return append(append(dst, c.head...), *stringOf(&v)...), nil
	}
	return encode(c, dst, v)
}

// encode has a copy of v of its own, which moves to the heap.
func encode[T any](c *codec, dst []byte, v T) ([]byte, error) {
	if c.nilable && reflect.ValueOf(&v).Elem().IsNil() {
		at := len(dst)
		dst = append(dst, c.head...)
		dst[at] = byte(formGobNil)
		return dst, nil
	}
	return c.encode(dst, &v)
}

// encode appends a value by the methods of its type or by gob; v points to it.
func (c *codec) encode(dst []byte, v any) ([]byte, error) {
	at := len(dst)
	out := append(dst, c.head...)
	var err error
	switch m := v.(type) {
	case encoding.BinaryAppender:
		if c.form == formMarshal {
			out, err = m.AppendBinary(out)
			return c.encoded(dst, out, err)
		}
	case encoding.BinaryMarshaler:
		if c.form == formMarshal {
			var raw []byte
			raw, err = m.MarshalBinary()
			return c.encoded(dst, append(out, raw...), err)
		}
	}
	b := bytes.NewBuffer(out)
	err = gob.NewEncoder(b).Encode(v)
	if n := b.Len() - at; err == nil && c.nested && n > MaxNested {
		err = fmt.Errorf("its %d bytes are more than the %d of a type that can hold itself: send a flat form, or give it the methods "+
			"AppendBinary and UnmarshalBinary", n, MaxNested)
	}
	return c.encoded(dst, b.Bytes(), err)
}

func (c *codec) encoded(dst, out []byte, err error) ([]byte, error) {
	if err != nil {
		return dst, fmt.Errorf("value of type %v cannot be sent: %w", c.typ, err)
	}
	return out, nil
}

// Decode gives the value of a message that [Append] made. The message is not kept.
//
// Errors: a [*MismatchError] when it is of another type, and what is wrong with a message that cannot be; the value is the
// zero value then.
func Decode[T any](raw []byte) (T, error) {
	var one [1]T
	v := &one[0]
	c := codecOf(reflect.TypeFor[T]())
	h, body, err := split(raw)
	if err != nil {
		return *v, err
	}
	if err := c.match(h); err != nil {
		return *v, err
	}
	switch h.form {
	case formRaw:
		if len(body) != c.elem.Size {
			return *v, c.mismatch(h, len(body))
		}
		mem := element.Bytes(one[:])
		copy(mem, body)
		c.elem.FixBools(mem)
	case formNil, formGobNil:
		if len(body) != 0 {
			return *v, c.mismatch(h, len(body))
		}
	case formSlice:
		if len(body)%c.elem.Size != 0 {
			return *v, c.mismatch(h, len(body))
		}
		mem := makeSlice(v, c.typ, c.elem.Size, len(body)/c.elem.Size)
		copy(mem, body)
		c.elem.FixBools(mem)
	case formString:
		*stringOf(v) = string(body)
	default:
		p := new(T)
		if err := c.decode(body, p); err != nil {
			return *v, err
		}
		return *p, nil
	}
	return *v, nil
}

// decode reads a value by the methods of its type or by gob; v points to it.
func (c *codec) decode(body []byte, v any) error {
	if c.form == formMarshal {
		if err := v.(encoding.BinaryUnmarshaler).UnmarshalBinary(body); err != nil {
			return fmt.Errorf("value of type %v cannot be read: %w", c.typ, err)
		}
		return nil
	}
	if c.nested && len(body) > MaxNested {
		return fmt.Errorf("value of type %v cannot be read: its %d bytes are more than the %d of a type that can hold itself", c.typ,
			len(body), MaxNested)
	}
	if err := checkFrames(body); err != nil {
		return fmt.Errorf("value of type %v cannot be read: %w", c.typ, err)
	}
	r := bytes.NewReader(body)
	if err := gob.NewDecoder(r).Decode(v); err != nil {
		return fmt.Errorf("value of type %v cannot be read: %w", c.typ, err)
	}
	if r.Len() != 0 {
		return fmt.Errorf("value of type %v cannot be read: %d bytes follow it", c.typ, r.Len())
	}
	return nil
}
