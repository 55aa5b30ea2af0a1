package trace

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/hook/wrap"
)

// call is a call as text.
func call(c *wrap.Call) string {
	var b strings.Builder
	name, _, _ := strings.Cut(c.API.String(), "(") // fi_close says what it closes, and so does Object
	fmt.Fprintf(&b, "%s(%s", name, c.Object)
	if c.Parent != "" {
		b.WriteString(" in " + c.Parent)
	}
	for _, a := range c.Args {
		text := value(a.Value)
		if text == "" || text == "0" && a.Name == "flags" {
			continue
		}
		fmt.Fprintf(&b, ", %s %s", a.Name, text)
	}
	fmt.Fprintf(&b, ") = %s", result(c.Err))
	if c.Err == nil && c.Result != "" {
		b.WriteString(", " + c.Result)
	}
	fmt.Fprintf(&b, ", took %v", c.Took)
	return b.String()
}

// operation is the call of an operation as text.
func operation(o *wrap.Op, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v(%s, %s", o.API, o.EP, count(o))
	if o.API.Receives() {
		if o.Addr != fi.AddrUnspec {
			fmt.Fprintf(&b, ", from %d", o.Addr)
		}
	} else if o.Addr != fi.AddrUnspec {
		fmt.Fprintf(&b, ", peer %d", o.Addr)
	}
	if tagged(o.API) {
		fmt.Fprintf(&b, ", tag %#x", o.Tag)
		if o.Ignore != 0 {
			fmt.Fprintf(&b, ", ignore %#x", o.Ignore)
		}
	}
	switch {
	case len(o.RMAIov) > 0:
		for _, v := range o.RMAIov {
			fmt.Fprintf(&b, ", remote %#x+%d key %#x", v.Addr, v.Len, v.Key)
		}
	case o.API >= wrap.Write:
		fmt.Fprintf(&b, ", remote %#x key %#x", o.Remote.Addr, o.Remote.Key)
	}
	if o.Kernel != nil {
		fmt.Fprintf(&b, ", %v %v", o.Kernel.Datatype(), o.Kernel.Op())
	}
	if o.Flags&fi.OpRemoteCQData != 0 {
		fmt.Fprintf(&b, ", data %#x", o.Data)
	}
	if o.Context != nil {
		b.WriteString(", context " + context(o.Context))
	}
	if o.Flags != 0 {
		fmt.Fprintf(&b, ", %v", o.Flags)
	}
	fmt.Fprintf(&b, ") = %s, operation %d", result(err), o.N)
	return b.String()
}

// count tells how many bytes there are, and in how many buffers.
func count(o *wrap.Op) string {
	if len(o.Iov) > 1 {
		return fmt.Sprintf("%d bytes in %d buffers", o.Size, len(o.Iov))
	}
	return fmt.Sprintf("%d bytes", o.Size)
}

func tagged(a wrap.API) bool { return a >= wrap.TSend && a <= wrap.TRecvMsg }

// entry is a completion as text, with the application's context.
func entry(e *cq.ErrEntry, isErr bool, ctx any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v, %d bytes", e.Flags, e.Len)
	if e.Flags&fi.CompTagged != 0 {
		fmt.Fprintf(&b, ", tag %#x", e.Tag)
	}
	if e.Flags&fi.CompRemoteCQData != 0 {
		fmt.Fprintf(&b, ", data %#x", e.Data)
	}
	if e.Flags&fi.CompRecv != 0 && e.Src != fi.AddrNotAvail {
		fmt.Fprintf(&b, ", from %d", e.Src)
	}
	if ctx != nil {
		b.WriteString(", context " + context(ctx))
	}
	if isErr {
		b.WriteString(", in error: " + e.Err.Error())
		if e.Text != "" {
			b.WriteString(" (" + e.Text + ")")
		}
	}
	return b.String()
}

// value is an argument as text.
func value(v any) string {
	if s, ok := v.(fmt.Stringer); ok {
		if k := reflect.TypeOf(v).Kind(); k != reflect.Pointer && k != reflect.Interface {
			return s.String()
		}
	}
	return context(v)
}

// context is an operation's context as text. What it points to is the application's, which may be writing there, and so
// are its methods: neither is looked at.
func context(v any) string {
	if v == nil {
		return "nil"
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Func, reflect.Chan, reflect.Map, reflect.Slice:
		return fmt.Sprintf("%#x", r.Pointer())
	case reflect.String:
		return r.String()
	case reflect.Bool:
		return fmt.Sprint(r.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(r.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(r.Uint())
	default:
		return r.Type().String()
	}
}
