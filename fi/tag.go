package fi

// Formats of tags, for EPAttr.MemTagFormat (fi_endpoint(3)): from [TagMaxFormat] up the value is a pattern of alternating
// fields instead.
const (
	TagBits      uint64 = 0       // FI_TAG_BITS: 64 free bits
	TagMPI       uint64 = 1       // FI_TAG_MPI: a tag of 32 bits and a payload id of 8, see MPITag
	TagCCL       uint64 = 2       // FI_TAG_CCL: a payload id, compared exactly
	TagMaxFormat uint64 = 1 << 16 // FI_TAG_MAX_FORMAT
)

// What a receive of the format [TagMPI] gives as ignore bits to take any tag or any payload.
const (
	MPIIgnoreTag     uint64 = 1<<32 - 1  // FI_MPI_IGNORE_TAG
	MPIIgnorePayload uint64 = 0xff << 32 // FI_MPI_IGNORE_PAYLOAD
)

// MPITag packs a tag of the format [TagMPI] (fi_tag_mpi).
func MPITag(tag int32, payload uint8) uint64 { return uint64(payload)<<32 | uint64(uint32(tag)) }
