package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 200_000)
	var b []byte
	b = appendFrame(b, kindOutput, outputHead(70_000, 2), long)
	b = appendFrame(b, kindLeft)
	r := bytes.NewReader(b)
	k, body, err := readFrame(r)
	if err != nil || k != kindOutput {
		t.Fatal(k, err)
	}
	rank, stream, text, err := splitOutput(body)
	if rank != 70_000 || stream != 2 || !bytes.Equal(text, long) || err != nil {
		t.Errorf("rank %d, stream %d, %d bytes, %v", rank, stream, len(text), err)
	}
	if k, body, err = readFrame(r); k != kindLeft || len(body) != 0 || err != nil {
		t.Errorf("%c of %d bytes, %v", k, len(body), err)
	}
	if _, _, err = readFrame(r); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if _, _, err := readFrame(strings.NewReader("o\xff\xff\xff\xff")); err == nil {
		t.Error("a frame of 4 GiB is taken")
	}
	if _, _, err := readFrame(bytes.NewReader(b[:1000])); err != io.ErrUnexpectedEOF {
		t.Errorf("a cut frame: %v", err)
	}
	for _, bad := range []string{"", "1234", "1234\x03"} {
		if _, _, _, err := splitOutput([]byte(bad)); err == nil {
			t.Errorf("output %q is taken", bad)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(appendFrame(appendFrame(nil, kindLeft), kindOutput, outputHead(1, 2), []byte("text")))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			k, body, err := readFrame(r)
			if err != nil {
				return
			}
			if k == kindOutput {
				if rank, stream, text, err := splitOutput(body); err == nil && (rank < 0 || stream < 1 || len(text) > len(data)) {
					t.Errorf("rank %d, stream %d", rank, stream)
				}
			}
		}
	})
}
