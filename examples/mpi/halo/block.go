package main

import "math"

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

// place gives the first cell of a row (0) or column (1), counted from the halo's, and the way from cell to cell.
func (b *block) place(dim, at int) (first, stride int) {
	if dim == 0 {
		return at*b.width + 1, 1
	}
	return b.width + at, b.width
}

// line copies a row or column, without the halo's corners.
func (b *block) line(dim, at int) []float64 {
	first, stride := b.place(dim, at)
	out := make([]float64, b.size(1-dim))
	for i := range out {
		out[i] = b.cells[first+i*stride]
	}
	return out
}

func (b *block) setLine(dim, at int, in []float64) {
	first, stride := b.place(dim, at)
	for i, v := range in {
		b.cells[first+i*stride] = v
	}
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
