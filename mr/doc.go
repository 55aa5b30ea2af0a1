// Package mr holds what memory registration is made of: the name of remote memory ([Remote]), regions and the table
// that a domain keeps of them, memory that peers can map ([Alloc]), and typed views of it ([View]).
//
// Applications register memory with fabric.Domain.RegisterMR and exchange Remote values; memory from Alloc makes remote
// access on the same host as cheap as local access:
//
//	mem, err := mr.Alloc(1 << 20)
//	region, err := domain.RegisterMR(mem.Bytes(), fi.AccessRemoteWrite, &fi.MRAttr{Key: 1})
//	peer := region.Remote() // send it to whoever shall write
//
// # Keys
//
// The application numbers its regions: each that is open in a domain has a key of its own, in MRAttr.Key, and one that is in
// use is refused with FI_ENOKEY. Nil attributes ask for key 0. Where the domain was opened with fi.MRModeProvKey in its
// mode the provider chooses, and MR.Key tells; see fabric.Domain.RegisterMR.
//
// # Memory
//
// A registered slice stays referenced by its region, so the collector cannot free it. What is handed to hardware or
// mapped by another process comes from Alloc. The buffer of a remote write may be looked at only after a completion, a
// counter or a message that orders it.
//
// A key is a right for those who have it, and protects against mistakes; see SECURITY.md for what it does not do.
package mr
