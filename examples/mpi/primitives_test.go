package examples

import (
	"fmt"
	"strings"
)

// ofFour is what the program prints on four ranks, by rank, as the tutorials have it.
var ofFour = [4]string{
	`bcast {from rank 0 123}
scatter from-0-index-0
gather [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
allgather [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
alltoall [0 4 8 12]
reduce [24 28 32 36]
allreduce [24 28 32 36]
allreduce [0 6 12 18 24 30 36]
scan [0 1 2 3]
reduce_scatter [0]
recv hello from rank 1
sendrecv -300`,
	`bcast {from rank 0 123}
scatter from-0-index-1
allgather [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
alltoall [1 5 9 13]
allreduce [24 28 32 36]
allreduce [0 6 12 18 24 30 36]
scan [4 6 8 10]
reduce_scatter [6]
recv hello from rank 0
sendrecv 0`,
	`bcast {from rank 0 123}
scatter from-0-index-2
allgather [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
alltoall [2 6 10 14]
allreduce [24 28 32 36]
allreduce [0 6 12 18 24 30 36]
scan [12 15 18 21]
reduce_scatter [12]
irecv hello from rank 3
sendrecv -100`,
	`bcast {from rank 0 123}
scatter from-0-index-3
allgather [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
alltoall [3 7 11 15]
allreduce [24 28 32 36]
allreduce [0 6 12 18 24 30 36]
scan [24 28 32 36]
reduce_scatter [18]
irecv hello from rank 2
sendrecv -200`,
}

// primitives are the lines of a rank of that program.
func primitives(n, rank int) string {
	steps := strings.Split(ofFour[rank], "\n")
	if n != 4 {
		steps = computed(n, rank)
	}
	for i := range steps {
		steps[i] = fmt.Sprintf("rank %d %s", rank, steps[i])
	}
	return strings.Join(steps, "\n")
}

// computed is for other numbers of ranks.
func computed(n, rank int) (steps []string) {
	add := func(step string, v any) { steps = append(steps, fmt.Sprint(step, " ", v)) }
	var all, column, sum, scan, multiples []int
	for i := range n * n {
		all = append(all, i)
	}
	ranks := n * (n - 1) / 2 // the sum of their numbers
	for i := range n {
		column = append(column, rank+i*n)
		sum = append(sum, n*ranks+n*i)
		scan = append(scan, n*rank*(rank+1)/2+i*(rank+1))
	}
	for i := range n + 3 {
		multiples = append(multiples, ranks*i)
	}
	add("bcast", "{from rank 0 123}")
	add("scatter", fmt.Sprint("from-0-index-", rank))
	add("allgather", all)
	add("alltoall", column)
	if rank == 0 {
		add("gather", all)
		add("reduce", sum)
	}
	add("allreduce", sum)
	add("allreduce", multiples)
	add("scan", scan)
	add("reduce_scatter", []int{ranks * rank})
	if rank < 2 && n > 1 {
		add("recv", fmt.Sprint("hello from rank ", 1-rank))
	}
	add("sendrecv", -100*((rank-1+n)%n))
	return steps
}
