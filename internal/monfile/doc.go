// Package monfile is what the hook monitor and fabtests mon have in common: a folder of the user's own with a file for
// each provider of each running process that is monitored.
//
//	dir, err := monfile.Open(os.LookupEnv)
//	files, err := dir.List() // the figures of what runs; files of what has ended are removed
//
// A file is JSON, replaced as a whole a few times a second, removed by its process at the end. Its name has the number
// of the process, when that was started, and the space of the number, so that one of a process that was killed is told
// from that of another one with the same number; whoever lists the folder sweeps it. Folder and files are readable by
// their user alone; a folder that others own or may write to is refused.
//
// It is safe for concurrent use, also by several processes. It reads FI_OFI_HOOK_MONITOR_BASEPATH.
package monfile
