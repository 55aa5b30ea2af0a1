package main

import (
	"math"

	"github.com/gofabric/gofabric/mpi"
)

// span is a range of rows or columns of the plate.
type span struct{ from, to int }

// block is a part of the plate with a halo round it.
type block struct {
	rows, cols span
	width      int // of a row of cells, halo included
	cells      []float64
	next       []float64
}

// newBlock makes a part of a plate that is cold but for a square.
func newBlock(rows, cols span) *block {
	b := &block{rows: rows, cols: cols, width: cols.to - cols.from + 2}
	b.cells = make([]float64, (rows.to-rows.from+2)*b.width)
	b.next = make([]float64, len(b.cells))
	for r := rows.from; r < rows.to; r++ {
		for c := cols.from; c < cols.to; c++ {
			if side/4 <= r && r < side/2 && side/4 <= c && c < side/2 {
				b.cells[b.index(r, c)] = 100
			}
		}
	}
	return b
}

// index is the place of a cell of the plate.
func (b *block) index(row, col int) int { return (row-b.rows.from+1)*b.width + col - b.cols.from + 1 }

// size is the number of rows (0) or columns (1).
func (b *block) size(dim int) int {
	if dim == 0 {
		return b.rows.to - b.rows.from
	}
	return b.cols.to - b.cols.from
}

// line is a row (0) or column (1), counted from the halo's, without the corners: the memory where it begins, and where its
// cells are in that.
func (b *block) line(dim, at int) ([]float64, mpi.View) {
	n := b.size(1 - dim)
	if dim == 0 {
		return b.cells[at*b.width+1:], mpi.Vector(1, n, n)
	}
	return b.cells[b.width+at:], mpi.Vector(n, 1, b.width)
}

// step lets each cell exchange heat with its four neighbours.
func (b *block) step() {
	for r := b.rows.from; r < b.rows.to; r++ {
		for c := b.cols.from; c < b.cols.to; c++ {
			i := b.index(r, c)
			around := b.cells[i-b.width] + b.cells[i+b.width] + b.cells[i-1] + b.cells[i+1]
			b.next[i] = b.cells[i] + 0.2*(around-4*b.cells[i])
		}
	}
	for r := b.rows.from; r < b.rows.to; r++ { // the halo is left as it is
		from, to := b.index(r, b.cols.from), b.index(r, b.cols.to)
		copy(b.cells[from:to], b.next[from:to])
	}
}

// distance is the largest difference from the same cells of another block.
func (b *block) distance(whole *block) (most float64) {
	for r := b.rows.from; r < b.rows.to; r++ {
		for c := b.cols.from; c < b.cols.to; c++ {
			most = max(most, math.Abs(b.cells[b.index(r, c)]-whole.cells[whole.index(r, c)]))
		}
	}
	return most
}
