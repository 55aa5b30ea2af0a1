package wrap

// Buckets is how many classes of sizes there are.
const Buckets = 9

var bucketEnds = [Buckets - 1]int{64, 512, 1 << 10, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}

var bucketNames = [Buckets]string{"0-64", "64-512", "512-1K", "1K-4K", "4K-64K", "64K-256K", "256K-1M", "1M-4M", "4M-"}

// Bucket is the class of a size in bytes: the first one whose end is not less.
func Bucket(n int) int {
	for i, end := range bucketEnds {
		if n <= end {
			return i
		}
	}
	return Buckets - 1
}

// BucketName is a class in words, "64-512" for what is more than 64 and at most 512 bytes.
func BucketName(i int) string { return bucketNames[i] }
