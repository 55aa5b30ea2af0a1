package pmi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Limits that every launcher keeps. Some say more and then cut a longer value, or die of it.
const (
	maxKey   = 48  // of the user's part: "+" and the number of a piece follow
	maxValue = 512 // of a piece, encoded
)

// text is the encoding of values: no blank, "=", ";" or backslash, which end or escape on one wire or another.
var text = base64.RawURLEncoding

// checkKey refuses keys that some launcher would change.
func checkKey(op, key string) error {
	ok := len(key) >= 1 && len(key) <= maxKey
	for i := range len(key) {
		c := key[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-", c) >= 0)
	}
	if !ok {
		return fail(op, fi.ErrInvalid, fmt.Sprintf("key %q: want 1 to %d letters, digits, dots, dashes, underscores", key, maxKey))
	}
	return nil
}

// encode makes the pieces of a value. The first has the length of the whole text in front, "1234.", the others are under
// the key with "+1", "+2" and so on.
func encode(key string, value []byte) []pair {
	s := text.EncodeToString(value)
	s = strconv.Itoa(len(s)) + "." + s
	var out []pair
	for i := 0; i == 0 || s != ""; i++ {
		n := min(len(s), maxValue)
		out = append(out, pair{pieceKey(key, i), s[:n]})
		s = s[n:]
	}
	return out
}

func pieceKey(key string, i int) string {
	if i == 0 {
		return key
	}
	return key + "+" + strconv.Itoa(i)
}

// gather reads the values of all keys with two calls of get at most: for the first pieces, and for all others.
func gather(keys []string, get func(keys []string) ([]string, error)) ([][]byte, error) {
	first, err := get(keys)
	if err != nil {
		return nil, err
	}
	values := make([][]byte, len(keys))
	total := make([]int, len(keys))
	var more []string
	for i, s := range first {
		var pieces int
		if total[i], pieces, err = header(keys[i], s); err != nil {
			return nil, err
		}
		for p := 1; p < pieces; p++ {
			more = append(more, pieceKey(keys[i], p))
		}
	}
	var rest []string
	if len(more) > 0 {
		if rest, err = get(more); err != nil {
			return nil, err
		}
	}
	for i, s := range first {
		_, piece, _ := strings.Cut(s, ".")
		var body strings.Builder
		body.WriteString(piece)
		for body.Len() < total[i] {
			if len(rest) == 0 || rest[0] == "" {
				return nil, garbled(keys[i], errors.New("a piece is short"))
			}
			body.WriteString(rest[0])
			rest = rest[1:]
		}
		if body.Len() != total[i] {
			return nil, garbled(keys[i], fmt.Errorf("%d bytes, %d announced", body.Len(), total[i]))
		}
		if values[i], err = text.DecodeString(body.String()); err != nil {
			return nil, garbled(keys[i], err)
		}
	}
	return values, nil
}

// maxText bounds what a header may announce: nothing from another process is trusted with our memory.
const maxText = 1 << 28

// header reads the length in front of a first piece, and says how many pieces there are.
func header(key, s string) (total, pieces int, err error) {
	head, _, ok := strings.Cut(s, ".")
	total, err = strconv.Atoi(head)
	if !ok || err != nil || total < 0 || total > maxText {
		return 0, 0, garbled(key, fmt.Errorf("no length before the value"))
	}
	return total, (len(head) + 1 + total + maxValue - 1) / maxValue, nil
}

func garbled(key string, err error) error {
	return fail("get", errors.Join(fi.ErrProto, err), fmt.Sprintf("the value of %q was not put by this package, or the launcher cut it", key))
}
