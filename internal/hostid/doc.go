// Package hostid tells hosts from each other: processes with the same identity can share memory and find each other's local
// sockets, or so it seems until they try.
//
//	id := hostid.Of(os.Getenv(hostid.Variable))
//
// You need it where processes that have exchanged such identities choose who is near. The package has no state and reads no
// environment variables itself.
package hostid
