package fi

var protocolWords = vocabulary[Protocol]{
	kind: "protocol", prefix: "FI_PROTO_",
	words: []word[Protocol]{
		{ProtoUnspec, "FI_PROTO_UNSPEC"},
		{ProtoRDMACMIBRC, "FI_PROTO_RDMA_CM_IB_RC"},
		{ProtoIWARP, "FI_PROTO_IWARP"},
		{ProtoIBUD, "FI_PROTO_IB_UD"},
		{ProtoPSMX, "FI_PROTO_PSMX"},
		{ProtoUDP, "FI_PROTO_UDP"},
		{ProtoSockTCP, "FI_PROTO_SOCK_TCP"},
		{ProtoMXM, "FI_PROTO_MXM"},
		{ProtoIWARPRDM, "FI_PROTO_IWARP_RDM"},
		{ProtoIBRDM, "FI_PROTO_IB_RDM"},
		{ProtoGNI, "FI_PROTO_GNI"},
		{ProtoRXM, "FI_PROTO_RXM"},
		{ProtoRXD, "FI_PROTO_RXD"},
		{ProtoMLX, "FI_PROTO_MLX"},
		{ProtoNetworkDir, "FI_PROTO_NETWORKDIRECT"},
		{ProtoPSMX2, "FI_PROTO_PSMX2"},
		{ProtoSHM, "FI_PROTO_SHM"},
		{ProtoMRail, "FI_PROTO_MRAIL"},
		{ProtoRSTREAM, "FI_PROTO_RSTREAM"},
		{ProtoRDMACMIBXRC, "FI_PROTO_RDMA_CM_IB_XRC"},
		{ProtoEFA, "FI_PROTO_EFA"},
		{ProtoPSMX3, "FI_PROTO_PSMX3"},
		{ProtoRXMTCP, "FI_PROTO_RXM_TCP"},
		{ProtoOPX, "FI_PROTO_OPX"},
		{ProtoCXI, "FI_PROTO_CXI"},
		{ProtoXNET, "FI_PROTO_XNET"},
		{ProtoCOLL, "FI_PROTO_COLL"},
		{ProtoUCX, "FI_PROTO_UCX"},
		{ProtoSM2, "FI_PROTO_SM2"},
		{ProtoCXIRNR, "FI_PROTO_CXI_RNR"},
		{ProtoLPP, "FI_PROTO_LPP"},
		{ProtoLNX, "FI_PROTO_LNX"},
		{ProtoPrivate, "FI_PROTO_PRIVATE"},
		{ProtoGoMem, "FI_PROTO_GO_MEM"},
		{ProtoGoSHM, "FI_PROTO_GO_SHM"},
		{ProtoGoLNX, "FI_PROTO_GO_LNX"},
	},
}

// String is the C name.
func (p Protocol) String() string { return protocolWords.name(p) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (p Protocol) MarshalText() ([]byte, error) { return protocolWords.enumText(p), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_PROTO_), or a number.
func (p *Protocol) UnmarshalText(text []byte) error { return protocolWords.readEnum(p, text) }

var addrFormatWords = vocabulary[AddrFormat]{
	kind: "address format", prefix: "FI_ADDR_",
	words: []word[AddrFormat]{
		{AddrFormatUnspec, "FI_FORMAT_UNSPEC"},
		{AddrFormatSockaddr, "FI_SOCKADDR"},
		{AddrFormatSockaddrIn, "FI_SOCKADDR_IN"},
		{AddrFormatSockaddr6, "FI_SOCKADDR_IN6"},
		{AddrFormatSockaddrIB, "FI_SOCKADDR_IB"},
		{AddrFormatPSMX, "FI_ADDR_PSMX"},
		{AddrFormatGNI, "FI_ADDR_GNI"},
		{AddrFormatBGQ, "FI_ADDR_BGQ"},
		{AddrFormatMLX, "FI_ADDR_MLX"},
		{AddrFormatStr, "FI_ADDR_STR"},
		{AddrFormatPSMX2, "FI_ADDR_PSMX2"},
		{AddrFormatIBUD, "FI_ADDR_IB_UD"},
		{AddrFormatEFA, "FI_ADDR_EFA"},
		{AddrFormatPSMX3, "FI_ADDR_PSMX3"},
		{AddrFormatOPX, "FI_ADDR_OPX"},
		{AddrFormatCXI, "FI_ADDR_CXI"},
		{AddrFormatUCX, "FI_ADDR_UCX"},
		{AddrFormatSockaddrIP, "FI_SOCKADDR_IP"},
	},
}

// String is the C name.
func (f AddrFormat) String() string { return addrFormatWords.name(f) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (f AddrFormat) MarshalText() ([]byte, error) { return addrFormatWords.enumText(f), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_ADDR_), or a number.
func (f *AddrFormat) UnmarshalText(text []byte) error { return addrFormatWords.readEnum(f, text) }

// ParseAddrFormat reads an address format as fi_info's option takes it: "FI_SOCKADDR_IN", "addr_str". The error is a
// [*WordError].
func ParseAddrFormat(s string) (AddrFormat, error) { return addrFormatWords.find(s) }
