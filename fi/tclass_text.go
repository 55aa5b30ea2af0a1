package fi

import (
	"strconv"
	"strings"
)

var tclassWords = vocabulary[TClass]{
	kind: "traffic class", prefix: "FI_TC_",
	words: []word[TClass]{
		{TClassUnspec, "FI_TC_UNSPEC"},
		{TClassDSCP, "FI_TC_DSCP"},
		{TClassBestEffort, "FI_TC_BEST_EFFORT"},
		{TClassLowLatency, "FI_TC_LOW_LATENCY"},
		{TClassDedicatedAccess, "FI_TC_DEDICATED_ACCESS"},
		{TClassBulkData, "FI_TC_BULK_DATA"},
		{TClassScavenger, "FI_TC_SCAVENGER"},
		{TClassNetworkCtrl, "FI_TC_NETWORK_CTRL"},
	},
	aliases: []word[TClass]{{TClassLabel, "FI_TC_LABEL"}},
}

// dscpPrefix starts the text of a class that is a DSCP value.
const dscpPrefix = "FI_TC_DSCP+"

// DSCPClass is the traffic class of a DSCP value (fi_tc_dscp_set).
func DSCPClass(dscp uint8) TClass { return TClassDSCP | TClass(dscp) }

// DSCP is the DSCP value of a class made by [DSCPClass]; 0 for other classes (fi_tc_dscp_get).
func (t TClass) DSCP() uint8 {
	if t&TClassDSCP == 0 {
		return 0
	}
	return uint8(t)
}

// String is the C name; "FI_TC_DSCP+46" for a DSCP value.
func (t TClass) String() string {
	if t > TClassDSCP && t < TClassLabel {
		return dscpPrefix + strconv.Itoa(int(t.DSCP()))
	}
	return tclassWords.name(t)
}

// MarshalText gives the text of String; a number where there is none. It never fails.
func (t TClass) MarshalText() ([]byte, error) {
	if t > TClassDSCP && t < TClassLabel {
		return []byte(t.String()), nil
	}
	return tclassWords.enumText(t), nil
}

// UnmarshalText takes the C name in any case, also without its prefix (FI_TC_), "FI_TC_DSCP+" and a value up to 255, or
// a number.
func (t *TClass) UnmarshalText(text []byte) error {
	s := strings.ToUpper(strings.TrimSpace(string(text)))
	if v, ok := strings.CutPrefix(s, dscpPrefix); ok {
		n, err := strconv.ParseUint(v, 10, 8)
		if err != nil {
			return &WordError{Kind: "DSCP value", Word: v}
		}
		*t = DSCPClass(uint8(n))
		return nil
	}
	return tclassWords.readEnum(t, text)
}
