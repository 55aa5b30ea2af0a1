package fi

import (
	"encoding/json"
	"strconv"
	"strings"
)

// names are the C names of a set's bits in libfabric's order of printing; bits without a name come last, as one number.
func (v *vocabulary[T]) names(set T) []string {
	var names []string
	for _, k := range v.words {
		if k.val != 0 && set&k.val == k.val {
			names = append(names, k.name)
			set &^= k.val
		}
	}
	if set != 0 {
		names = append(names, "0x"+strconv.FormatUint(uint64(set), 16))
	}
	return names
}

// join is the set for messages: "FI_MSG, FI_RMA"; "none" when it is empty.
func (v *vocabulary[T]) join(set T) string {
	if set == 0 {
		return "none"
	}
	return strings.Join(v.names(set), ", ")
}

// list is the set as fi_info prints it: "[ FI_MSG, FI_RMA ]"; "[  ]" when it is empty.
func (v *vocabulary[T]) list(set T) string {
	return "[ " + strings.Join(v.names(set), ", ") + " ]"
}

// setText is the set as options take it: "FI_MSG|FI_RMA"; empty when it is empty.
func (v *vocabulary[T]) setText(set T) []byte {
	return []byte(strings.Join(v.names(set), "|"))
}

// setJSON is an array of names. They need no escapes.
func (v *vocabulary[T]) setJSON(set T) []byte {
	if set == 0 {
		return []byte("[]")
	}
	return []byte(`["` + strings.Join(v.names(set), `","`) + `"]`)
}

// parse reads any of the forms above: words joined by "|" or ",", blanks round them, brackets round all.
func (v *vocabulary[T]) parse(s string) (T, error) {
	s = strings.TrimSpace(s)
	if t, ok := strings.CutPrefix(s, "["); ok {
		if t, ok = strings.CutSuffix(t, "]"); ok {
			s = strings.TrimSpace(t)
		}
	}
	if strings.EqualFold(s, "none") {
		return 0, nil
	}
	var set T
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '|' || r == ',' }) {
		if strings.TrimSpace(w) == "" {
			continue
		}
		bits, err := v.find(w)
		if err != nil {
			return 0, err
		}
		set |= bits
	}
	return set, nil
}

// readSet sets dst to the set that text names, and leaves it alone on an error.
func (v *vocabulary[T]) readSet(dst *T, text []byte) error {
	set, err := v.parse(string(text))
	if err == nil {
		*dst = set
	}
	return err
}

// readSetJSON takes an array of names, or one string of the text form. Null changes nothing.
func (v *vocabulary[T]) readSetJSON(dst *T, data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		return v.readSet(dst, []byte(s))
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	var set T
	for _, n := range names {
		bits, err := v.find(n)
		if err != nil {
			return err
		}
		set |= bits
	}
	*dst = set
	return nil
}
