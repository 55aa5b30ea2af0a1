package fi

var accessWords = vocabulary[Access]{
	kind: "access right", prefix: "FI_",
	words: []word[Access]{
		{AccessRecv, "FI_RECV"},
		{AccessSend, "FI_SEND"},
		{AccessRead, "FI_READ"},
		{AccessWrite, "FI_WRITE"},
		{AccessRemoteRead, "FI_REMOTE_READ"},
		{AccessRemoteWrite, "FI_REMOTE_WRITE"},
		{AccessCollective, "FI_COLLECTIVE"},
	},
	aliases: []word[Access]{{AccessSend, "FI_TRANSMIT"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (a Access) String() string { return accessWords.join(a) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (a Access) List() string { return accessWords.list(a) }

// MarshalText gives the C names joined by "|". It never fails.
func (a Access) MarshalText() ([]byte, error) { return accessWords.setText(a), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (a *Access) UnmarshalText(text []byte) error { return accessWords.readSet(a, text) }

// MarshalJSON gives an array of C names. It never fails.
func (a Access) MarshalJSON() ([]byte, error) { return accessWords.setJSON(a), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (a *Access) UnmarshalJSON(data []byte) error { return accessWords.readSetJSON(a, data) }

var mrFlagsWords = vocabulary[MRFlags]{
	kind: "registration flag", prefix: "FI_",
	words: []word[MRFlags]{
		{MRRMAPmem, "FI_RMA_PMEM"},
		{MRRMAEvent, "FI_RMA_EVENT"},
		{MRSingleUse, "FI_MR_SINGLE_USE"},
		{MRDMABuf, "FI_MR_DMABUF"},
		{MRHMEMDevice, "FI_HMEM_DEVICE_ONLY"},
		{MRHMEMHostAlloc, "FI_HMEM_HOST_ALLOC"},
		{MRAuthKey, "FI_AUTH_KEY"},
	},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f MRFlags) String() string { return mrFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f MRFlags) List() string { return mrFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f MRFlags) MarshalText() ([]byte, error) { return mrFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *MRFlags) UnmarshalText(text []byte) error { return mrFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f MRFlags) MarshalJSON() ([]byte, error) { return mrFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *MRFlags) UnmarshalJSON(data []byte) error { return mrFlagsWords.readSetJSON(f, data) }

var mrModeWords = vocabulary[MRMode]{
	kind: "registration mode", prefix: "FI_MR_",
	words: []word[MRMode]{
		{MRModeBasic, "FI_MR_BASIC"},
		{MRModeScalable, "FI_MR_SCALABLE"},
		{MRModeLocal, "FI_MR_LOCAL"},
		{MRModeRaw, "FI_MR_RAW"},
		{MRModeVirtAddr, "FI_MR_VIRT_ADDR"},
		{MRModeAllocated, "FI_MR_ALLOCATED"},
		{MRModeProvKey, "FI_MR_PROV_KEY"},
		{MRModeMMUNotify, "FI_MR_MMU_NOTIFY"},
		{MRModeRMAEvent, "FI_MR_RMA_EVENT"},
		{MRModeEndpoint, "FI_MR_ENDPOINT"},
		{MRModeHMEM, "FI_MR_HMEM"},
		{MRModeCollective, "FI_MR_COLLECTIVE"},
	},
	aliases: []word[MRMode]{{0, "FI_MR_UNSPEC"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (m MRMode) String() string { return mrModeWords.join(m) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (m MRMode) List() string { return mrModeWords.list(m) }

// MarshalText gives the C names joined by "|". It never fails.
func (m MRMode) MarshalText() ([]byte, error) { return mrModeWords.setText(m), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (m *MRMode) UnmarshalText(text []byte) error { return mrModeWords.readSet(m, text) }

// MarshalJSON gives an array of C names. It never fails.
func (m MRMode) MarshalJSON() ([]byte, error) { return mrModeWords.setJSON(m), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (m *MRMode) UnmarshalJSON(data []byte) error { return mrModeWords.readSetJSON(m, data) }

var avFlagsWords = vocabulary[AVFlags]{
	kind: "address vector flag", prefix: "FI_",
	words: []word[AVFlags]{
		{AVRead, "FI_READ"},
		{AVSymmetric, "FI_SYMMETRIC"},
		{AVUserID, "FI_AV_USER_ID"},
		{AVMore, "FI_MORE"},
		{AVSyncErr, "FI_SYNC_ERR"},
		{AVFirewallAddr, "FI_FIREWALL_ADDR"},
		{AVAuthKey, "FI_AUTH_KEY"},
	},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f AVFlags) String() string { return avFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f AVFlags) List() string { return avFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f AVFlags) MarshalText() ([]byte, error) { return avFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *AVFlags) UnmarshalText(text []byte) error { return avFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f AVFlags) MarshalJSON() ([]byte, error) { return avFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *AVFlags) UnmarshalJSON(data []byte) error { return avFlagsWords.readSetJSON(f, data) }
