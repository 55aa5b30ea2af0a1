package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/report"
)

// The order of the demo: of every provider and measure a few messages of each size come first, the most telling sizes in
// front, so that on a busy machine there is a figure of everything; then as many as make good figures, while there is time.

// measure is a scenario with options.
type measure struct {
	title    string
	scenario string
	args     []string
	value    func(perf.Row) float64
}

// curve is a measure of one provider.
type curve struct {
	*measure
	provider    string
	quick, good perf.Best // of few messages, and of many
}

// telling are all sizes of the demo, those first that say most.
var telling = []int{8, 4096, 262144, 64, 1048576, 512, 32768, 4194304}

// quickCounts are how many messages of a size are sent first, and when that was too much. Where two sides that poll have
// to wait for their turns on a busy machine, one message takes milliseconds.
var quickCounts = []int{10, 3}

// shortest is the time in which it is worth while to start something.
const shortest = 300 * time.Millisecond

// classes are sizes and how many of them are sent for good figures, so that all take about the same time.
var classes = []struct {
	sizes []int
	count int
}{
	{[]int{8, 64, 512, 4096}, 2000},
	{[]int{32768, 262144}, 200},
	{[]int{1048576, 4194304}, 40},
}

// measureAll fills the curves, of which each row is one measure.
func (d *demo) measureAll(curves [][]curve) error {
	for _, count := range quickCounts {
		left := 0
		for _, row := range curves {
			for i := range row {
				if len(row[i].missing()) > 0 {
					left++
				}
			}
		}
		for _, row := range curves {
			for i := range row {
				c := &row[i]
				sizes := c.missing()
				if len(sizes) == 0 {
					continue
				}
				if err := d.start(c, sizes, count, d.left()/time.Duration(left), &c.quick); err != nil {
					return err
				}
				left--
			}
		}
	}
	return d.improve(curves)
}

// improve replaces figures of few messages by good ones, the small sizes of everything first.
func (d *demo) improve(curves [][]curve) error {
	if d.left() < d.limit()/4 {
		return nil // it is too busy here
	}
	steps, step := 0, 0
	for _, row := range curves {
		steps += len(row) * len(classes)
	}
	for _, class := range classes {
		for _, row := range curves {
			for i := range row {
				c := &row[i]
				share := 2 * d.left() / time.Duration(steps-step+1)
				step++
				for n := range d.starts {
					if n > 0 && d.left() < d.limit()/3 {
						break
					}
					if err := d.start(c, class.sizes, class.count, share, &c.good); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// limit is how long the demo may take, and left what is left of it.
func (d *demo) limit() time.Duration { return time.Duration(d.seconds) * time.Second }

func (d *demo) left() time.Duration { return d.limit() - time.Since(d.began) }

// missing are the sizes of which there is no figure.
func (c *curve) missing() []int {
	return slices.DeleteFunc(slices.Clone(telling), func(size int) bool {
		_, rough := rowOf(&c.quick, size)
		_, good := rowOf(&c.good, size)
		return rough || good
	})
}

// rowOf gives the row of a size.
func rowOf(b *perf.Best, size int) (perf.Row, bool) {
	for _, r := range b.Rows() {
		if r.Size == size {
			return r, true
		}
	}
	return perf.Row{}, false
}

// series is a curve as the report wants it.
func (d *demo) series(name string, colour int, c *curve) report.Series {
	s := report.Series{Name: name, Colour: colour}
	for _, size := range slices.Sorted(slices.Values(telling)) {
		row, good := rowOf(&c.good, size)
		if !good {
			var rough bool
			if row, rough = rowOf(&c.quick, size); !rough {
				d.late = true
				continue
			}
			d.rough = true
			s.Rough = append(s.Rough, size)
		}
		s.Points = append(s.Points, report.Point{Size: size, Value: c.value(row)})
	}
	return s
}

// start runs both sides once, for no longer than their share. What has been measured until then counts.
func (d *demo) start(c *curve, sizes []int, count int, share time.Duration, best *perf.Best) error {
	if share = min(share, d.left()); share < shortest {
		return nil
	}
	list := make([]string, len(sizes))
	for i, n := range sizes {
		list[i] = strconv.Itoa(n)
	}
	args := append([]string{"--local", "-p", c.provider, "-S", "l:" + strings.Join(list, ","), "-I", strconv.Itoa(count)}, c.args...)
	if best == &c.quick {
		args = append(args, "-w", "1")
	}
	job, err := d.p.job(c.scenario, args)
	if err != nil {
		return err
	}
	if line := fail.CommandLine(job.Command); !slices.Contains(d.commands, line) {
		d.commands = append(d.commands, line)
	}
	if pinned := job.Pinned(); pinned != "" {
		d.pinned = pinned
	}
	d.progress(fmt.Sprintf("%s, %s, %s bytes", c.provider, c.title, strings.Join(list, ",")))
	var said held
	job.Err = &said
	ctx, cancel := context.WithTimeoutCause(d.p.ctx, share, errDemoTime)
	defer cancel()
	err = local.Run(ctx, job, best.Add)
	if err != nil && ctx.Err() != nil && d.p.ctx.Err() == nil {
		return nil // it was stopped: neither that nor what it said is a failure
	}
	d.p.err.Write(said.text.Bytes()) //nolint:errcheck // nobody to tell
	return err
}

// errDemoTime ends a run that has taken long enough.
var errDemoTime = errors.New("the run has taken long enough")

// held keeps what several processes print until it is known whether it matters.
type held struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu while they run
}

func (h *held) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}
