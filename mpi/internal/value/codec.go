package value

import (
	"encoding"
	"encoding/gob"
	"reflect"
	"slices"
	"sync"

	"github.com/gofabric/gofabric/mpi/internal/element"
)

// form is the first byte of a message: how the rest is to be read.
type form byte

const (
	formNone    form = iota
	formRaw          // hash, name, the memory of one value
	formSlice        // hash, name, the memory of the elements
	formNil          // hash, name: a slice that is nil
	formString       // the bytes
	formMarshal      // name, what MarshalBinary gave
	formGob          // name, what gob gave
	formGobNil       // name: a pointer, slice, map or interface that is nil, which gob has no notion of
	numForms
)

// codec is how one type travels.
type codec struct {
	form form
	typ  reflect.Type
	elem *element.Info // of formRaw the type, of formSlice that of the elements
	// head is what a message starts with: form, hash and name as far as the form has them.
	head []byte
	// For formGob: the depth of a value has no bound; it may be nil.
	nested, nilable bool
}

var codecs sync.Map // reflect.Type to *codec

func codecOf(t reflect.Type) *codec {
	if c, ok := codecs.Load(t); ok {
		return c.(*codec)
	}
	c, _ := codecs.LoadOrStore(t, newCodec(t))
	return c.(*codec)
}

var (
	appender    = reflect.TypeFor[encoding.BinaryAppender]()
	marshaler   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
	gobEncoder  = reflect.TypeFor[gob.GobEncoder]()
)

func newCodec(t reflect.Type) *codec {
	c := &codec{typ: t, form: formGob}
	switch p := reflect.PointerTo(t); {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface: // gob knows what to do with nil
	case (p.Implements(appender) || p.Implements(marshaler)) && p.Implements(unmarshaler):
		c.form = formMarshal
	case p.Implements(gobEncoder):
	case t.Kind() == reflect.String:
		c.form = formString
	case t.Kind() == reflect.Slice && !own(t.Elem()):
		if e, err := element.OfType(t.Elem()); err == nil {
			c.form, c.elem = formSlice, e
		}
	default:
		if e, err := element.OfType(t); err == nil {
			c.form, c.elem = formRaw, e
		}
	}
	c.head = []byte{byte(c.form)}
	switch c.form {
	case formRaw, formSlice:
		c.head = append(c.head, byte(c.elem.Hash), byte(c.elem.Hash>>8))
		c.head = appendName(c.head, t)
	case formMarshal:
		c.head = appendName(c.head, t)
	case formGob:
		c.head = appendName(c.head, t)
		c.nested = nested(t, nil)
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
			c.nilable = true
		}
	}
	return c
}

// own tells whether a type says itself how it travels.
func own(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(appender) || p.Implements(marshaler) || p.Implements(gobEncoder)
}

// maxName bounds the name of a type in a message.
const maxName = 255

func appendName(b []byte, t reflect.Type) []byte {
	name := t.String()
	name = name[:min(len(name), maxName)]
	return append(append(b, byte(len(name))), name...)
}

// nested tells whether a type can hold itself, above being the types that it is part of. An interface can hold anything.
func nested(t reflect.Type, above []reflect.Type) bool {
	if slices.Contains(above, t) {
		return true
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return nested(t.Elem(), above)
	case reflect.Map:
		return nested(t.Key(), above) || nested(t.Elem(), above)
	case reflect.Struct:
		for f := range t.Fields() {
			if f.IsExported() && nested(f.Type, above) {
				return true
			}
		}
	}
	return false
}
