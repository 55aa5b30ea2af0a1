package fi

var epTypeWords = vocabulary[EPType]{
	kind: "endpoint type", prefix: "FI_EP_",
	words: []word[EPType]{
		{EPUnspec, "FI_EP_UNSPEC"},
		{EPMsg, "FI_EP_MSG"},
		{EPDgram, "FI_EP_DGRAM"},
		{EPRDM, "FI_EP_RDM"},
	},
}

// String is the C name.
func (t EPType) String() string { return epTypeWords.name(t) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (t EPType) MarshalText() ([]byte, error) { return epTypeWords.enumText(t), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_EP_), or a number.
func (t *EPType) UnmarshalText(text []byte) error { return epTypeWords.readEnum(t, text) }

var threadingWords = vocabulary[Threading]{
	kind: "threading model", prefix: "FI_THREAD_",
	words: []word[Threading]{
		{ThreadUnspec, "FI_THREAD_UNSPEC"},
		{ThreadSafe, "FI_THREAD_SAFE"},
		{ThreadFID, "FI_THREAD_FID"},
		{ThreadDomain, "FI_THREAD_DOMAIN"},
		{ThreadCompletion, "FI_THREAD_COMPLETION"},
		{ThreadEndpoint, "FI_THREAD_ENDPOINT"},
	},
}

// String is the C name.
func (t Threading) String() string { return threadingWords.name(t) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (t Threading) MarshalText() ([]byte, error) { return threadingWords.enumText(t), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_THREAD_), or a number.
func (t *Threading) UnmarshalText(text []byte) error { return threadingWords.readEnum(t, text) }

var progressWords = vocabulary[Progress]{
	kind: "progress model", prefix: "FI_PROGRESS_",
	words: []word[Progress]{
		{ProgressUnspec, "FI_PROGRESS_UNSPEC"},
		{ProgressAuto, "FI_PROGRESS_AUTO"},
		{ProgressManual, "FI_PROGRESS_MANUAL"},
		{ProgressControlUnified, "FI_PROGRESS_CONTROL_UNIFIED"},
	},
}

// String is the C name.
func (p Progress) String() string { return progressWords.name(p) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (p Progress) MarshalText() ([]byte, error) { return progressWords.enumText(p), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_PROGRESS_), or a number.
func (p *Progress) UnmarshalText(text []byte) error { return progressWords.readEnum(p, text) }

var avTypeWords = vocabulary[AVType]{
	kind: "address vector type", prefix: "FI_AV_",
	words: []word[AVType]{
		{AVUnspec, "FI_AV_UNSPEC"},
		{AVMap, "FI_AV_MAP"},
		{AVTable, "FI_AV_TABLE"},
	},
}

// String is the C name.
func (t AVType) String() string { return avTypeWords.name(t) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (t AVType) MarshalText() ([]byte, error) { return avTypeWords.enumText(t), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_AV_), or a number.
func (t *AVType) UnmarshalText(text []byte) error { return avTypeWords.readEnum(t, text) }

var resourceMgmtWords = vocabulary[ResourceMgmt]{
	kind: "resource management", prefix: "FI_RM_",
	words: []word[ResourceMgmt]{
		{RMUnspec, "FI_RM_UNSPEC"},
		{RMDisabled, "FI_RM_DISABLED"},
		{RMEnabled, "FI_RM_ENABLED"},
	},
}

// String is the C name.
func (r ResourceMgmt) String() string { return resourceMgmtWords.name(r) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (r ResourceMgmt) MarshalText() ([]byte, error) { return resourceMgmtWords.enumText(r), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_RM_), or a number.
func (r *ResourceMgmt) UnmarshalText(text []byte) error { return resourceMgmtWords.readEnum(r, text) }

var hmemIfaceWords = vocabulary[HMEMIface]{
	kind: "memory kind", prefix: "FI_HMEM_",
	words: []word[HMEMIface]{
		{HMEMSystem, "FI_HMEM_SYSTEM"},
		{HMEMCUDA, "FI_HMEM_CUDA"},
		{HMEMROCR, "FI_HMEM_ROCR"},
		{HMEMZE, "FI_HMEM_ZE"},
		{HMEMNeuron, "FI_HMEM_NEURON"},
		{HMEMSynapseAI, "FI_HMEM_SYNAPSEAI"},
	},
}

// String is the C name.
func (i HMEMIface) String() string { return hmemIfaceWords.name(i) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (i HMEMIface) MarshalText() ([]byte, error) { return hmemIfaceWords.enumText(i), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_HMEM_), or a number.
func (i *HMEMIface) UnmarshalText(text []byte) error { return hmemIfaceWords.readEnum(i, text) }

// ParseEPType reads an endpoint type as fi_info's option takes it: "FI_EP_RDM", "rdm". The error is a [*WordError].
func ParseEPType(s string) (EPType, error) { return epTypeWords.find(s) }
