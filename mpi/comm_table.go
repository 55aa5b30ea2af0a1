package mpi

import (
	"context"
	"errors"

	"github.com/gofabric/gofabric/internal/coll"
)

// TableHint is the key of a hint of [Comm.DupWithInfo]: a table of algorithms for collective operations of the new communicator,
// written as the file that MPI_COLL_TABLE names, "allreduce ring". Its rules come before those of the environment, and the
// operations that it names go by messages, also where there is shared memory. All members give the same.
const TableHint = "gofabric_coll_table"

// ownTable has the algorithms that a communicator was given.
type ownTable struct {
	table coll.Table
	named [len(plans{}.recent)]bool // operations that have rules
}

// newOwnTable reads a hint; nil for none.
func newOwnTable(info *Info, others coll.Table) (*ownTable, error) {
	text, ok := info.Get(TableHint)
	if !ok {
		return nil, nil
	}
	rules, err := coll.ParseTable(text)
	if err != nil {
		return nil, err
	}
	t := &ownTable{table: append(rules[:len(rules):len(rules)], others...)}
	for _, r := range rules {
		t.named[r.Coll] = true
	}
	return t, nil
}

// DupWithInfo is Dup for a communicator with hints (MPI_Comm_dup_with_info; MPI 4.1, 7.4.2). It heeds [TableHint].
//
// Errors: as Dup; ErrArg for a table that cannot be read: the others have the communicator all the same.
func (c *Comm) DupWithInfo(ctx context.Context, info *Info) (*Comm, error) {
	const call = "DupWithInfo"
	own, wrong := newOwnTable(info, c.job.table)
	d, err := c.dup(ctx, call)
	if err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, &Error{Op: call, Class: ErrArg, Rank: NoRank, Err: errors.Join(wrong, d.Close())}
	}
	d.own = own
	d.SetInfo(info)
	return d, nil
}

// table has the algorithms of the communicator.
func (c *Comm) table() coll.Table {
	if c.own != nil {
		return c.own.table
	}
	return c.job.table
}

// byChoice tells whether an operation goes by messages because its algorithm was named.
func (c *Comm) byChoice(what coll.Coll) bool {
	return c.job.chosen[what] || c.own != nil && c.own.named[what]
}
