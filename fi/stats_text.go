package fi

import (
	"reflect"
	"strconv"
	"strings"
)

// Texts of numbers: on one line, the fields that are not zero by their names, and the kinds that have happened.

// String is one line: the numbers that are not zero.
func (s OpStats) String() string { return numbers(s) }

// String is one line: the kinds that have happened, and their numbers that are not zero.
func (t OpTable) String() string { return numbers(t) }

// String is one line: the numbers that are not zero.
func (s RxStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s ConnStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero, operations by their kinds.
func (s EndpointStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s QueueStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s CounterStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s AVStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s MRStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s SharedTxStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s GroupStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s PassiveStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s EngineStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero, operations by their kinds.
func (s DomainStats) String() string { return numbers(s) }

// String is one line: the numbers that are not zero.
func (s FabricStats) String() string { return numbers(s) }

func numbers(s any) string {
	var b strings.Builder
	writeNumbers(&b, reflect.ValueOf(s))
	return b.String()
}

func writeNumbers(b *strings.Builder, v reflect.Value) {
	if v.Kind() == reflect.Uint64 {
		b.WriteString(strconv.FormatUint(v.Uint(), 10))
		return
	}
	sep := "{"
	part := func(name string, v reflect.Value) {
		if !v.IsZero() {
			b.WriteString(sep + name + ":")
			writeNumbers(b, v)
			sep = " "
		}
	}
	if v.Kind() == reflect.Array {
		for i := range v.Len() {
			part(OpKind(i).String(), v.Index(i))
		}
	} else {
		for field, v := range v.Fields() {
			part(field.Name, v)
		}
	}
	if sep == "{" {
		b.WriteString(sep)
	}
	b.WriteString("}")
}
