package wire

import (
	"fmt"
	"strconv"
)

// Arg is one pair of a message.
type Arg struct{ Key, Value string }

// Message is a command or an answer.
type Message struct {
	Cmd  string // of "cmd=put", "put"
	Args []Arg  // without cmd, in the order of the wire
}

// New makes a message from pairs of key and value.
func New(cmd string, pairs ...string) Message {
	m := Message{Cmd: cmd, Args: make([]Arg, 0, len(pairs)/2)}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.Args = append(m.Args, Arg{pairs[i], pairs[i+1]})
	}
	return m
}

// Lookup gives the value of the first pair with that key.
func (m *Message) Lookup(key string) (value string, ok bool) {
	for i := range m.Args {
		if m.Args[i].Key == key {
			return m.Args[i].Value, true
		}
	}
	return "", false
}

// Get gives the value of the first pair with that key, or "".
func (m *Message) Get(key string) string {
	v, _ := m.Lookup(key)
	return v
}

// Int gives the value of key as a decimal number; the error names what is missing or wrong.
func (m *Message) Int(key string) (int, error) {
	v, ok := m.Lookup(key)
	if !ok {
		return 0, fmt.Errorf("%s has no %s", m.Cmd, key)
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("%s has %s=%q: want a number", m.Cmd, key, v)
	}
	return n, nil
}
