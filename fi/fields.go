package fi

import (
	"reflect"
	"strconv"
	"strings"
)

// field is one line of a dump: the C name, and a value that fieldText knows. The lists of fields below hold the order of
// libfabric 2.6 and serve the dumps and the one-line forms; nothing fast uses them.
type field struct {
	name string
	val  any
}

type (
	hexVal     uint64 // "0x2a"
	tagFormat  uint64 // "0x" and 16 digits
	contextCnt int    // a count, or FI_SHARED_CONTEXT
	keySize    int    // a count of bytes, or -1: FI_AV_AUTH_KEY
	pointer    struct{}
)

func (a *TxAttr) fields() []field {
	return []field{
		{"caps", a.Caps}, {"mode", a.Mode}, {"op_flags", a.OpFlags}, {"msg_order", a.MsgOrder},
		{"inject_size", a.InjectSize}, {"size", a.Size}, {"iov_limit", a.IovLimit},
		{"rma_iov_limit", a.RMAIovLimit}, {"tclass", hexVal(a.TClass)},
	}
}

func (a *RxAttr) fields() []field {
	return []field{
		{"caps", a.Caps}, {"mode", a.Mode}, {"op_flags", a.OpFlags}, {"msg_order", a.MsgOrder},
		{"size", a.Size}, {"iov_limit", a.IovLimit},
	}
}

func (a *EPAttr) fields() []field {
	return []field{
		{"type", a.Type}, {"protocol", a.Protocol}, {"protocol_version", a.ProtocolVersion},
		{"max_msg_size", a.MaxMsgSize}, {"msg_prefix_size", a.MsgPrefixSize},
		{"max_order_raw_size", a.MaxOrderRAWSize}, {"max_order_war_size", a.MaxOrderWARSize},
		{"max_order_waw_size", a.MaxOrderWAWSize}, {"mem_tag_format", tagFormat(a.MemTagFormat)},
		{"tx_ctx_cnt", contextCnt(a.TxCtxCount)}, {"rx_ctx_cnt", contextCnt(a.RxCtxCount)},
		{"auth_key_size", len(a.AuthKey)},
	}
}

func (a *DomainAttr) fields() []field {
	return []field{
		{"domain", pointer{}}, {"name", a.Name}, {"threading", a.Threading}, {"progress", a.Progress},
		{"resource_mgmt", a.ResourceMgmt}, {"av_type", a.AVType}, {"mr_mode", a.MRMode},
		{"mr_key_size", a.MRKeySize}, {"cq_data_size", a.CQDataSize}, {"cq_cnt", a.CQCount},
		{"ep_cnt", a.EPCount}, {"tx_ctx_cnt", a.TxCtxCount}, {"rx_ctx_cnt", a.RxCtxCount},
		{"max_ep_tx_ctx", a.MaxEPTxCtx}, {"max_ep_rx_ctx", a.MaxEPRxCtx}, {"max_ep_stx_ctx", a.MaxEPStxCtx},
		{"max_ep_srx_ctx", a.MaxEPSrxCtx}, {"cntr_cnt", a.CounterCount}, {"mr_iov_limit", a.MRIovLimit},
		{"caps", a.Caps}, {"mode", a.Mode}, {"auth_key_size", a.keySize()}, {"max_err_data", a.MaxErrData},
		{"mr_cnt", a.MRCount}, {"tclass", hexVal(a.TClass)}, {"max_ep_auth_key", a.MaxEPAuthKey},
		{"max_group_id", a.MaxGroupID}, {"max_cntr_value", a.MaxCounterValue},
		{"max_err_cntr_value", a.MaxErrCounterValue},
	}
}

func (a *DomainAttr) keySize() keySize {
	if a.AVAuthKey {
		return -1
	}
	return keySize(len(a.AuthKey))
}

func (a *FabricAttr) fields() []field {
	return []field{
		{"name", a.Name}, {"prov_name", a.ProvName}, {"prov_version", a.ProvVersion},
		{"api_version", a.APIVersion},
	}
}

func (a *CQAttr) fields() []field {
	return []field{{"size", a.Size}, {"format", a.Format}, {"wait_obj", a.WaitObj}, {"wait_cond", a.WaitCond}}
}

func (a *CounterAttr) fields() []field {
	return []field{{"events", a.Events}, {"wait_obj", a.WaitObj}}
}

func (a *AVAttr) fields() []field {
	return []field{
		{"type", a.Type}, {"rx_ctx_bits", a.RxCtxBits}, {"count", a.Count}, {"ep_per_node", a.EPPerNode},
		{"name", a.Name}, {"flags", a.Flags},
	}
}

func (a *MRAttr) fields() []field {
	bytes := 0
	for _, b := range a.Iov {
		bytes += len(b)
	}
	return []field{
		{"iov_count", len(a.Iov)}, {"len", bytes}, {"access", a.Access}, {"offset", hexVal(a.Offset)},
		{"requested_key", hexVal(a.Key)}, {"auth_key_size", len(a.AuthKey)}, {"flags", a.Flags}, {"iface", a.Iface},
	}
}

// fieldText is a value as libfabric prints it: sizes without sign, sets as lists, missing strings as (null).
func fieldText(val any) string {
	switch v := val.(type) {
	case interface{ List() string }:
		return v.List()
	case interface{ String() string }:
		return v.String()
	case string:
		return orNull(v)
	case int:
		return strconv.FormatUint(uint64(v), 10)
	case uint32:
		return strconv.FormatUint(uint64(v), 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case hexVal:
		return "0x" + strconv.FormatUint(uint64(v), 16)
	case tagFormat:
		digits := strconv.FormatUint(uint64(v), 16)
		return "0x" + strings.Repeat("0", 16-len(digits)) + digits
	case contextCnt:
		if v == SharedContext {
			return "FI_SHARED_CONTEXT"
		}
		return strconv.FormatUint(uint64(v), 10)
	case keySize:
		if v < 0 {
			return "FI_AV_AUTH_KEY"
		}
		return strconv.Itoa(int(v))
	default: // pointer: libfabric prints the address of an open object, of which an Info has none
		return "(nil)"
	}
}

func orNull(s string) string {
	if s == "" {
		return "(null)"
	}
	return s
}

// oneLine lists the fields that are not zero: "prefix.name=value", sets in the form that options take.
func oneLine(prefix string, fields []field) []string {
	var parts []string
	for _, f := range fields {
		if reflect.ValueOf(f.val).IsZero() {
			continue
		}
		text := ""
		if set, ok := f.val.(interface {
			List() string
			MarshalText() ([]byte, error)
		}); ok {
			b, _ := set.MarshalText() // never fails
			text = string(b)
		} else {
			text = fieldText(f.val)
		}
		parts = append(parts, prefix+f.name+"="+text)
	}
	return parts
}
