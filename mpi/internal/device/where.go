package device

import (
	"cmp"
	"encoding/binary"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// where is what somebody waits for, and in which line of the program.
type where struct {
	waited time.Duration
	peer   int
	tag    uint64
	call   string
	place  string
}

// own are the waits of this process, the longest first. The caller holds mu. It is not nil, so that it counts as an answer.
func (s *stalls) own(now time.Time) []where {
	ws := []where{}
	for s := range s.of {
		w := s.where
		w.waited = now.Sub(s.since)
		ws = append(ws, w)
	}
	slices.SortFunc(ws, func(a, b where) int { return cmp.Compare(b.waited, a.waited) })
	return ws
}

// caller gives the name of the outermost function of package mpi that is being called, and the line that calls it.
func caller() (call, place string) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if name, ours := ofPackage(f.Function); ours {
			call = name
		} else {
			return call, filepath.Base(filepath.Dir(f.File)) + "/" + filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return call, ""
		}
	}
}

// ofPackage gives the short name of a function of package mpi or of what stands below it. Tests of these are not theirs.
func ofPackage(function string) (name string, ours bool) {
	const mpi = "github.com/gofabric/gofabric/mpi"
	rest, ours := strings.CutPrefix(function, mpi)
	folder, rest, dot := strings.Cut(rest, ".")
	if !ours || !dot || folder != "" && !strings.HasPrefix(folder, "/internal/") || strings.HasSuffix(folder, "_test") {
		return "", false
	}
	rest = strings.TrimPrefix(rest, "(*")
	rest = strings.ReplaceAll(rest, ").", ".")
	rest, _, _ = strings.Cut(rest, "[")
	return rest, true
}

// What is sent of a where, little-endian:
//
//	0 waited, milliseconds (4)  4 peer (4)  8 tag (8)  16 lengths of call and place (1 each)  18... call, place
const (
	whereHeader = 18
	textMost    = 120
)

func encodeWhere(ws []where, most int) []byte {
	var b []byte
	le := binary.LittleEndian
	for _, w := range ws {
		call, place := w.call[:min(len(w.call), textMost)], w.place[max(0, len(w.place)-textMost):]
		if len(b)+whereHeader+len(call)+len(place) > most {
			break
		}
		b = le.AppendUint32(b, uint32(min(w.waited.Milliseconds(), 1<<31)))
		b = le.AppendUint32(b, uint32(int32(w.peer)))
		b = le.AppendUint64(b, w.tag)
		b = append(b, byte(len(call)), byte(len(place)))
		b = append(append(b, call...), place...)
	}
	return b
}

func decodeWhere(b []byte) (ws []where, ok bool) {
	le := binary.LittleEndian
	ws = []where{}
	for len(b) > 0 {
		if len(b) < whereHeader {
			return nil, false
		}
		w := where{
			waited: time.Duration(le.Uint32(b)) * time.Millisecond,
			peer:   int(int32(le.Uint32(b[4:]))),
			tag:    le.Uint64(b[8:]),
		}
		call, place := int(b[16]), int(b[17])
		if b = b[whereHeader:]; len(b) < call+place {
			return nil, false
		}
		w.call, w.place = printable(b[:call]), printable(b[call:call+place])
		ws, b = append(ws, w), b[call+place:]
	}
	return ws, true
}

// printable keeps what a terminal shows and does not obey.
func printable(b []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, string(b))
}
