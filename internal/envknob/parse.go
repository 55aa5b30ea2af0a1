package envknob

import (
	"math"
	"strconv"
	"strings"
)

func parseInt(s string) (int, error) {
	// Base 0 brings the 0x prefix, and with it digit separators, which nobody expects in a variable.
	if strings.Contains(s, "_") {
		return 0, strconv.ErrSyntax
	}
	// A leading zero is no octal number here: 010 is ten, as everybody but C reads it.
	if t := strings.TrimLeft(s, "0"); t != s && isDigits(s) {
		return strconv.Atoi(s)
	}
	v, err := strconv.ParseInt(s, 0, strconv.IntSize)
	return int(v), err
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func parseSize(s string) (int, error) {
	shift := 0
	if n := len(s); n > 1 && !strings.HasPrefix(strings.ToLower(s), "0x") {
		switch s[n-1] {
		case 'k', 'K':
			shift = 10
		case 'm', 'M':
			shift = 20
		case 'g', 'G':
			shift = 30
		}
		if shift != 0 {
			s = strings.TrimSpace(s[:n-1])
		}
	}
	v, err := parseInt(s)
	switch {
	case err != nil:
		return 0, err
	case v < 0 || v > math.MaxInt>>shift:
		return 0, strconv.ErrRange
	}
	return v << shift, nil
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "1", "on", "true", "yes":
		return true, nil
	case "0", "off", "false", "no":
		return false, nil
	}
	return false, strconv.ErrSyntax
}
