package fi

import "strconv"

// name is the C name of an enumeration's value, and the number in words where there is none.
func (v *vocabulary[T]) name(val T) string {
	for _, k := range v.words {
		if k.val == val {
			return k.name
		}
	}
	return "Unknown (" + decimal(val) + ")"
}

// enumText is what UnmarshalText reads back as the same value: the name, or the number where there is none.
func (v *vocabulary[T]) enumText(val T) []byte {
	for _, k := range v.words {
		if k.val == val {
			return []byte(k.name)
		}
	}
	return []byte(decimal(val))
}

func decimal[T number](val T) string {
	if val < 0 {
		return strconv.FormatInt(int64(val), 10)
	}
	return strconv.FormatUint(uint64(val), 10)
}

// readEnum sets dst to the value that text names, and leaves it alone on an error.
func (v *vocabulary[T]) readEnum(dst *T, text []byte) error {
	val, err := v.find(string(text))
	if err == nil {
		*dst = val
	}
	return err
}
