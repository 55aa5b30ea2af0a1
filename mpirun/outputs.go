package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// outputs are where the text of each rank goes.
type outputs struct {
	pens  map[[2]int]io.Writer
	files []*os.File
}

// newOutputs sends all text to stdout and stderr, or into two files a rank below dir.
func newOutputs(c *config, size int, stdout, stderr io.Writer) (*outputs, error) {
	o := &outputs{pens: map[[2]int]io.Writer{}}
	if c.outputDir == "" {
		for stream, w := range []io.Writer{stdout, stderr} {
			p := newPaper(w, c.prefix)
			for rank := range size {
				o.pens[[2]int{rank, stream + 1}] = p.pen(rank)
			}
		}
		return o, nil
	}
	if err := os.MkdirAll(c.outputDir, 0o777); err != nil {
		return nil, err
	}
	width := len(fmt.Sprint(size - 1))
	for rank := range size {
		for stream, ending := range []string{"out", "err"} {
			f, err := os.Create(filepath.Join(c.outputDir, fmt.Sprintf("rank%0*d.%s", width, rank, ending)))
			if err != nil {
				o.close()
				return nil, err
			}
			o.files = append(o.files, f)
			o.pens[[2]int{rank, stream + 1}] = f
		}
	}
	return o, nil
}

func (o *outputs) write(rank, stream int, text []byte) {
	o.pens[[2]int{rank, stream}].Write(text) //nolint:errcheck // a terminal that is gone is no reason to end
}

// close writes what waits for its line end.
func (o *outputs) close() error {
	var errs []error
	for _, w := range o.pens {
		if p, ok := w.(*pen); ok {
			p.flush()
		}
	}
	for _, f := range o.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
